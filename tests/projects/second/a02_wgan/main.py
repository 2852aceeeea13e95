import argparse

import torch

from nets import Critic, Generator
from trainer import WGANTrainer


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--z-dim", type=int, default=8)
    p.add_argument("--x-dim", type=int, default=2)
    p.add_argument("--steps", type=int, default=2)
    return p.parse_args()


def main():
    args = parse_args()
    trainer = WGANTrainer(Generator(args.z_dim, args.x_dim), Critic(args.x_dim))
    for _ in range(args.steps):
        print(*trainer.train_step(torch.randn(16, args.x_dim)))


if __name__ == "__main__":
    main()
