import torch
import torch.nn as nn
import torch.nn.functional as F


class GridBandit:
    """Vectorised memory task: a cue is shown at the first step, reward is for repeating it later."""

    def __init__(self, n, n_cues=3, seed=0):
        self.g = torch.Generator().manual_seed(seed)
        self.n, self.k = n, n_cues
        self.cue = torch.randint(0, n_cues, (n,), generator=self.g)
        self.age = torch.zeros(n, dtype=torch.long)

    def observe(self):
        show = (self.age == 0)[:, None].float()
        return torch.cat([F.one_hot(self.cue, self.k).float() * show, show], 1)

    def step(self, act):
        rew = (act == self.cue).float() * (self.age > 1)
        self.age += 1
        done = (self.age >= 2) & (torch.rand(self.n, generator=self.g) < 0.5)
        fresh = torch.randint(0, self.k, (self.n,), generator=self.g)
        self.cue = torch.where(done, fresh, self.cue)
        self.age[done] = 0
        return self.observe(), rew, done


class Memory:
    def __init__(self, n, dim):
        self.state = torch.zeros(n, dim)

    def forget(self, done):
        self.state[done] = 0.0  # BUG

    def truncate(self):
        self.state = self.state.detach()


class RecurrentPolicy(nn.Module):
    def __init__(self, obs, act, dim=24):
        super().__init__()
        self.dim = dim
        self.enc = nn.Linear(obs, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.actor, self.critic = nn.Linear(dim, act), nn.Linear(dim, 1)

    def forward(self, obs, memory):
        memory.state = self.cell(F.relu(self.enc(obs)), memory.state)
        h = memory.state
        return torch.distributions.Categorical(logits=self.actor(h)), self.critic(h)[:, 0]


def unroll(policy, env, memory, obs, length):
    logps, vals, ents, rews, dones = [], [], [], [], []
    for _ in range(length):
        dist, v = policy(obs, memory)
        a = dist.sample()
        obs, r, d = env.step(a)
        logps.append(dist.log_prob(a)); vals.append(v); ents.append(dist.entropy())
        rews.append(r); dones.append(d)
        if d.any():
            memory.forget(d)
    return obs, [torch.stack(z) for z in (logps, vals, ents, rews, dones)]


def discounted(rews, dones, boot, gamma=0.95):
    out = torch.empty_like(rews)
    for t in range(len(rews) - 1, -1, -1):
        boot = rews[t] + gamma * boot * (~dones[t])
        out[t] = boot
    return out


def a2c_loss(logp, val, ent, ret):
    adv = ret - val
    return -(logp * adv.detach()).mean() + 0.5 * adv.square().mean() - 0.01 * ent.mean()


# --- driver ---
torch.manual_seed(0)
env = GridBandit(8)
pi = RecurrentPolicy(4, 3)
opt = torch.optim.RMSprop(pi.parameters(), lr=1e-3, alpha=0.99)
mem, obs = Memory(8, pi.dim), env.observe()
for it in range(3):
    obs, (lp, v, e, r, d) = unroll(pi, env, mem, obs, 10)
    loss = a2c_loss(lp, v, e, discounted(r, d, v[-1].detach()))
    opt.zero_grad()
    loss.backward()
    opt.step()
    mem.truncate()
    print(it, loss.item(), r.mean().item())
