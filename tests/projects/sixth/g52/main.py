import random

import torch
import torch.nn as nn

from ebm import Energy, Sampler


def moons(n):
    t = torch.rand(n) * 3.1416
    x = torch.stack([t.cos_(), torch.rand(n) * 0.1], 1)
    x[::2, 0] -= 0.5
    x[1::2, 1].neg_()
    return x.clamp_(-1, 1)


def main():
    random.seed(52)
    torch.manual_seed(52)
    torch.set_num_threads(1)
    net = Energy(2)
    sampler = Sampler(net, 2)
    opt = torch.optim.Adam(net.parameters(), 1e-3, betas=(0.0, 0.999))
    sched = torch.optim.lr_scheduler.StepLR(opt, 4, 0.9)
    for it in range(8):
        real = moons(32)
        real += 0.01 * torch.randn_like(real)
        fake = sampler.sample(32)
        e = net(torch.cat([real, fake]))
        er, ef = e.chunk(2)
        reg = 0.1 * (er ** 2 + ef ** 2).mean()
        cd = er.mean() - ef.mean()
        loss = reg + cd
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        opt.step()
        sched.step()
        if it % 2 == 0:
            print(it, f"{loss.item():.5f} {cd.item():.5f}")


if __name__ == "__main__":
    main()
