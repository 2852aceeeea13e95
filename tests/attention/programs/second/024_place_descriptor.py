import torch
import torch.nn as nn
import torch.nn.functional as F


class NetVLAD(nn.Module):
    """Local descriptors -> residuals to K learned centres -> one global vector."""

    def __init__(self, num_clusters=8, dim=16, alpha=10.0, normalize_input=True, vladv2=False):
        super().__init__()
        self.num_clusters = num_clusters
        self.dim = dim
        self.alpha = alpha
        self.normalize_input = normalize_input
        self.centroids = nn.Parameter(torch.rand(num_clusters, dim))
        self.vladv2 = vladv2

    def assign(self, x):
        logits = 2.0 * self.alpha * x @ self.centroids.t()      # N, P, K
        logits = logits - self.alpha * self.centroids.norm(dim=1).pow(2)
        return F.softmax(logits, dim=-1)  # NOT

    def forward(self, x):
        N, C = x.shape[:2]
        x = x.flatten(2).transpose(1, 2)
        if self.normalize_input:
            x = F.normalize(x, p=2, dim=-1)
        a = self.assign(x)
        # sum_p a_pk (x_p - c_k)
        vlad = torch.einsum('npk,npc->nkc', a, x) - a.sum(1).unsqueeze(-1) * self.centroids
        vlad = F.normalize(vlad, p=2, dim=2)
        return F.normalize(vlad.reshape(N, -1), p=2, dim=1)

    def quantise(self, x):
        a = self.assign(F.normalize(x, dim=-1))
        return a @ self.centroids


class PlaceNet(nn.Module):
    def __init__(self, ch=12, clusters=5, out=10):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(3, ch, 3, 2, 1), nn.ReLU(), nn.Conv2d(ch, ch, 3, 1, 1))
        self.pool = NetVLAD(clusters, ch)
        self.whiten = nn.Linear(ch * clusters, out, bias=False)

    def forward(self, img):
        f = self.cnn(img)
        q = self.pool.quantise(f.flatten(2).transpose(1, 2))
        commit = F.mse_loss(q, F.normalize(f.flatten(2).transpose(1, 2), dim=-1))
        return F.normalize(self.whiten(self.pool(f)), dim=-1), commit


def triplet(anchor, pos, neg, margin=0.3):
    return F.relu((anchor - pos).pow(2).sum(-1) - (anchor - neg).pow(2).sum(-1) + margin).mean()


# --- driver ---
torch.manual_seed(24)
net = PlaceNet().eval().double()
RESULTS = []
for h, w in ((12, 12), (10, 16)):
    imgs = torch.rand(3, 3, h, w, dtype=torch.float64, requires_grad=True)
    net.zero_grad()
    d, commit = net(imgs)
    (triplet(d[0:1], d[1:2], d[2:3], margin=4.0) + commit + d.exp().mean()).backward()
    RESULTS += [d.detach(), commit.detach(), imgs.grad]
    RESULTS += [p.grad.clone() for p in net.parameters()]
