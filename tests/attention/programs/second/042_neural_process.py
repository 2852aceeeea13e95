"""Attentive neural process; encoders, decoders and lookups are plain closures over parameters."""
import torch
from torch import nn


def make_mlp(sizes):
    layers = []
    for i, o in zip(sizes, sizes[1:]):
        layers += [nn.Linear(i, o), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def laplace_lookup(scale):
    def lookup(q, k, v):
        d = (q.unsqueeze(2) - k.unsqueeze(1)).abs().sum(-1) / scale
        return torch.tanh(-d + 2).clamp_min(0) @ v
    return lookup


def multihead_lookup(d, heads, params):
    """params is filled in so that an owner can register the weights"""
    params["wq"] = nn.Parameter(torch.randn(heads, d, d) * d ** -0.5)
    params["wk"] = nn.Parameter(torch.randn(heads, d, d) * d ** -0.5)
    params["wv"] = nn.Parameter(torch.randn(heads, d, d) * d ** -0.5)
    params["wo"] = nn.Parameter(torch.randn(heads, d, d) * (d * heads) ** -0.5)
    root = d ** 0.5

    def per_head(x, w):
        return x.unsqueeze(1) @ params[w]

    def lookup(q, k, v):
        q, k, v = per_head(q, "wq"), per_head(k, "wk"), per_head(v, "wv")
        a = torch.einsum("zhtd,zhcd->zhtc", q / root, k)
        a = torch.softmax(a, dim=3)  # ATTN
        r = torch.einsum("zhtc,zhcd->zhtd", a, v)
        return torch.einsum("zhtd,hde->zte", r, params["wo"])

    return lookup


class NeuralProcess(nn.Module):
    def __init__(self, dx=1, dy=1, d=12, heads=2, kind="multihead"):
        super().__init__()
        self.weights = nn.ParameterDict()
        self.lookup = multihead_lookup(d, heads, self.weights) if kind == "multihead" else laplace_lookup(1.0)
        self.enc_xy = make_mlp([dx + dy, 16, d])
        self.enc_x = make_mlp([dx, 16, d])
        self.dec = make_mlp([dx + d, 16, 2 * dy])

    def forward(self, xc, yc, xt):
        r = self.enc_xy(torch.cat([xc, yc], -1))
        rep = self.lookup(self.enc_x(xt), self.enc_x(xc), r)
        mean, raw = self.dec(torch.cat([xt, rep], -1)).chunk(2, -1)
        return mean, 0.1 + 0.9 * nn.functional.softplus(raw)


def nll(mean, std, y):
    return -torch.distributions.Normal(mean, std).log_prob(y).mean()


# --- driver ---
torch.manual_seed(42)
anp = NeuralProcess().double().eval()
RESULTS = []
for nc, nt in ((6, 10), (13, 9)):
    xc = torch.rand(2, nc, 1, dtype=torch.float64, requires_grad=True)
    yc = (6 * xc.detach()).sin().requires_grad_()
    xt = torch.rand(2, nt, 1, dtype=torch.float64, requires_grad=True)
    anp.zero_grad()
    mu, sd = anp(xc, yc, xt)
    nll(mu, sd, (6 * xt.detach()).sin()).backward()
    RESULTS += [mu.detach(), sd.detach(), xc.grad, yc.grad, xt.grad]
    RESULTS += [p.grad.clone() for p in anp.parameters()]
