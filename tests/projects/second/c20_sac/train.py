import torch
from sac import SAC


def main():
    ag, out = SAC(3, 2), []
    for _ in range(2):
        out += ag.update(torch.randn(5, 3), torch.rand(5, 2), torch.randn(5), torch.randn(5, 3))
        out += [p.grad.clone() for p in ag.actor.parameters()]
    return out


if __name__ == "__main__":
    main()
