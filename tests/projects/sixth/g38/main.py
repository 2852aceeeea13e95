import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(38)
torch.set_num_threads(1)


class MultiCrop(nn.Module):
    def __init__(self, d, z, n_proto):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(d, 32), nn.BatchNorm1d(32), nn.ReLU(inplace=True))
        self.projection_head = nn.Sequential(nn.Linear(32, 32), nn.ReLU(inplace=True), nn.Linear(32, z))
        self.prototypes = nn.Linear(z, n_proto, bias=False)

    def forward(self, crops):
        h = self.backbone(torch.cat(crops))
        z = F.normalize(self.projection_head(h), dim=1)
        return z, self.prototypes(z)


@torch.no_grad()
def sinkhorn(out, eps=0.1, iters=3):
    Q = torch.exp(out / eps).t()
    B, K = Q.shape[1], Q.shape[0]
    Q /= torch.sum(Q)
    for _ in range(iters):
        Q /= torch.sum(Q, dim=1, keepdim=True)
        Q /= K
        Q /= torch.sum(Q, dim=0, keepdim=True)
        Q /= B
    Q *= B
    return Q.t()


class FeatureQueue:
    def __init__(self, n_crops, length, dim):
        self.q = torch.zeros(n_crops, length, dim)
        self.filled = 0

    @property
    def ready(self):
        return self.filled >= self.q.size(1)

    def push(self, i, emb):
        bs = emb.size(0)
        self.q[i, bs:] = self.q[i, :-bs].clone()
        self.q[i, :bs] = emb
        if i == 0:
            self.filled += bs


def views(x, n):
    return [x + 0.2 * torch.randn_like(x) for _ in range(n)]


model = MultiCrop(6, 8, 10)
opt = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9, weight_decay=1e-6)
queue = FeatureQueue(2, 64, 8)
centers = torch.randn(4, 6) * 2
freeze_iters, temp, bs = 2, 0.1, 32

for it in range(10):
    with torch.no_grad():
        w = model.prototypes.weight.data.clone()
        w = F.normalize(w, dim=1, p=2)
        model.prototypes.weight.copy_(w)

    x = centers[torch.randint(0, 4, (bs,))]
    z, scores = model(views(x, 4))
    z = z.detach()
    loss = 0
    for i in (0, 1):
        with torch.no_grad():
            out = scores[bs * i: bs * (i + 1)].detach()
            if queue.ready:
                out = torch.cat([queue.q[i] @ model.prototypes.weight.t(), out])
            queue.push(i, z[bs * i: bs * (i + 1)])
            q = sinkhorn(out)[-bs:]
        sub = 0
        for v in [k for k in range(4) if k != i]:
            p = scores[bs * v: bs * (v + 1)] / temp
            sub -= torch.mean(torch.sum(q * F.log_softmax(p, dim=1), dim=1))
        loss += sub / 3
    loss /= 2
    opt.zero_grad()
    loss.backward()
    if it < freeze_iters:
        for name, p in model.named_parameters():
            if "prototypes" in name:
                p.grad = None
    opt.step()
    if it % 3 == 0:
        print(it, round(loss.item(), 4))
