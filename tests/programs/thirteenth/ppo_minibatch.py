import torch
import torch.nn as nn
from torch.distributions import Categorical
from dataclasses import dataclass, field


@dataclass
class Rollout:
    horizon: int
    n_env: int
    obs_dim: int
    t: int = 0
    buf: dict = field(default_factory=dict)

    def __post_init__(self):
        h, n = self.horizon, self.n_env
        self.buf = {"obs": torch.zeros(h, n, self.obs_dim), "act": torch.zeros(h, n, dtype=torch.long)}
        for k in ("rew", "done", "val", "logp", "adv"):
            self.buf[k] = torch.zeros(h, n)

    def add(self, **kw):
        for k, v in kw.items():
            self.buf[k][self.t] = v
        self.t += 1

    def finish(self, last_val, gamma=0.99, lam=0.95):
        b, run = self.buf, torch.zeros(self.n_env)
        nxt = last_val
        for t in reversed(range(self.horizon)):
            live = 1 - b["done"][t]
            delta = b["rew"][t] + gamma * nxt * live - b["val"][t]
            run = delta + gamma * lam * live * run
            b["adv"][t] = run
            nxt = b["val"][t]
        b["ret"] = b["adv"] + b["val"]
        self.t = 0

    def minibatches(self, n):
        flat = {k: v.flatten(0, 1) for k, v in self.buf.items()}
        for idx in torch.randperm(self.horizon * self.n_env).chunk(n):
            yield {k: v[idx] for k, v in flat.items()}


class ActorCritic(nn.Module):
    def __init__(self, d, a):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, a), nn.Linear(32, 1)

    def forward(self, o):
        h = self.body(o)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class PPO:
    def __init__(self, model, clip=0.2, ent=0.01, lr=3e-4):
        self.model, self.clip, self.ent = model, clip, ent
        self.opt = torch.optim.Adam(model.parameters(), lr=lr, eps=1e-5)

    def surrogate(self, mb, dist):
        ratio = (dist.log_prob(mb["act"]) - mb["logp"]).exp()
        clipped = ratio.clamp(1 - self.clip, 1 + self.clip)
        return -torch.min(ratio * mb["adv"], clipped * mb["adv"]).mean(), ratio

    def value_loss(self, mb, v):
        scale = mb["ret"].std().clamp(min=1e-3)
        return ((v - mb["ret"]) / scale).square().mean() * 0.5

    def diagnostics(self, mb, ratio):
        with torch.no_grad():
            kl = ((ratio - 1) - ratio.log()).mean()
            ev = 1 - mb["adv"].sub_(mb["adv"].mean()).square().mean() / mb["ret"].var()  # BUG
        return kl.item(), ev.item()

    def update(self, roll, epochs=2, n_mb=4):
        for _ in range(epochs):
            for mb in roll.minibatches(n_mb):
                dist, v = self.model(mb["obs"])
                pg, ratio = self.surrogate(mb, dist)
                loss = pg + self.value_loss(mb, v) - self.ent * dist.entropy().mean()
                info = self.diagnostics(mb, ratio)
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
                self.opt.step()
        return info


@torch.no_grad()
def collect(model, roll, obs):
    for _ in range(roll.horizon):
        dist, v = model(obs)
        a = dist.sample()
        roll.add(obs=obs, act=a, val=v, logp=dist.log_prob(a), rew=obs[:, 0] * (a == 0),
                 done=(torch.rand(len(obs)) < 0.1).float())
        obs = 0.9 * obs + 0.3 * torch.randn_like(obs)
    roll.finish(model(obs)[1])
    return obs


# --- driver ---
torch.manual_seed(0)
ac = ActorCritic(4, 3)
algo, roll, obs = PPO(ac), Rollout(16, 4, 4), torch.randn(4, 4)
for _ in range(2):
    obs = collect(ac, roll, obs)
    print(algo.update(roll))
