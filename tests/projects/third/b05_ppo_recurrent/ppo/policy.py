import torch
import torch.nn as nn
from torch.distributions import Categorical


class RecurrentActorCritic(nn.Module):
    def __init__(self, obs_dim: int, n_actions: int, hidden: int = 32):
        super().__init__()
        self.hidden_size = hidden
        self.encoder = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(inplace=True))
        self.rnn = nn.GRUCell(hidden, hidden)
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)

    def initial_state(self, n):
        return torch.zeros(n, self.hidden_size)

    def step(self, obs, h, done=None):
        if done is not None:
            h = h * (1.0 - done).unsqueeze(-1)
        h = self.rnn(self.encoder(obs), h)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), h

    def evaluate(self, obs, actions, dones, h):
        logp, values, ent = [], [], []
        for t in range(obs.size(0)):
            dist, v, h = self.step(obs[t], h, dones[t])
            logp.append(dist.log_prob(actions[t]))
            values.append(v)
            ent.append(dist.entropy())
        return torch.stack(logp), torch.stack(values), torch.stack(ent)
