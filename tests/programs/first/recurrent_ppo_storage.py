"""Recurrent PPO with preallocated rollout storage and minibatch updates."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


class RolloutStorage:
    def __init__(self, T, N, obs_dim, hidden):
        self.obs = torch.zeros(T + 1, N, obs_dim)
        self.hxs = torch.zeros(T + 1, N, hidden)
        self.actions = torch.zeros(T, N, dtype=torch.long)
        self.logp, self.values = torch.zeros(T, N), torch.zeros(T + 1, N)
        self.rewards, self.masks = torch.zeros(T, N), torch.ones(T + 1, N)
        self.returns, self.adv = torch.zeros(T, N), torch.zeros(T, N)
        self.T, self.t = T, 0

    def insert(self, obs, hxs, action, logp, value, reward, mask):
        t = self.t
        self.obs[t + 1].copy_(obs)
        self.hxs[t + 1].copy_(hxs)
        self.actions[t], self.logp[t] = action, logp
        self.values[t], self.rewards[t] = value, reward
        self.masks[t + 1] = mask
        self.t = (t + 1) % self.T

    def after_update(self):
        for buf in (self.obs, self.hxs, self.masks):
            buf[0].copy_(buf[-1])

    def compute_gae(self, gamma=0.99, lam=0.95):
        gae = torch.zeros_like(self.rewards[0])
        for t in reversed(range(self.T)):
            delta = self.rewards[t] + gamma * self.values[t + 1] * self.masks[t + 1] - self.values[t]
            gae = delta + gamma * lam * self.masks[t + 1] * gae
            self.adv[t] = gae
        self.returns.copy_(self.adv + self.values[:-1])
        self.adv.sub_(self.adv.mean()).div_(self.adv.std() + 1e-5)


class GRUPolicy(nn.Module):
    def __init__(self, obs_dim, n_act, hidden=16):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(inplace=True))
        self.gru = nn.GRUCell(hidden, hidden)
        self.pi, self.v = nn.Linear(hidden, n_act), nn.Linear(hidden, 1)

    def step(self, obs, hxs, mask):
        h = self.gru(self.base(obs), hxs * mask.unsqueeze(1))
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(1), h

    def evaluate(self, obs, h, masks, actions):
        logps, values, ents = [], [], []
        for t in range(obs.size(0)):
            dist, v, h = self.step(obs[t], h, masks[t])
            logps.append(dist.log_prob(actions[t]))
            ents.append(dist.entropy())
            values.append(v)
        return torch.stack(logps), torch.stack(values), torch.stack(ents)


class PPO:
    def __init__(self, policy, clip=0.2, epochs=2, lr=3e-4):
        self.policy, self.clip, self.epochs = policy, clip, epochs
        self.opt = torch.optim.Adam(policy.parameters(), lr=lr)

    def update(self, st):
        N = st.rewards.size(1)
        for _ in range(self.epochs):
            for idx in torch.randperm(N).chunk(2):
                logp, values, ent = self.policy.evaluate(st.obs[:-1, idx], st.hxs[0, idx], st.masks[:-1, idx],
                                                         st.actions[:, idx])
                ratio = (logp - st.logp[:, idx]).exp()
                a = st.adv[:, idx]
                surr = torch.min(ratio * a, ratio.clamp(1 - self.clip, 1 + self.clip) * a)
                loss = -surr.mean() + 0.5 * F.mse_loss(values, st.returns[:, idx]) - 0.01 * ent.mean()
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
        return loss.item()


@torch.no_grad()
def collect(policy, st):
    for t in range(st.T):
        dist, v, h = policy.step(st.obs[t], st.hxs[t], st.masks[t])
        a = dist.sample()
        st.insert(torch.randn_like(st.obs[t]), h, a, dist.log_prob(a), v, torch.randn(len(a)), (torch.rand(len(a)) > 0.1).float())
    st.values[-1] = policy.step(st.obs[-1], st.hxs[-1], st.masks[-1])[1]
    st.compute_gae()


# --- driver ---
policy = GRUPolicy(5, 3)
storage, ppo = RolloutStorage(4, 4, 5, 16), PPO(policy)
for _ in range(2):
    collect(policy, storage)
    print(ppo.update(storage))
    storage.after_update()
