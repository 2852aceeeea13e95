import torch
import torch.nn as nn
from torch.distributions import Categorical


class GridEnv:
    def __init__(self, n, size=4):
        self.n, self.size = n, size
        self.pos = torch.zeros(n, 2, dtype=torch.long)
        self.moves = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])

    def observe(self):
        obs = torch.zeros(self.n, self.size, self.size)
        obs[torch.arange(self.n), self.pos[:, 0], self.pos[:, 1]] = 1.0
        return obs.flatten(1)

    def step(self, a):
        self.pos += self.moves[a]
        self.pos.clamp_(0, self.size - 1)
        done = (self.pos == self.size - 1).all(1)
        reward = done.float() - 0.01
        self.pos[done] = 0
        return self.observe(), reward, done.float()


class RolloutStorage:
    def __init__(self, T, n, obs_dim):
        self.obs = torch.zeros(T + 1, n, obs_dim)
        self.actions = torch.zeros(T, n, dtype=torch.long)
        self.logp, self.rewards, self.masks = (torch.zeros(T, n) for _ in range(3))
        self.values, self.returns = torch.zeros(T + 1, n), torch.zeros(T, n)
        self.T = T

    def insert(self, t, obs, action, logp, value, reward, done):
        self.obs[t + 1].copy_(obs)
        self.actions[t].copy_(action)
        self.logp[t] = logp
        self.values[t] = value
        self.rewards[t] = reward
        self.masks[t] = 1 - done

    def compute_gae(self, last_value, gamma=0.99, lam=0.95):
        self.values[-1] = last_value
        gae = torch.zeros_like(last_value)
        for t in reversed(range(self.T)):
            delta = self.rewards[t] + gamma * self.values[t + 1] * self.masks[t] - self.values[t]
            gae.mul_(gamma * lam * self.masks[t]).add_(delta)
            self.returns[t] = gae + self.values[t]

    def minibatches(self, n):
        adv = (self.returns - self.values[:-1]).flatten()
        adv.sub_(adv.mean()).div_(adv.std().add_(1e-5))
        for idx in torch.randperm(adv.numel()).chunk(n):
            yield self.obs[:-1].flatten(0, 1)[idx], self.actions.flatten()[idx], self.logp.flatten()[idx], self.returns.flatten()[idx], adv[idx]

    def after_update(self):
        self.obs[0].copy_(self.obs[-1])


class Policy(nn.Module):
    def __init__(self, obs_dim, n_act, dim=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim), nn.ReLU(inplace=True))
        self.actor, self.critic = nn.Linear(dim, n_act), nn.Linear(dim, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


class PPO:
    def __init__(self, policy, clip=0.2, epochs=1, lr=3e-4):
        self.policy, self.clip, self.epochs = policy, clip, epochs
        self.opt = torch.optim.Adam(policy.parameters(), lr=lr, eps=1e-5)

    @torch.no_grad()
    def collect(self, env, store):
        for t in range(store.T):
            dist, v = self.policy(store.obs[t])
            a = dist.sample()
            store.insert(t, *(lambda o, r, d: (o, a, dist.log_prob(a), v, r, d))(*env.step(a)))
        store.compute_gae(self.policy(store.obs[-1])[1])

    def update(self, store):
        for _ in range(self.epochs):
            for obs, act, old, ret, adv in store.minibatches(2):
                dist, v = self.policy(obs)
                ratio = (dist.log_prob(act) - old).exp()
                pg = -torch.min(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv).mean()
                loss = pg + 0.5 * (v - ret).pow(2).mean() - 0.01 * dist.entropy().mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
                self.opt.step()
        store.after_update()


# --- driver ---
torch.manual_seed(0)
env, store = GridEnv(3), RolloutStorage(6, 3, 16)
store.obs[0].copy_(env.observe())
algo = PPO(Policy(16, 4))
algo.collect(env, store)
algo.update(store)
