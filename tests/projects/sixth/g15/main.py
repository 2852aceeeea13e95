import torch

from sac import SAC


def batch(n):
    s = torch.randn(n, 4)
    a = torch.rand(n, 2).mul_(2).sub_(1)
    s2 = s.clone()
    s2[:, :2] += 0.1 * a
    r = -s2[:, :2].abs().sum(1, keepdim=True)
    d = (torch.rand(n, 1) < 0.05).float()
    return s, a, r, s2, d


if __name__ == "__main__":
    torch.manual_seed(15)
    torch.set_num_threads(1)
    agent = SAC(4, 2)
    for i in range(15):
        out = agent.update(*batch(32))
        if i % 5 == 0:
            print(i, ["%.4f" % o for o in out])
