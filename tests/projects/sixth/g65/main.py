import itertools
import random

import torch
import torch.nn as nn

from pool import ImagePool


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(c, c, 3, padding=1), nn.InstanceNorm2d(c), nn.ReLU(True),
            nn.Conv2d(c, c, 3, padding=1), nn.InstanceNorm2d(c))

    def forward(self, x):
        out = self.block(x)
        out += x
        return out


def define_G(c=6):
    return nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.InstanceNorm2d(c), nn.ReLU(True),
                         ResBlock(c), nn.Conv2d(c, 1, 3, padding=1), nn.Tanh())


def define_D(c=6):
    return nn.Sequential(nn.Conv2d(1, c, 4, 2, 1), nn.LeakyReLU(0.2, True),
                         nn.Conv2d(c, 2 * c, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Conv2d(2 * c, 1, 1))


class GANLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("real", torch.tensor(1.0))
        self.register_buffer("fake", torch.tensor(0.0))
        self.loss = nn.MSELoss()

    def forward(self, pred, is_real):
        return self.loss(pred, (self.real if is_real else self.fake).expand_as(pred))


class CycleGAN:
    def __init__(self):
        self.G_A, self.G_B, self.D_A, self.D_B = define_G(), define_G(), define_D(), define_D()
        self.pool_A, self.pool_B = ImagePool(6), ImagePool(6)
        self.crit, self.l1 = GANLoss(), nn.L1Loss()
        self.opt_G = torch.optim.Adam(itertools.chain(self.G_A.parameters(), self.G_B.parameters()), 2e-3, (0.5, 0.999))
        self.opt_D = torch.optim.Adam(itertools.chain(self.D_A.parameters(), self.D_B.parameters()), 2e-3, (0.5, 0.999))

    def set_requires_grad(self, nets, flag):
        for net in nets:
            for p in net.parameters():
                p.requires_grad = flag

    def backward_D(self, D, real, fake):
        loss = (self.crit(D(real), True) + self.crit(D(fake.detach()), False)) * 0.5
        loss.backward()
        return loss

    def optimize(self, A, B):
        fake_B = self.G_A(A)
        rec_A = self.G_B(fake_B)
        fake_A = self.G_B(B)
        rec_B = self.G_A(fake_A)
        self.set_requires_grad([self.D_A, self.D_B], False)
        self.opt_G.zero_grad()
        loss = self.crit(self.D_A(fake_B), True) + self.crit(self.D_B(fake_A), True)
        loss += self.l1(rec_A, A) * 10
        loss += self.l1(rec_B, B) * 10
        loss.backward()
        self.opt_G.step()
        self.set_requires_grad([self.D_A, self.D_B], True)
        self.opt_D.zero_grad()
        ld = self.backward_D(self.D_A, B, self.pool_B.query(fake_B))
        ld = ld + self.backward_D(self.D_B, A, self.pool_A.query(fake_A))
        self.opt_D.step()
        return loss.item(), ld.item()


if __name__ == "__main__":
    random.seed(65)
    torch.manual_seed(65)
    torch.set_num_threads(1)
    model = CycleGAN()
    for it in range(5):
        A = torch.rand(4, 1, 8, 8).mul_(2).sub_(1)
        B = A.flip(0).neg_()
        B[..., ::2].mul_(0.5)
        print(it, *(round(v, 4) for v in model.optimize(A, B)))
