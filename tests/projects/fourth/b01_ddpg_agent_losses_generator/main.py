import argparse

import torch

from agents import build_agent
from envs import PointEnv
from runner import Runner


def parse_args(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--agent", default="ddpg")
    p.add_argument("--steps", type=int, default=60)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--hidden", type=int, default=24)
    p.add_argument("--tau", type=float, default=0.05)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args(argv)


def main():
    args = parse_args([])
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    env = PointEnv(dim=3)
    agent = build_agent(args.agent, env.obs_dim, env.act_dim, args)
    runner = Runner(env, agent, args)
    runner.run()
    print("mean return", round(runner.mean_return(), 3))


if __name__ == "__main__":
    main()
