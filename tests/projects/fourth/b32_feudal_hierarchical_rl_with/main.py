import argparse

import torch

from hrl.agents import FeudalAgent
from hrl.env import Corridor
from hrl.train import Session


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--period", type=int, default=4, help="manager decision period, in worker updates")
    p.add_argument("--chunk", type=int, default=3, help="env steps per worker update")
    p.add_argument("--updates", type=int, default=12)
    p.add_argument("--width", type=int, default=16)
    args = p.parse_args([])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    env = Corridor()
    agent = FeudalAgent.create(env.obs_dim, env.n_actions, args)
    session = Session(env, agent, args)
    for i, log in enumerate(session):
        if i % 4 == 0:
            print(i, {k: round(v, 3) for k, v in log.items()})


if __name__ == "__main__":
    main()
