import torch

from .storage import RolloutStorage


class Runner:
    def __init__(self, env, policy, horizon=8, lr=1e-2):
        self.env, self.policy = env, policy
        self.storage = RolloutStorage(horizon, env.dim)
        self.opt = torch.optim.RMSprop(policy.parameters(), lr=lr)
        self.horizon = horizon
        self.cur = env.reset()

    def collect(self, steps):
        for _ in range(steps):
            a = self.policy.act(self.cur)
            nxt, r = self.env.step(a)
            self.storage.insert(self.cur, a, r)
            self.cur = nxt

    def compute_loss(self):
        obs, act, rew = self.storage.recent(self.horizon)
        logp, v, ent = self.policy.evaluate(obs, act)
        adv = rew - v.detach()
        return -(logp * adv).mean() + 0.5 * (rew - v).pow(2).mean() - 0.01 * ent.mean()

    def train(self, iters):
        self.collect(self.horizon)
        for it in range(iters):
            loss = self.compute_loss()
            # overlap: get the next transitions while the loss is "in flight"
            self.collect(2)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            print(it, loss.item())
