import random
import torch
import torch.nn as nn
from sampler import Sampler

random.seed(0)
torch.manual_seed(0)


class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


class EBM(nn.Module):
    def __init__(self, d=2, h=32, alpha=0.1):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, h), Swish(), nn.Linear(h, h), Swish(), nn.Linear(h, 1))
        self.sampler = Sampler(self.net, (d,))
        self.alpha = alpha

    def training_step(self, real):
        fake = self.sampler.sample_new_exmps(real.size(0))
        out_r, out_f = self.net(torch.cat([real, fake])).squeeze(-1).chunk(2)
        reg = self.alpha * (out_r ** 2 + out_f ** 2).mean()
        cdiv = out_f.mean() - out_r.mean()
        return reg + cdiv


ebm = EBM()
opt = torch.optim.Adam(ebm.net.parameters(), lr=1e-3, betas=(0.0, 0.999))
for step in range(8):
    real = 0.5 + 0.1 * torch.randn(32, 2)
    loss = ebm.training_step(real)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
