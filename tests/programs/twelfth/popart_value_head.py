"""PopArt: value head which keeps its outputs when the statistics of the targets change."""
import torch
from torch import nn, Tensor


class PopArt(nn.Module):
    def __init__(self, inp: int, beta: float = 0.1):
        super().__init__()
        self.linear = nn.Linear(inp, 1)
        self.beta = beta
        self.register_buffer("mu", torch.zeros(1))
        self.register_buffer("nu", torch.ones(1))

    @property
    def sigma(self) -> Tensor:
        return (self.nu - self.mu.square()).clamp_(min=1e-4).sqrt_()

    def normalise(self, g: Tensor) -> Tensor:
        return (g - self.mu) / self.sigma

    def forward(self, h: Tensor, raw: bool = False) -> Tensor:
        n = self.linear(h).squeeze(-1)
        return n * self.sigma + self.mu if raw else n

    @torch.no_grad()
    def update(self, g: Tensor) -> None:
        old_mu, old_sigma = self.mu.clone(), self.sigma
        self.mu.lerp_(g.mean(), self.beta)
        self.nu.lerp_(g.square().mean(), self.beta)
        new_sigma = self.sigma
        self.linear.weight.mul_(old_sigma / new_sigma)
        self.linear.bias.mul_(old_sigma).add_(old_mu - self.mu).div_(new_sigma)


class Critic(nn.Module):
    def __init__(self, obs: int, hidden: int = 24):
        super().__init__()
        self.body = nn.GRU(obs, hidden, batch_first=True)
        self.head = PopArt(hidden)

    def forward(self, seq: Tensor, raw: bool = False) -> Tensor:
        return self.head(self.body(seq)[0], raw=raw)


def n_step_targets(rew: Tensor, boot: Tensor, gamma: float) -> Tensor:
    out = torch.empty_like(rew)
    acc = boot
    for t in range(rew.shape[1] - 1, -1, -1):
        acc = rew[:, t] + gamma * acc
        out[:, t] = acc
    return out


class CriticTrainer:
    def __init__(self, critic: Critic, gamma: float = 0.9):
        self.critic, self.gamma = critic, gamma
        self.opt = torch.optim.Adam(critic.parameters(), 3e-3)

    def step(self, seq: Tensor, rew: Tensor) -> float:
        with torch.no_grad():
            boot = self.critic(seq, raw=True)[:, -1]
        g = n_step_targets(rew, boot, self.gamma)
        self.critic.head.update(g)
        pred = self.critic(seq)
        loss = (pred - self.critic.head.normalise(g)).square().mean()
        self.opt.zero_grad()
        loss.backward()
        for p in self.critic.parameters():
            p.grad.clamp_(-1.0, 1.0)
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(15)
trainer = CriticTrainer(Critic(5))
for k in range(5):
    print(trainer.step(torch.randn(6, 8, 5), torch.randn(6, 8) * 10 ** (k / 2)))
