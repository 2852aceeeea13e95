"""Pre-training objective on two views of the same images."""
import torch
import torch.nn.functional as F
from torch import nn


class Projector(nn.Sequential):
    def __init__(self, d_in, d_hid, d_out):
        super().__init__(nn.Linear(d_in, d_hid), nn.LayerNorm(d_hid), nn.GELU(), nn.Linear(d_hid, d_out))


class TwoViewModel(nn.Module):
    def __init__(self, d_in=30, d_out=8, queue=20, temperature=0.2):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(d_in, 24), nn.ReLU())
        self.projector = Projector(24, 16, d_out)
        self.register_buffer("queue", F.normalize(torch.randn(queue, d_out), dim=-1))
        self.register_buffer("queue_soft", torch.softmax(torch.randn(queue, 4), dim=-1))
        self.temperature = temperature

    def embed(self, x):
        return F.normalize(self.projector(self.backbone(x)), dim=-1)

    def soft_targets(self, z, detach=True):
        # what the bank says about each sample, as a distribution over bank entries
        sim = torch.matmul(z, self.queue.t()) / self.temperature
        p = sim.softmax(dim=-1)  # NOT
        if detach:
            return p.detach(), p.detach() @ self.queue_soft
        return p, p @ self.queue_soft

    def forward(self, view_a, view_b):
        za, zb = self.embed(view_a), self.embed(view_b)
        p_a, label_a = self.soft_targets(za)
        q_b, label_b = self.soft_targets(zb, detach=False)
        relational = -(p_a * (q_b + 1e-12).log()).sum(-1).mean()
        labels = F.mse_loss(label_b, label_a)

        logits = za @ zb.T / self.temperature
        target = torch.arange(len(za))
        instance = 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target))
        return {"relational": relational, "labels": labels, "instance": instance, "za": za}


# --- driver ---
torch.manual_seed(21)
model = TwoViewModel().double().eval()
RESULTS = []
for n in (6, 10):
    base = torch.randn(n, 30, dtype=torch.float64)
    va = (base + 0.3 * torch.randn_like(base)).requires_grad_()
    vb = (base + 0.3 * torch.randn_like(base)).requires_grad_()
    model.zero_grad()
    out = model(va, vb)
    (out["relational"] + out["labels"] + out["instance"] ** 2).backward()
    RESULTS.extend(v.detach() for v in out.values())
    RESULTS.extend([va.grad, vb.grad])
    RESULTS.extend(p.grad.clone() for p in model.parameters())
