"""Memory-saving output layer: projection and cross entropy in chunks, gradients made during the forward pass."""
import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable
import torch.nn.functional as F


class LinearCrossEntropy(Function):
    """loss(h @ W.T, target) without ever holding all the logits; softmax is turned to its gradient in place."""

    @staticmethod
    def forward(ctx, h, weight, target, chunk, ignore, z_weight):
        n = (target != ignore).sum().clamp_min(1)
        dh = torch.empty_like(h)
        dw = torch.zeros_like(weight)
        loss = h.new_zeros(())
        for rows in torch.arange(len(h)).split(chunk):
            part, t = h[rows], target[rows]
            logits = part @ weight.T
            lse = logits.logsumexp(-1)
            live = t != ignore
            safe = t.masked_fill(~live, 0)
            picked = logits.gather(1, safe[:, None]).squeeze(1)
            loss += ((lse - picked + z_weight * lse ** 2) * live).sum()
            probs = logits.sub_(lse[:, None]).exp_()
            probs.mul_((1 + 2 * z_weight * lse)[:, None])
            probs[torch.arange(len(t)), safe] -= 1
            probs.mul_(live[:, None]).div_(n)
            torch.mm(probs, weight, out=dh[rows[0]:rows[-1] + 1])
            dw.addmm_(probs.T, part)
        ctx.save_for_backward(dh, dw)
        return loss / n

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        dh, dw = ctx.saved_tensors
        return grad * dh, grad * dw, None, None, None, None


class FusedHead(nn.Module):
    def __init__(self, weight, chunk=16, ignore=-100, z_weight=1e-4):
        super().__init__()
        self.weight = weight
        self.chunk, self.ignore, self.z_weight = chunk, ignore, z_weight

    def forward(self, h, target):
        return LinearCrossEntropy.apply(
            h.flatten(0, -2), self.weight, target.flatten(), self.chunk, self.ignore, self.z_weight)

    def reference(self, h, target):
        logits = (h @ self.weight.T).flatten(0, -2)
        live = (target.flatten() != self.ignore).float()
        z = (logits.logsumexp(-1).square() * live).sum() / live.sum()
        return F.cross_entropy(logits, target.flatten(), ignore_index=self.ignore) + self.z_weight * z


class MLPMixerLM(nn.Module):
    """Toy trunk: causal averages at several rates."""

    def __init__(self, vocab=45, dim=16, rates=(0.3, 0.7, 0.9)):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rates = rates
        self.mlp = nn.Sequential(nn.Linear(dim * len(rates), 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.norm = nn.LayerNorm(dim)
        self.head = FusedHead(self.emb.weight)

    def averages(self, x, rate):
        out = torch.empty_like(x)
        run = torch.zeros_like(x[:, 0])
        for t in range(x.shape[1]):
            run = torch.lerp(x[:, t], run, rate)
            out[:, t] = run
        return out

    def trunk(self, ids):
        x = self.emb(ids)
        mixed = torch.cat([self.averages(x, r) for r in self.rates], -1)
        return self.norm(self.mlp(mixed).add_(x))

    def forward(self, ids, target):
        return self.head(self.trunk(ids), target)


def batch(n, length, vocab):
    ids = torch.randint(0, vocab, (n, length + 1))
    target = ids[:, 1:].clone()
    target[torch.rand(target.shape) < 0.2] = -100
    return ids[:, :-1], target


# --- driver ---
torch.manual_seed(0)
model = MLPMixerLM()
ids, target = batch(3, 11, 45)
h = model.trunk(ids)
print((model.head(h, target) - model.head.reference(h, target)).abs().item())
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(4):
    loss = model(*batch(4, 11, 45))
    opt.zero_grad()
    loss.backward()
    opt.step()
