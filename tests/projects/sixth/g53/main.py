import contextlib
import copy
import math

import torch
import torch.nn as nn

from diffusion import Diffusion


class Eps(nn.Module):
    def __init__(self, d, h=32):
        super().__init__()
        self.t = nn.Linear(8, h)
        self.i, self.m, self.o = nn.Linear(d, h), nn.Linear(h, h), nn.Linear(h, d)
        self.act = nn.SiLU()
        self.register_buffer("freq", torch.exp(-math.log(50.0) * torch.arange(4) / 4))

    def forward(self, x, t):
        arg = t[:, None].float() * self.freq
        emb = torch.cat([arg.sin(), arg.cos_()], 1)
        h = self.i(x)
        h += self.t(emb)
        h = self.act(h)
        h = self.act(self.m(h))
        return self.o(h)


class EMA:
    def __init__(self, model, decay):
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.decay = decay

    def update(self, model):
        for k, v in model.state_dict().items():
            if v.is_floating_point():
                self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)

    @contextlib.contextmanager
    def applied(self, model):
        keep = copy.deepcopy(model.state_dict())
        model.load_state_dict(self.shadow)
        yield model
        model.load_state_dict(keep)


if __name__ == "__main__":
    torch.manual_seed(53)
    torch.set_num_threads(1)
    diff = Diffusion(Eps(2))
    ema = EMA(diff.model, 0.9)
    opt = torch.optim.AdamW(diff.model.parameters(), 3e-3)
    for it in range(12):
        x0 = torch.randn(64, 2) * 0.1
        x0[:32] += 1
        x0[32:] -= 1
        loss = diff.loss(x0)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(diff.model)
        if it % 4 == 3:
            with ema.applied(diff.model):
                s = diff.sample(32, 2)
            print(it, round(loss.item(), 4), round(s.abs().mean().item(), 4))
