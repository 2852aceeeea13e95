import argparse

import torch

from rl import build_agent
from rl.buffer import ReplayBuffer


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--agent", default="sac")
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--batch", type=int, default=16)
    return p.parse_args()


def main():
    args = get_args()
    torch.manual_seed(0)
    agent = build_agent(args.agent, obs_dim=5, act_dim=2)
    buf = ReplayBuffer(64, 5, 2)
    o = torch.randn(5)
    for _ in range(40):
        with torch.no_grad():
            a, _ = agent.actor(o)
        o2 = o + 0.1 * torch.randn(5)
        buf.push(o, a, -o.norm().item(), o2, 0.0)
        o = o2
    for s in range(args.steps):
        print(s, agent.update(buf.sample(args.batch)))


if __name__ == "__main__":
    main()
