import torch
import torch.nn as nn
from torch.distributions import Normal


class PointEnvs:
    """A batch of 1-D targets to reach."""

    def __init__(self, n, limit=5):
        self.n, self.limit = n, limit
        self.pos, self.goal = torch.zeros(n), torch.zeros(n)
        self.t = torch.zeros(n, dtype=torch.long)
        self.reset(torch.ones(n, dtype=torch.bool))

    def reset(self, which):
        self.pos[which] = 0
        self.goal[which] = torch.randn(int(which.sum()))
        self.t[which] = 0

    def obs(self):
        return torch.stack([self.pos, self.goal], 1)

    def step(self, a):
        self.pos.add_(a.clamp(-1, 1), alpha=0.5)
        self.t += 1
        r = -(self.pos - self.goal).abs()
        done = (self.t >= self.limit) | (r > -0.05)
        self.reset(done)
        return self.obs(), r, done


class GRUPolicy(nn.Module):
    def __init__(self, obs=2, h=12):
        super().__init__()
        self.h = h
        self.cell = nn.GRUCell(obs, h)
        self.mu, self.v = nn.Linear(h, 1), nn.Linear(h, 1)
        self.log_std = nn.Parameter(torch.zeros(1))
        nn.init.orthogonal_(self.mu.weight, 0.01)
        nn.init.zeros_(self.mu.bias)

    def forward(self, o, h):
        h = self.cell(o, h)
        return Normal(self.mu(h).squeeze(-1), self.log_std.exp()), self.v(h).squeeze(-1), h

    def unroll(self, obs, starts, h):
        logits, values = [], []
        for o, s in zip(obs, starts):
            h = h * (~s).float().unsqueeze(-1)
            d, v, h = self(o, h)
            logits.append(d.loc)
            values.append(v)
        return Normal(torch.stack(logits), self.log_std.exp()), torch.stack(values)


class Rollout:
    def __init__(self, T, n):
        z = lambda *s: torch.zeros(T, n, *s)
        self.obs, self.act, self.rew, self.val, self.lp, self.adv = z(2), z(), z(), z(), z(), z()
        self.start = torch.zeros(T, n, dtype=torch.bool)
        self.T = T

    @torch.no_grad()
    def collect(self, env, pi, h, start):
        self.h0 = h.clone()
        o = env.obs()
        for t in range(self.T):
            h[start] = 0
            d, v, h = pi(o, h)
            a = d.sample()
            self.obs[t], self.act[t], self.val[t] = o, a, v
            self.lp[t].copy_(d.log_prob(a))
            self.start[t] = start
            o, self.rew[t], start = env.step(a)
        last = pi(o, h)[1].mul_((~start).float())
        self.gae(last, start)
        return h, start

    def gae(self, last, last_done, g=0.97, lam=0.95):
        run, nxt, alive = torch.zeros_like(last), last, (~last_done).float()
        for t in reversed(range(self.T)):
            delta = self.rew[t] + g * nxt * alive - self.val[t]
            run.mul_(g * lam).mul_(alive).add_(delta)
            self.adv[t] = run
            nxt, alive = self.val[t], (~self.start[t]).float()
        self.ret = self.adv + self.val
        self.adv.sub_(self.adv.mean()).div_(self.adv.std() + 1e-8)


def ppo_update(pi, opt, ro, epochs=2, clip=0.2):
    for _ in range(epochs):
        d, v = pi.unroll(ro.obs, ro.start, ro.h0)
        ratio = (d.log_prob(ro.act) - ro.lp).exp_()
        surr = torch.min(ratio * ro.adv, ratio.clamp(1 - clip, 1 + clip) * ro.adv)
        loss = -surr.mean() + 0.5 * (v - ro.ret).pow(2).mean() - 0.01 * d.entropy().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(pi.parameters(), 0.5)
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(17)
env, pi, ro = PointEnvs(3), GRUPolicy(), Rollout(6, 3)
opt = torch.optim.Adam(pi.parameters(), lr=3e-3)
h, start = torch.zeros(3, 12), torch.ones(3, dtype=torch.bool)
for _ in range(2):
    h, start = ro.collect(env, pi, h, start)
    print(ppo_update(pi, opt, ro))
