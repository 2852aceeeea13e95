import random

import torch


class Replay:
    def __init__(self, capacity, obs_dim, act_dim):
        self.capacity, self.size, self.ptr = capacity, 0, 0
        self.data = {
            "obs": torch.zeros(capacity, obs_dim),
            "act": torch.zeros(capacity, act_dim),
            "rew": torch.zeros(capacity),
            "next_obs": torch.zeros(capacity, obs_dim),
            "done": torch.zeros(capacity),
        }

    def push(self, **kw):
        for k, v in kw.items():
            self.data[k][self.ptr] = v
        self.ptr = (self.ptr + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n):
        idx = torch.tensor([random.randrange(self.size) for _ in range(n)])
        return {k: v[idx] for k, v in self.data.items()}


class Runner:
    def __init__(self, env, agent, args):
        random.seed(args.seed)
        self.env, self.agent, self.args = env, agent, args
        self.replay = Replay(256, env.obs_dim, env.act_dim)
        self.returns = []

    def run(self):
        obs, total = self.env.reset(), 0.0
        for step in range(self.args.steps):
            act = self.agent.act(obs)
            nxt, rew, done = self.env.step(act)
            self.replay.push(obs=obs, act=act, rew=rew, next_obs=nxt, done=float(done))
            total += rew
            obs = nxt
            if done:
                self.returns.append(total)
                obs, total = self.env.reset(), 0.0
            if self.replay.size >= self.args.batch_size:
                stats = self.agent.learn(self.replay.sample(self.args.batch_size))
                if step % 20 == 0:
                    print(step, {k: round(v, 4) for k, v in stats.items()})

    def mean_return(self):
        return sum(self.returns) / max(1, len(self.returns))
