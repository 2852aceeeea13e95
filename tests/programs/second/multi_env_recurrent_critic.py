"""Recurrent value function trained on several environments with episode resets inside the chunk."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class VecCartLike:
    """A noisy linear system with random termination, vectorised."""

    def __init__(self, n, dim=4, p_done=0.2):
        self.n, self.dim, self.p_done = n, dim, p_done
        self.a = torch.eye(dim) + 0.1 * torch.randn(dim, dim)
        self.state = torch.randn(n, dim)

    def step(self):
        self.state = self.state @ self.a.t() + 0.05 * torch.randn(self.n, self.dim)
        done = (torch.rand(self.n) < self.p_done) | (self.state.norm(dim=1) > 5)
        reward = -self.state.pow(2).sum(1) * 0.05
        self.state[done] = torch.randn(int(done.sum()), self.dim)
        return self.state.clone(), reward, done


class ElmanCell(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.ih = nn.Linear(n_in, hidden)
        self.hh = nn.Linear(hidden, hidden, bias=False)
        nn.init.orthogonal_(self.hh.weight)

    def forward(self, x, h):
        return torch.tanh(self.ih(x) + self.hh(h))


class RecurrentValue(nn.Module):
    def __init__(self, obs_dim, hidden=16):
        super().__init__()
        self.cell = ElmanCell(obs_dim, hidden)
        self.value = nn.Linear(hidden, 1)
        self.hidden = hidden

    def initial(self, n):
        return torch.zeros(n, self.hidden)

    def forward(self, obs, h, done):
        h = self.cell(obs, h)
        v = self.value(h).squeeze(-1)
        h.data[done] = 0.0  # BUG silent
        return v, h


class ChunkCollector:
    def __init__(self, env, length):
        self.env, self.length = env, length

    def __iter__(self):
        while True:
            rows = [self.env.step() for _ in range(self.length)]
            obs, rew, done = (torch.stack(c) for c in zip(*rows))
            yield obs, rew, done


def discounted(rew, done, gamma=0.9):
    out = torch.zeros_like(rew)
    acc = torch.zeros(rew.size(1))
    for t in reversed(range(rew.size(0))):
        acc = rew[t] + gamma * acc * (~done[t]).float()
        out[t] = acc
    return out


def fit_value(model, collector, steps, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    h = model.initial(collector.env.n)
    losses = []
    for _, (obs, rew, done) in zip(range(steps), collector):
        values = []
        for t in range(obs.size(0)):
            v, h = model(obs[t], h, done[t])
            values.append(v)
        loss = F.mse_loss(torch.stack(values), discounted(rew, done))
        opt.zero_grad()
        loss.backward()
        opt.step()
        h = h.detach()
        losses.append(loss.item())
    return losses


# --- driver ---
torch.manual_seed(0)
fit_value(RecurrentValue(4), ChunkCollector(VecCartLike(6), 8), steps=2)
