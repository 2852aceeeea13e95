import argparse

import torch

from node import odeint
from node.dynamics import ODEFunc, Spiral

parser = argparse.ArgumentParser()
parser.add_argument("--method", type=str, choices=["euler", "midpoint"], default="midpoint")
parser.add_argument("--niters", type=int, default=2)
parser.add_argument("--data_size", type=int, default=20)
args = parser.parse_args()


def main():
    torch.manual_seed(0)
    t = torch.linspace(0.0, 1.0, args.data_size)
    y0 = torch.tensor([[2.0, 0.0]])
    with torch.no_grad():
        true_y = odeint(Spiral(), y0, t, method=args.method)
    func = ODEFunc(2)
    opt = torch.optim.RMSprop(func.parameters(), lr=1e-3)
    for it in range(args.niters):
        opt.zero_grad()
        pred = odeint(func, y0, t, method=args.method)
        loss = (pred - true_y).abs().mean()
        loss.backward()
        opt.step()
        print(it, loss.item())


if __name__ == "__main__":
    main()
