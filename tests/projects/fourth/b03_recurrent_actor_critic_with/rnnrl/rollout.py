from collections import defaultdict

import torch

from .state import Carry


class RolloutWorker:
    def __init__(self, env, policy, cfg):
        self.env, self.policy, self.cfg = env, policy, cfg
        self.obs = env.reset()
        self.carry = Carry.zeros(cfg.n_envs, cfg.hidden)

    def collect(self):
        traj = defaultdict(list)
        for t in range(self.cfg.window):
            action, step, carry = self.policy(self.obs, self.carry)
            self.obs, reward, done = self.env.step(action)
            for k, v in step.items():
                traj[k].append(v)
            traj["reward"].append(reward)
            traj["done"].append(done.float())
            # one-step truncation: gradients stop at the env boundary
            self.carry = carry.detach().reset_where(done)
        with torch.no_grad():
            _, last, _ = self.policy(self.obs, self.carry)
        traj["bootstrap"] = last["value"]
        return traj
