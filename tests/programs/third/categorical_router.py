import torch
import torch.nn as nn
import torch.nn.functional as F


def gumbel_like(t, eps=1e-9):
    u = torch.rand_like(t)
    return -torch.log(-torch.log(u + eps) + eps)


class CategoricalSampler:
    """Draws one-hot codes; `hard=True` gives straight-through samples."""

    def __init__(self, tau=1.0, hard=True):
        self.tau = tau
        self.hard = hard

    def relaxed(self, logits):
        return F.softmax((logits + gumbel_like(logits)) / self.tau, dim=-1)

    def __call__(self, logits):
        soft = self.relaxed(logits)
        if not self.hard:
            return soft
        index = soft.argmax(-1, keepdim=True)
        residual = soft - soft.detach()
        hard = soft
        hard.zero_().scatter_(-1, index, 1.0)  # BUG
        return hard.detach() + residual


class DiscreteEncoder(nn.Module):
    def __init__(self, inp, codes, groups):
        super().__init__()
        self.groups = groups
        self.codes = codes
        self.net = nn.Sequential(nn.Linear(inp, 24), nn.ELU(), nn.Linear(24, groups * codes))

    def forward(self, x):
        return self.net(x).view(-1, self.groups, self.codes)


class DiscreteVAE(nn.Module):
    def __init__(self, inp=12, codes=5, groups=3, sampler=None):
        super().__init__()
        self.encoder = DiscreteEncoder(inp, codes, groups)
        self.decoder = nn.Sequential(nn.Linear(groups * codes, 24), nn.ELU(), nn.Linear(24, inp))
        self.sampler = sampler or CategoricalSampler()

    def kl(self, logits):
        q = logits.softmax(-1)
        log_q = logits.log_softmax(-1)
        prior = -torch.log(torch.tensor(float(logits.shape[-1])))
        return (q * (log_q - prior)).sum(-1).sum(-1).mean()

    def forward(self, x):
        logits = self.encoder(x)
        z = self.sampler(logits)
        recon = self.decoder(z.flatten(1))
        return F.mse_loss(recon, x), self.kl(logits)


def anneal(sampler, step, floor=0.5, rate=0.03):
    sampler.tau = max(floor, sampler.tau * (1 - rate) ** step)


def train(model, xs, lr=1e-3, beta=0.1):
    opt = torch.optim.Adam(model.parameters(), lr)
    for step, x in enumerate(xs):
        anneal(model.sampler, step)
        rec, kl = model(x)
        opt.zero_grad()
        (rec + beta * kl).backward()
        opt.step()


# --- driver ---
torch.manual_seed(6)
vae = DiscreteVAE()
train(vae, torch.randn(2, 7, 12))
