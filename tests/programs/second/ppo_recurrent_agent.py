"""PPO with an LSTM policy; rollouts are written into preallocated storage."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RolloutStorage:
    def __init__(self, steps, envs, obs_dim, hidden):
        self.obs = torch.zeros(steps + 1, envs, obs_dim)
        self.act = torch.zeros(steps, envs, dtype=torch.long)
        self.rew = torch.zeros(steps, envs)
        self.mask = torch.ones(steps + 1, envs)
        self.logp = torch.zeros(steps, envs)
        self.val = torch.zeros(steps + 1, envs)
        self.h0 = torch.zeros(2, envs, hidden)
        self.steps = steps

    def insert(self, t, obs, act, logp, val, rew, done):
        self.obs[t + 1].copy_(obs)
        self.act[t].copy_(act)
        self.logp[t].copy_(logp)
        self.val[t].copy_(val)
        self.rew[t].copy_(rew)
        self.mask[t + 1].copy_(1 - done)

    def gae(self, last_val, gamma=0.99, lam=0.95):
        self.val[-1] = last_val
        adv = torch.zeros_like(self.rew)
        running = torch.zeros(self.rew.size(1))
        for t in reversed(range(self.steps)):
            delta = self.rew[t] + gamma * self.val[t + 1] * self.mask[t + 1] - self.val[t]
            running = delta + gamma * lam * self.mask[t + 1] * running
            adv[t] = running
        ret = adv + self.val[:-1]
        adv.sub_(adv.mean()).div_(adv.std() + 1e-8)
        return adv, ret


class RecurrentPolicy(nn.Module):
    def __init__(self, obs_dim, n_act, hidden=16):
        super().__init__()
        self.enc = nn.Linear(obs_dim, hidden)
        self.cell = nn.LSTMCell(hidden, hidden)
        self.pi, self.v = nn.Linear(hidden, n_act), nn.Linear(hidden, 1)
        self.hidden = hidden

    def step(self, obs, state, mask):
        h, c = state
        h, c = h * mask[:, None], c * mask[:, None]
        h, c = self.cell(F.relu(self.enc(obs), inplace=True), (h, c))
        return self.pi(h), self.v(h).squeeze(-1), (h, c)

    def unroll(self, obs, state, masks):
        logits, values = [], []
        for o, m in zip(obs, masks):
            l, v, state = self.step(o, state, m)
            logits.append(l)
            values.append(v)
        return torch.stack(logits), torch.stack(values)


class RandomEnvs:
    def __init__(self, n, obs_dim):
        self.n, self.obs_dim = n, obs_dim

    def reset(self):
        return torch.randn(self.n, self.obs_dim)

    def step(self, act):
        rew = (act == 0).float().sub_(0.1)
        return torch.randn(self.n, self.obs_dim), rew, (torch.rand(self.n) < 0.2).float()


class PPO:
    def __init__(self, policy, clip=0.2, epochs=2, ent=0.01, lr=3e-4):
        self.policy, self.clip, self.epochs, self.ent = policy, clip, epochs, ent
        self.opt = torch.optim.Adam(policy.parameters(), lr=lr)

    @torch.no_grad()
    def collect(self, envs, store):
        obs = envs.reset()
        store.obs[0].copy_(obs)
        state = (store.h0[0].clone(), store.h0[1].clone())
        for t in range(store.steps):
            logits, val, state = self.policy.step(obs, state, store.mask[t])
            dist = torch.distributions.Categorical(logits=logits)
            act = dist.sample()
            obs, rew, done = envs.step(act)
            store.insert(t, obs, act, dist.log_prob(act), val, rew, done)
        _, last, _ = self.policy.step(obs, state, store.mask[-1])
        return last

    def update(self, store, last_val):
        adv, ret = store.gae(last_val)
        for _ in range(self.epochs):
            logits, val = self.policy.unroll(store.obs[:-1], (store.h0[0], store.h0[1]), store.mask[:-1])
            dist = torch.distributions.Categorical(logits=logits)
            ratio = (dist.log_prob(store.act) - store.logp).exp()
            surr = torch.min(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv)
            loss = -surr.mean() + 0.5 * F.mse_loss(val, ret) - self.ent * dist.entropy().mean()
            self.opt.zero_grad()
            loss.backward()
            for p in self.policy.parameters():
                p.grad.clamp_(-0.5, 0.5)
            self.opt.step()


# --- driver ---
torch.manual_seed(0)
policy, envs = RecurrentPolicy(4, 3), RandomEnvs(5, 4)
agent = PPO(policy)
store = RolloutStorage(6, 5, 4, policy.hidden)
for _ in range(2):
    agent.update(store, agent.collect(envs, store))
