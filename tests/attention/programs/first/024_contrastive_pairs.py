"""Dual-encoder image/text alignment."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Tower(nn.Module):
    def __init__(self, in_dim, width, out_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(in_dim, width), nn.GELU(), nn.Linear(width, width), nn.GELU())
        self.norm = nn.LayerNorm(width)
        self.proj = nn.Parameter(width ** -0.5 * torch.randn(width, out_dim))

    def forward(self, x):
        return self.norm(self.net(x)) @ self.proj


class DualEncoder(nn.Module):
    def __init__(self, img_dim=14, txt_dim=9, width=20, dim=12):
        super().__init__()
        self.visual = Tower(img_dim, width, dim)
        self.text = Tower(txt_dim, width, dim)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def encode(self, image, text):
        return F.normalize(self.visual(image), dim=-1), F.normalize(self.text(text), dim=-1)

    def forward(self, image, text):
        q, k = self.encode(image, text)
        logits = self.logit_scale.exp() * q @ k.t()
        return logits, logits.t()


def soft_targets(feat, tau):
    """Neighbour distribution in the input space, used instead of a one-hot target."""
    f = F.normalize(feat, dim=-1)
    return F.softmax(f @ f.transpose(0, 1) / tau, dim=-1)


def alignment_loss(logits_q, logits_k, targets):
    p = F.softmax(logits_q, dim=-1)  # NOT
    loss_q = -(targets * torch.log(p.clamp_min(1e-12))).sum(-1).mean()
    loss_k = -(targets.t() * F.log_softmax(logits_k, dim=-1)).sum(-1).mean()
    return 0.5 * (loss_q + loss_k), p


def retrieval_stats(p):
    hits = p.argmax(-1) == torch.arange(p.size(0))
    rank = (p >= p.diagonal().unsqueeze(1)).sum(-1)
    return hits.double().mean(), rank.double().mean()


# --- driver ---
torch.manual_seed(24)
net = DualEncoder().double().eval()
RESULTS = []
for n, tau in ((6, 0.1), (11, 0.5)):
    net.zero_grad()
    img = torch.randn(n, 14, dtype=torch.float64, requires_grad=True)
    txt = torch.randn(n, 9, dtype=torch.float64, requires_grad=True)
    lq, lk = net(img, txt)
    loss, p = alignment_loss(lq, lk, soft_targets(txt.detach(), tau))
    loss.pow(2).backward()
    RESULTS += [loss.detach(), p.detach(), *retrieval_stats(p.detach()), img.grad, txt.grad]
    RESULTS += [w.grad.clone() for w in net.parameters()]
