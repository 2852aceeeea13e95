"""Point-set classifier that pools features by distance to slowly moving anchors."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Workspace:
    """Scratch tensors that are allocated once per shape."""

    def __init__(self):
        self._bufs = {}

    def get(self, key, shape, like):
        buf = self._bufs.get(key)
        if buf is None or buf.shape != torch.Size(shape):
            buf = self._bufs[key] = like.new_empty(shape)
        return buf


class AnchorPool(nn.Module):
    def __init__(self, n_anchors, dim, workspace, beta=1.0):
        super().__init__()
        self.register_buffer("anchors", torch.randn(n_anchors, dim))
        self.beta = beta
        self.ws = workspace

    def weights(self, flat):
        out = self.ws.get("dist", (flat.size(0), self.anchors.size(0)), flat)
        with torch.no_grad():
            sq = flat.pow(2).sum(1, keepdim=True) + self.anchors.pow(2).sum(1)
            sq.addmm_(flat.detach(), self.anchors.t(), alpha=-2).mul_(-self.beta)
            torch.softmax(sq, 1, out=out)  # BUG
        return out

    def forward(self, x):
        b, n, d = x.shape
        w = self.weights(x.reshape(-1, d)).view(b, n, -1)
        pooled = torch.einsum("bnk,bnd->bkd", w, x)
        if self.training:
            self.drift(x.detach(), w)
        return pooled.flatten(1)

    @torch.no_grad()
    def drift(self, x, w, rate=0.05):
        mass = w.sum((0, 1)).clamp(min=1e-6)
        centre = torch.einsum("bnk,bnd->kd", w, x) / mass[:, None]
        self.anchors.lerp_(centre, rate)


class PointEncoder(nn.Module):
    def __init__(self, d_in, d, depth):
        super().__init__()
        dims = [d_in] + [d] * depth
        self.lins = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, x):
        for lin in self.lins:
            x = F.relu(lin(x), inplace=True)
        return x


class SiamesePointNet(nn.Module):
    def __init__(self, d_in=3, d=8, anchors=4, emb=6):
        super().__init__()
        self.encoder = PointEncoder(d_in, d, 2)
        self.pool = AnchorPool(anchors, d, Workspace())
        self.proj = nn.Linear(anchors * d, emb)

    def embed(self, pts):
        return F.normalize(self.proj(self.pool(self.encoder(pts))), dim=1)

    def forward(self, a, b):
        return self.embed(a), self.embed(b)


class MarginLoss(nn.Module):
    def __init__(self, margin=0.5):
        super().__init__()
        self.margin = margin

    def forward(self, ea, eb, same):
        d = (ea - eb).pow(2).sum(1).add(1e-8).sqrt()
        return torch.where(same, d, F.relu(self.margin - d)).pow(2).mean()


def rotate_z(pts, max_angle=0.5):
    ang = torch.empty(pts.size(0)).uniform_(-max_angle, max_angle)
    rot = torch.eye(3).repeat(pts.size(0), 1, 1)
    rot[:, 0, 0] = ang.cos()
    rot[:, 1, 1] = ang.cos()
    rot[:, 0, 1] = -ang.sin()
    rot[:, 1, 0] = ang.sin()
    return pts @ rot


def make_pairs(n, n_pts):
    a = torch.randn(n, n_pts, 3)
    b = rotate_z(a)
    same = torch.rand(n) > 0.5
    b[~same] = torch.randn(int((~same).sum()), n_pts, 3)
    return a, b, same


def train(model, steps, lr=1e-3):
    opt, crit = torch.optim.Adam(model.parameters(), lr=lr), MarginLoss()
    for _ in range(steps):
        a, b, same = make_pairs(4, 6)
        loss = crit(*model(a, b), same)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
train(SiamesePointNet(), steps=2)
