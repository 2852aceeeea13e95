"""FoldingNet-like point cloud autoencoder with Chamfer and repulsion losses."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SharedMLP(nn.Sequential):
    def __init__(self, *dims):
        layers = []
        for a, b in zip(dims[:-1], dims[1:]):
            layers += [nn.Linear(a, b), nn.LayerNorm(b), nn.ReLU(inplace=True)]
        super().__init__(*layers[:-2])


class Encoder(nn.Module):
    def __init__(self, code=24):
        super().__init__()
        self.local = SharedMLP(3, 16, 32)
        self.glob = SharedMLP(64, 32, code)

    def forward(self, xyz):
        f = self.local(xyz)
        g = f.amax(dim=1, keepdim=True).expand_as(f)
        return self.glob(torch.cat([f, g], dim=-1)).amax(dim=1)


class Folding(nn.Module):
    def __init__(self, code=24, side=5):
        super().__init__()
        lin = torch.linspace(-1, 1, side)
        self.register_buffer("grid", torch.cartesian_prod(lin, lin))
        self.fold1 = SharedMLP(code + 2, 32, 3)
        self.fold2 = SharedMLP(code + 3, 32, 3)

    def forward(self, code):
        n = self.grid.size(0)
        c = code.unsqueeze(1).expand(-1, n, -1)
        g = self.grid.unsqueeze(0).expand(code.size(0), -1, -1)
        p = self.fold1(torch.cat([g, c], dim=-1))
        return p + self.fold2(torch.cat([p, c], dim=-1))


def chamfer(a, b):
    d = torch.cdist(a, b)
    return d.amin(2).mean() + d.amin(1).mean()


def repulsion(p, k=4, h=0.1):
    d = torch.cdist(p, p)
    near = d.topk(k + 1, largest=False).values[..., 1:]
    return F.relu(h - near).mean()


def shape_moments(p):
    p -= p.mean(dim=1, keepdim=True)  # BUG
    return torch.einsum("bni,bnj->bij", p, p) / p.size(1)


class CloudAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = Encoder(), Folding()

    def forward(self, xyz):
        return self.dec(self.enc(xyz))


class ReconstructionLoss(nn.Module):
    def __init__(self, w_rep=0.1, w_mom=0.05):
        super().__init__()
        self.w_rep, self.w_mom = w_rep, w_mom

    def forward(self, pred, target):
        parts = {"chamfer": chamfer(pred, target), "repulsion": self.w_rep * repulsion(pred)}
        with torch.no_grad():
            ref = shape_moments(target.clone())
        parts["moments"] = self.w_mom * F.mse_loss(shape_moments(pred), ref)
        return sum(parts.values()), parts


def fit(model, clouds, lr=1e-3):
    criterion = ReconstructionLoss()
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    log = []
    for xyz in clouds:
        loss, parts = criterion(model(xyz), xyz)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append({k: v.item() for k, v in parts.items()})
    return log


# --- driver ---
torch.manual_seed(0)
fit(CloudAE(), [torch.randn(2, 20, 3)])
