"""Recurrent actor-critic with generalised advantage estimation."""
import torch
from torch import nn
from torch.distributions import Categorical


class MemoryEnv:
    """The agent must repeat the cue that was shown k steps earlier."""

    def __init__(self, n, cues=3, lag=2):
        self.n, self.cues, self.lag = n, cues, lag

    def reset(self):
        self.history = torch.randint(0, self.cues, (self.n, self.lag + 1))
        return self.observe()

    def observe(self):
        return nn.functional.one_hot(self.history[:, -1], self.cues).float()

    def step(self, action):
        reward = (action == self.history[:, 0]).float()
        self.history[:, :-1] = self.history[:, 1:].clone()
        self.history[:, -1] = torch.randint(0, self.cues, (self.n,))
        done = torch.rand(self.n) < 0.1
        return self.observe(), reward, done


class RecurrentAgent(nn.Module):
    def __init__(self, obs, act, dim=24):
        super().__init__()
        self.dim = dim
        self.cell = nn.LSTMCell(obs, dim)
        self.pi, self.v = nn.Linear(dim, act), nn.Linear(dim, 1)

    def initial(self, n):
        return torch.zeros(n, self.dim), torch.zeros(n, self.dim)

    def forward(self, obs, state, done):
        keep = (~done).float()[:, None]
        state = tuple(s * keep for s in state)
        state = self.cell(obs, state)
        return Categorical(logits=self.pi(state[0])), self.v(state[0]).squeeze(-1), state


class Rollout:
    KEYS = ("obs", "act", "rew", "done")

    def __init__(self, horizon, n, obs):
        self.obs = torch.zeros(horizon, n, obs)
        self.act = torch.zeros(horizon, n, dtype=torch.long)
        self.rew = torch.zeros(horizon, n)
        self.done = torch.zeros(horizon, n, dtype=torch.bool)

    def store(self, t, **values):
        for k in self.KEYS:
            getattr(self, k)[t] = values[k]


def gae(rew, values, done, last, gamma=0.9, lam=0.9):
    adv = torch.zeros_like(rew)
    running = torch.zeros_like(last)
    nxt = last
    for t in reversed(range(len(rew))):
        live = (~done[t]).float()
        delta = rew[t] + gamma * nxt * live - values[t]
        running = delta + gamma * lam * live * running
        adv[t] = running
        nxt = values[t]
    return adv


class Runner:
    def __init__(self, env, agent, horizon=6):
        self.env, self.agent = env, agent
        self.roll = Rollout(horizon, env.n, env.cues)
        self.obs, self.state = env.reset(), agent.initial(env.n)
        self.done = torch.zeros(env.n, dtype=torch.bool)
        self.opt = torch.optim.Adam(agent.parameters(), lr=3e-3)

    @torch.no_grad()
    def collect(self):
        start = (self.state, self.done)
        for t in range(len(self.roll.rew)):
            dist, _, self.state = self.agent(self.obs, self.state, self.done)
            act = dist.sample()
            nxt, rew, done = self.env.step(act)
            self.roll.store(t, obs=self.obs, act=act, rew=rew, done=done)
            self.obs, self.done = nxt, done
        return start, self.agent(self.obs, self.state, self.done)[1]

    def replay(self, state, done):
        logps, values, ents = [], [], []
        for obs, act, after in zip(self.roll.obs, self.roll.act, self.roll.done):
            dist, v, state = self.agent(obs, state, done)
            logps.append(dist.log_prob(act))
            values.append(v)
            ents.append(dist.entropy())
            done = after
        return (torch.stack(x) for x in (logps, values, ents))

    def update(self):
        start, last = self.collect()
        logp, values, ent = self.replay(*start)
        adv = gae(self.roll.rew, values.detach(), self.roll.done, last)
        critic = (values - (adv + values.detach())).square().mean()
        adv -= adv.mean()
        adv /= adv.std() + 1e-6
        loss = -(logp * adv).mean() + 0.5 * critic - 0.01 * ent.mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.agent.parameters(), 0.5)
        self.opt.step()
        return loss.item(), self.roll.rew.mean().item()


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    runner = Runner(MemoryEnv(8), RecurrentAgent(3, 3))
    for it in range(3):
        print(it, runner.update())
