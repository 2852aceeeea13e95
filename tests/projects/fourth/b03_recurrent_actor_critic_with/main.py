import torch

from rnnrl.config import Config
from rnnrl.envs import VecChain
from rnnrl.learner import Learner
from rnnrl.policy import RecurrentPolicy
from rnnrl.rollout import RolloutWorker


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    cfg = Config(n_envs=4, window=6, hidden=12)
    env = VecChain(cfg.n_envs, cfg.obs_dim)
    policy = RecurrentPolicy(cfg)
    worker = RolloutWorker(env, policy, cfg)
    learner = Learner(policy, cfg)
    for it in range(cfg.iterations):
        traj = worker.collect()
        stats = learner.update(traj)
        if it % 4 == 0:
            print(it, stats)


if __name__ == "__main__":
    main()
