"""Gaussian hidden Markov model for market regimes, by gradient ascent on the scaled forward likelihood."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class ForwardTable:
    """Filtered state probabilities and the log of their normalisers."""

    alpha: torch.Tensor
    log_norm: torch.Tensor

    @classmethod
    def empty(cls, length, batch, states):
        return cls(torch.zeros(length, batch, states), torch.zeros(length, batch))

    def put(self, t, joint):
        total = joint.sum(-1, keepdim=True).clamp_min(1e-30)
        self.alpha[t] = joint / total  # BUG
        self.log_norm[t] = total.squeeze(-1).log()

    def before(self, t):
        return self.alpha[t - 1]


class GaussianEmission(nn.Module):
    def __init__(self, states):
        super().__init__()
        self.loc = nn.Parameter(torch.linspace(-1, 1, states))
        self.log_scale = nn.Parameter(torch.zeros(states))

    def forward(self, x):
        return torch.distributions.Normal(self.loc, self.log_scale.exp()).log_prob(x.unsqueeze(-1)).exp()


class HMM(nn.Module):
    def __init__(self, states, emission):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(states))
        self.trans = nn.Parameter(torch.eye(states) * 2)
        self.emission = emission

    @property
    def n_states(self):
        return self.start.numel()

    def filter(self, x):
        lik = self.emission(x)
        A = self.trans.softmax(-1)
        table = ForwardTable.empty(x.shape[1], x.shape[0], self.n_states)
        table.put(0, self.start.softmax(-1) * lik[:, 0])
        for t in range(1, x.shape[1]):
            table.put(t, (table.before(t) @ A) * lik[:, t])
        return table

    def log_likelihood(self, x):
        return self.filter(x).log_norm.sum(0)

    @torch.no_grad()
    def occupancy(self, x):
        return self.filter(x).alpha.mean(dim=(0, 1))


def regime_returns(n, length, seed):
    gen = torch.Generator().manual_seed(seed)
    state = torch.randint(0, 2, (n,), generator=gen)
    out = torch.empty(n, length)
    for t in range(length):
        flip = torch.rand(n, generator=gen) < 0.1
        state = torch.where(flip, 1 - state, state)
        vol = torch.where(state == 1, 1.5, 0.4)
        out[:, t] = vol * torch.randn(n, generator=gen) + 0.2 * (1 - state)
    return out


def fit(model, x, steps, lr):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    curve = []
    for _ in range(steps):
        nll = -model.log_likelihood(x).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
        curve.append(nll.item())
    return curve


# --- driver ---
torch.manual_seed(0)
x = regime_returns(6, 20, seed=3)
hmm = HMM(2, GaussianEmission(2))
print(fit(hmm, x, steps=4, lr=0.05))
print(hmm.occupancy(x))
