"""Magnitude pruning manager and a siamese verification trainer."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedModuleMixin:
    """Keeps a binary mask next to `weight` and enforces it on every call."""

    def install_mask(self):
        self.register_buffer('weight_mask', torch.ones_like(self.weight))
        self.register_forward_pre_hook(type(self)._enforce)

    def _enforce(self, args):
        with torch.no_grad():
            self.weight.mul_(self.weight_mask)  # BUG

    def prune_to(self, sparsity):
        k = int(sparsity * self.weight.numel())
        self.weight_mask.fill_(1.0)
        if k:
            idx = self.weight.detach().abs().flatten().topk(k, largest=False).indices
            self.weight_mask.view(-1)[idx] = 0.0


class MaskedLinear(nn.Linear, MaskedModuleMixin):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.install_mask()


class MaskedConv1d(nn.Conv1d, MaskedModuleMixin):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.install_mask()


class GradualPruner:
    def __init__(self, model, final=0.5, begin=0, end=10):
        self.layers = [m for m in model.modules() if isinstance(m, MaskedModuleMixin)]
        self.final, self.begin, self.end = final, begin, end

    def target(self, step):
        if step < self.begin:
            return 0.0
        frac = min(1.0, (step - self.begin) / (self.end - self.begin))
        return self.final * (1 - (1 - frac) ** 3)

    def step(self, i):
        s = self.target(i)
        for layer in self.layers:
            layer.prune_to(s)
        return s


class Tower(nn.Module):
    def __init__(self, ch=4, dim=6, length=8):
        super().__init__()
        self.conv = MaskedConv1d(1, ch, 3, padding=1)
        self.fc1 = MaskedLinear(ch * length, 16)
        self.fc2 = MaskedLinear(16, dim)

    def forward(self, x):
        h = F.relu_(self.conv(x)).flatten(1)
        return F.normalize(self.fc2(F.relu_(self.fc1(h))), dim=1)


def contrastive(a, b, same, margin=0.5):
    d = (a - b).pow(2).sum(1)
    return torch.where(same, d, F.relu(margin - d)).mean()


class VerificationTrainer:
    def __init__(self, tower, pruner, lr=1e-2):
        self.tower, self.pruner = tower, pruner
        self.opt = torch.optim.SGD(tower.parameters(), lr=lr, momentum=0.9)
        self.step_idx = 0

    def step(self, a, b, same):
        loss = contrastive(self.tower(a), self.tower(b), same)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.step_idx += 1
        self.pruner.step(self.step_idx)
        return loss.item()


# --- driver ---
torch.manual_seed(0)
tower = Tower()
trainer = VerificationTrainer(tower, GradualPruner(tower))
trainer.step(torch.randn(4, 1, 8), torch.randn(4, 1, 8), torch.tensor([True, False, True, False]))
