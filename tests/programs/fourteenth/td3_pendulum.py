"""TD3 with an ensemble-averaged actor objective, on a damped pendulum."""
import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class TD3Config:
    gamma: float = 0.98
    tau: float = 0.01
    noise: float = 0.2
    noise_clip: float = 0.5
    policy_delay: int = 2
    slow_mix: float = 0.5
    lr: float = 1e-3


class Pendulum:
    def __init__(self, n: int):
        self.th, self.om = 0.5 * torch.randn(n), torch.zeros(n)

    def obs(self) -> Tensor:
        return torch.stack([self.th.cos(), self.th.sin(), self.om], 1)

    def step(self, torque: Tensor) -> Tensor:
        cost = self.th.square() + 0.1 * self.om.square() + 0.01 * torque.square()
        self.om += 0.05 * (15 * self.th.sin() + 3 * torque - 0.1 * self.om)
        self.om.clamp_(-8, 8)
        self.th += 0.05 * self.om
        return -cost


class Ring:
    def __init__(self, capacity: int, **dims: int):
        self.data = {k: torch.zeros(capacity, d) for k, d in dims.items()}
        self.capacity, self.n = capacity, 0

    def add(self, **rows: Tensor) -> None:
        size = next(iter(rows.values())).size(0)
        where = torch.arange(self.n, self.n + size) % self.capacity
        for k, v in rows.items():
            self.data[k][where] = v
        self.n += size

    def sample(self, size: int) -> dict[str, Tensor]:
        idx = torch.randint(min(self.n, self.capacity), (size,))
        return {k: v[idx] for k, v in self.data.items()}


def net(d_in: int, d_out: int, *tail: nn.Module) -> nn.Sequential:
    return nn.Sequential(nn.Linear(d_in, 24), nn.ReLU(), nn.Linear(24, d_out), *tail)


class TD3:
    def __init__(self, cfg: TD3Config, obs: int, act: int):
        self.cfg = cfg
        self.actor = net(obs, act, nn.Tanh())
        self.critics = nn.ModuleList(net(obs + act, 1) for _ in range(2))
        self.slow_actor, self.slow_critics = copy.deepcopy(self.actor), copy.deepcopy(self.critics)
        self.slow_actor.requires_grad_(False)
        self.slow_critics.requires_grad_(False)
        self.opt_a = torch.optim.Adam(self.actor.parameters(), lr=cfg.lr)
        self.opt_c = torch.optim.Adam(self.critics.parameters(), lr=cfg.lr)
        self.updates = 0

    @staticmethod
    def values(critics, s: Tensor, a: Tensor) -> Tensor:
        return torch.stack([c(torch.cat([s, a], 1)) for c in critics])

    @torch.no_grad()
    def target(self, b: dict[str, Tensor]) -> Tensor:
        jitter = (self.cfg.noise * torch.randn_like(b["a"])).clamp_(-self.cfg.noise_clip, self.cfg.noise_clip)
        nxt = (self.slow_actor(b["s2"]) + jitter).clamp_(-1, 1)
        return b["r"] + self.cfg.gamma * self.values(self.slow_critics, b["s2"], nxt).amin(0)

    @torch.no_grad()
    def track(self) -> None:
        for slow, fast in ((self.slow_actor, self.actor), (self.slow_critics, self.critics)):
            for p, q in zip(slow.parameters(), fast.parameters()):
                p.lerp_(q, self.cfg.tau)  # BUG

    def actor_loss(self, s: Tensor) -> Tensor:
        a = self.actor(s)
        quick = self.values(self.critics[:1], s, a).mean()
        slow = self.values(self.slow_critics, s, a).mean()
        return -((1 - self.cfg.slow_mix) * quick + self.cfg.slow_mix * slow)

    def update(self, batch: dict[str, Tensor]) -> float:
        self.updates += 1
        critic_loss = (self.values(self.critics, batch["s"], batch["a"]) - self.target(batch)).square().mean()
        self.opt_c.zero_grad()
        critic_loss.backward()
        self.opt_c.step()
        if self.updates % self.cfg.policy_delay == 0:
            loss = self.actor_loss(batch["s"])
            self.track()
            self.opt_a.zero_grad()
            loss.backward()
            self.opt_a.step()
        return critic_loss.item()


# --- driver ---
torch.manual_seed(0)
agent, env, ring = TD3(TD3Config(), 3, 1), Pendulum(8), Ring(256, s=3, a=1, r=1, s2=3)
for _ in range(6):
    s = env.obs()
    with torch.no_grad():
        a = agent.actor(s)
    r = env.step(2 * a.squeeze(1))
    ring.add(s=s, a=a, r=r.unsqueeze(1), s2=env.obs())
    print(agent.update(ring.sample(16)))
