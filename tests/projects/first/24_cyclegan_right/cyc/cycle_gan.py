import itertools

import torch
import torch.nn.functional as F

from .base_model import BaseModel
from .networks import PatchD, ResnetGenerator, init_weights
from .pool import ImagePool


class CycleGAN(BaseModel):
    def __init__(self):
        super().__init__()
        self.loss_names = ["G", "D_A", "D_B"]
        self.netG_A, self.netG_B = init_weights(ResnetGenerator()), init_weights(ResnetGenerator())
        self.netD_A, self.netD_B = init_weights(PatchD()), init_weights(PatchD())
        self.fake_A_pool, self.fake_B_pool = ImagePool(4), ImagePool(4)
        self.optimizer_G = torch.optim.Adam(
            itertools.chain(self.netG_A.parameters(), self.netG_B.parameters()), lr=2e-4)
        self.optimizer_D = torch.optim.Adam(
            itertools.chain(self.netD_A.parameters(), self.netD_B.parameters()), lr=2e-4)

    def forward(self):
        self.fake_B = self.netG_A(self.real_A)
        self.rec_A = self.netG_B(self.fake_B)
        self.fake_A = self.netG_B(self.real_B)
        self.rec_B = self.netG_A(self.fake_A)

    def gan(self, pred, real):
        return F.mse_loss(pred, torch.full_like(pred, float(real)))

    def backward_D_basic(self, net, real, fake):
        loss = 0.5 * (self.gan(net(real), True) + self.gan(net(fake.detach()), False))
        loss.backward()
        return loss

    def backward_G(self):
        cyc = (self.rec_A - self.real_A).abs().mean() + (self.rec_B - self.real_B).abs().mean()
        self.loss_G = self.gan(self.netD_A(self.fake_B), True) + self.gan(self.netD_B(self.fake_A), True) + 10 * cyc
        self.loss_G.backward()

    def optimize_parameters(self, a, b):
        self.real_A, self.real_B = a, b
        self.forward()
        self.set_requires_grad([self.netD_A, self.netD_B], False)
        self.optimizer_G.zero_grad()
        self.backward_G()
        self.optimizer_G.step()
        self.set_requires_grad([self.netD_A, self.netD_B], True)
        self.optimizer_D.zero_grad()
        self.loss_D_A = self.backward_D_basic(self.netD_A, b, self.fake_B_pool.query(self.fake_B))
        self.loss_D_B = self.backward_D_basic(self.netD_B, a, self.fake_A_pool.query(self.fake_A))
        self.optimizer_D.step()
