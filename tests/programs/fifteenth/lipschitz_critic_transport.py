"""Optimal-transport critic with spectrally normalised linear layers."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralLinear(nn.Linear):
    def __init__(self, d_in, d_out, n_iter=1):
        super().__init__(d_in, d_out)
        self.n_iter = n_iter
        self.register_buffer("left", F.normalize(torch.randn(d_out), dim=0))
        self.register_buffer("right", F.normalize(torch.randn(d_in), dim=0))
        self._warm_up(5)

    @torch.no_grad()
    def _warm_up(self, n):
        for _ in range(n):
            self.right = F.normalize(self.weight.t() @ self.left, dim=0)
            self.left = F.normalize(self.weight @ self.right, dim=0)

    def _iterate(self):
        w = self.weight.detach()
        right = self.right
        for _ in range(self.n_iter):
            right = F.normalize(w.t() @ self.left, dim=0)
            F.normalize(w @ right, dim=0, out=self.left)  # BUG
        self.right = right

    def sigma(self):
        if self.training:
            with torch.no_grad():
                self._iterate()
        return torch.dot(self.left, self.weight @ self.right)

    def forward(self, x):
        return F.linear(x, self.weight / self.sigma(), self.bias)


class Critic(nn.Module):
    def __init__(self, dim, width=24, depth=2):
        super().__init__()
        sizes = [dim] + [width] * depth
        self.layers = nn.ModuleList(SpectralLinear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.last = SpectralLinear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.2, inplace=True)
        return self.last(x).squeeze(-1)


class PairSampler:
    def __init__(self, dim, seed=0):
        self.gen = torch.Generator().manual_seed(seed)
        self.dim = dim

    def __call__(self, n):
        a = torch.randn(n, self.dim, generator=self.gen)
        b = torch.randn(n, self.dim, generator=self.gen)
        b[:, 0] += 2.0
        return a, b


def dual_gap(critic, a, b):
    return critic(a).mean() - critic(b).mean()


def train(critic, sampler, steps, lr=1e-3):
    opt = torch.optim.Adam(critic.parameters(), lr=lr, betas=(0.5, 0.9))
    history = []
    for _ in range(steps):
        gap = dual_gap(critic, *sampler(16))
        opt.zero_grad()
        (-gap).backward()
        opt.step()
        history.append(gap.item())
    return history


@torch.no_grad()
def evaluate(critic, sampler):
    critic.eval()
    value = dual_gap(critic, *sampler(64)).item()
    critic.train()
    return value


# --- driver ---
def main():
    torch.manual_seed(0)
    critic = Critic(3)
    sampler = PairSampler(3)
    print("history", train(critic, sampler, 3))
    print("estimate", evaluate(critic, sampler))


if __name__ == "__main__":
    main()
