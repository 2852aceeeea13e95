import argparse

import torch

from adv.model import convnet
from adv.trainer import TradesTrainer


def parse():
    ap = argparse.ArgumentParser("TRADES")
    ap.add_argument("--attack", default="pgd")
    ap.add_argument("--beta", type=float, default=6.0)
    return ap.parse_args()


def main(args):
    torch.manual_seed(0)
    tr = TradesTrainer(convnet(4, 3), args.attack, args.beta)
    for _ in range(2):
        print(tr.step(torch.rand(4, 1, 8, 8), torch.randint(0, 3, (4,))))


if __name__ == "__main__":
    main(parse())
