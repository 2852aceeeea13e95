import torch

from sn.solver import Solver


def main():
    torch.manual_seed(0)
    s = Solver()
    for i in range(2):
        print(s.d_step(torch.rand(4, 1, 8, 8)), s.g_step(4))


if __name__ == "__main__":
    main()
