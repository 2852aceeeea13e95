import copy

import torch


class EMA:
    def __init__(self, net, beta=0.99):
        self.net, self.beta = copy.deepcopy(net).requires_grad_(False), beta

    def update(self, src):
        with torch.no_grad():
            torch._foreach_lerp_(list(self.net.parameters()), list(src.parameters()), 1 - self.beta)


class TrainLoop:
    def __init__(self, net, diff, lr=1e-3):
        self.net, self.diff, self.ema = net, diff, EMA(net)
        self.opt = torch.optim.AdamW(net.parameters(), lr)
        for p in net.parameters():
            p.register_hook(lambda g: g.clamp(-1, 1))

    def run_step(self, x):
        self.opt.zero_grad()
        loss = self.diff.losses(self.net, x)
        loss.backward()
        self.opt.step()
        self.ema.update(self.net)
        return loss.item()
