import math

import torch


def ring(n):
    t = torch.rand(n) * 2 * math.pi
    x = torch.stack([t.cos(), t.sin()], 1)
    x += 0.05 * torch.randn_like(x)
    return x


class EBMTrainer:
    def __init__(self, net, sampler, buf, iters, batch, lr, reg=0.1):
        self.net, self.sampler, self.buf = net, sampler, buf
        self.iters, self.batch, self.reg = iters, batch, reg
        self.opt = torch.optim.Adam(net.parameters(), lr=lr, betas=(0.0, 0.99))
        self.gap = torch.zeros(())

    def negatives(self):
        x = self.sampler.run(self.net, self.buf.draw(self.batch))
        self.buf.put(x)
        return x

    def run(self):
        for i in range(self.iters):
            neg = self.negatives()
            pos = ring(self.batch)
            ep, en = self.net(pos), self.net(neg)
            loss = ep.mean() - en.mean() + self.reg * (ep.pow(2) + en.pow(2)).mean()
            self.opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.opt.step()
            self.gap.mul_(0.9).add_((en - ep).detach().mean(), alpha=0.1)
            if i % 3 == 0:
                print(i, round(loss.item(), 4), round(self.gap.item(), 4))
