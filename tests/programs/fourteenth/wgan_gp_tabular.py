"""WGAN-GP for mixed tabular rows: continuous columns plus one-hot categoricals."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Schema:
    def __init__(self, continuous, categories):
        self.continuous = continuous
        self.categories = tuple(categories)
        self.width = continuous + sum(self.categories)

    def blocks(self):
        lo = self.continuous
        for size in self.categories:
            yield slice(lo, lo + size)
            lo += size


class RowGenerator(nn.Module):
    def __init__(self, schema, latent=8, hidden=32, tau=0.5):
        super().__init__()
        self.schema, self.latent, self.tau = schema, latent, tau
        self.net = nn.Sequential(
            nn.Linear(latent, hidden), nn.BatchNorm1d(hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, schema.width))

    def forward(self, n):
        raw = self.net(torch.randn(n, self.latent))
        row = torch.empty_like(raw)
        row[:, : self.schema.continuous] = torch.tanh(raw[:, : self.schema.continuous])
        for block in self.schema.blocks():
            row[:, block] = F.gumbel_softmax(raw[:, block], tau=self.tau)
        return row


def row_critic(schema, hidden=32):
    return nn.Sequential(
        nn.Linear(schema.width, hidden), nn.LeakyReLU(0.2, inplace=True),
        nn.Linear(hidden, hidden), nn.LeakyReLU(0.2, inplace=True),
        nn.Linear(hidden, 1), nn.Flatten(0))


def gradient_penalty(critic, real, fake):
    mix = torch.rand(real.size(0), 1)
    point = torch.lerp(fake, real, mix).requires_grad_()
    grad, = torch.autograd.grad(critic(point).sum(), point, create_graph=True)
    return (grad.norm(dim=1) - 1).square().mean()


class DriftingTable:
    """Real rows; sampling perturbs the continuous part in a private copy."""

    def __init__(self, schema, rows):
        self.schema = schema
        self.table = torch.zeros(rows, schema.width)
        self.table[:, : schema.continuous].uniform_(-0.8, 0.8)
        for block in schema.blocks():
            labels = torch.randint(block.stop - block.start, (rows, 1))
            self.table[:, block].scatter_(1, labels, 1.0)

    def batch(self, n, jitter=0.02):
        rows = self.table[torch.randint(self.table.size(0), (n,))]
        rows[:, : self.schema.continuous] += jitter * torch.randn(n, self.schema.continuous)
        return rows


class WassersteinTrainer:
    def __init__(self, gen, critic, data, n_critic=2, lam=10.0, lr=1e-3):
        self.gen, self.critic, self.data = gen, critic, data
        self.n_critic, self.lam = n_critic, lam
        make = lambda m: torch.optim.Adam(m.parameters(), lr=lr, betas=(0.0, 0.9))
        self.opt_g, self.opt_c = make(gen), make(critic)

    def critic_round(self, n):
        real = self.data.batch(n)
        with torch.no_grad():
            fake = self.gen(n)
        loss = self.critic(fake).mean() - self.critic(real).mean()
        loss = loss + self.lam * gradient_penalty(self.critic, real, fake)
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return -loss.item()

    def round(self, n):
        distances = [self.critic_round(n) for _ in range(self.n_critic)]
        self.critic.requires_grad_(False)
        loss = -self.critic(self.gen(n)).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        self.critic.requires_grad_(True)
        return distances[-1], loss.item()


# --- driver ---
torch.manual_seed(1)
schema = Schema(3, (2, 4))
trainer = WassersteinTrainer(RowGenerator(schema), row_critic(schema), DriftingTable(schema, 60))
for _ in range(3):
    print(trainer.round(16))
