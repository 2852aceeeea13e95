"""Recurrent policy gradient with learned baseline on a memory task."""
from collections import namedtuple
import torch
import torch.nn as nn
import torch.nn.functional as F

Traj = namedtuple('Traj', 'logp value reward entropy')


class CueEnv:
    """Remember the first cue, answer at the end."""

    def __init__(self, n, length):
        self.n, self.length = n, length

    def episodes(self):
        self.cue = torch.randint(0, 2, (self.n,))
        for t in range(self.length):
            obs = torch.zeros(self.n, 3)
            if t == 0:
                obs.scatter_(1, self.cue[:, None], 1.0)
            if t == self.length - 1:
                obs[:, 2] = 1.0
            yield t, obs

    def reward(self, t, a):
        if t < self.length - 1:
            return torch.zeros(self.n)
        return (a == self.cue).float()


class Agent(nn.Module):
    def __init__(self, hid=12):
        super().__init__()
        self.hid = hid
        self.core = nn.LSTMCell(3, hid)
        self.pi = nn.Linear(hid, 2)
        self.v = nn.Linear(hid, 1)

    def forward(self, obs, state):
        h, c = self.core(obs, state)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), (h, c)


def play(agent, env):
    state = (torch.zeros(env.n, agent.hid), torch.zeros(env.n, agent.hid))
    rows = []
    for t, obs in env.episodes():
        dist, v, state = agent(obs, state)
        a = dist.sample()
        rows.append((dist.log_prob(a), v, env.reward(t, a), dist.entropy()))
    return Traj(*(torch.stack(c) for c in zip(*rows)))


def discount(r, gamma):
    out = r.clone()
    for t in range(len(r) - 2, -1, -1):
        out[t] += gamma * out[t + 1]
    return out


def pg_loss(traj, gamma=0.95, c_v=0.5, c_e=0.01):
    ret = discount(traj.reward, gamma)
    adv = ret - traj.value
    v_loss = adv.pow(2).mean()
    with torch.no_grad():
        mean, std = adv.mean(), adv.std()
    adv = adv.sub_(mean)  # BUG
    adv = adv / (std + 1e-8)
    p_loss = -(traj.logp * adv.detach()).mean()
    return p_loss + c_v * v_loss - c_e * traj.entropy.mean()


def learn(updates, n=8, length=4):
    agent, env = Agent(), CueEnv(n, length)
    opt = torch.optim.RMSprop(agent.parameters(), lr=1e-3)
    for _ in range(updates):
        loss = pg_loss(play(agent, env))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(agent.parameters(), 1.0)
        opt.step()
    return agent


# --- driver ---
torch.manual_seed(0)
learn(1)
