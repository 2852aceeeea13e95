import itertools

import torch
import torch.nn as nn

from .image_pool import ImagePool
from .networks import define_D, define_G


class CycleGANModel:
    def __init__(self, opt):
        self.opt = opt
        self.netG_A, self.netG_B = define_G(), define_G()
        self.netD_A, self.netD_B = define_D(), define_D()
        self.fake_A_pool = ImagePool(opt.pool_size)
        self.fake_B_pool = ImagePool(opt.pool_size)
        self.criterionGAN = nn.MSELoss()
        self.criterionCycle = nn.L1Loss()
        self.optimizer_G = torch.optim.Adam(
            itertools.chain(self.netG_A.parameters(), self.netG_B.parameters()), lr=opt.lr, betas=(0.5, 0.999))
        self.optimizer_D = torch.optim.Adam(
            itertools.chain(self.netD_A.parameters(), self.netD_B.parameters()), lr=opt.lr, betas=(0.5, 0.999))

    def set_requires_grad(self, nets, flag):
        for net in nets:
            for p in net.parameters():
                p.requires_grad_(flag)

    def gan_loss(self, pred, is_real):
        target = torch.empty_like(pred).fill_(1.0 if is_real else 0.0)
        return self.criterionGAN(pred, target)

    def forward(self, real_A, real_B):
        self.real_A, self.real_B = real_A, real_B
        self.fake_B = self.netG_A(real_A)
        self.rec_A = self.netG_B(self.fake_B)
        self.fake_A = self.netG_B(real_B)
        self.rec_B = self.netG_A(self.fake_A)

    def backward_G(self):
        lam = self.opt.lambda_cyc
        loss = self.gan_loss(self.netD_A(self.fake_B), True) + self.gan_loss(self.netD_B(self.fake_A), True)
        loss += lam * self.criterionCycle(self.rec_A, self.real_A)
        loss += lam * self.criterionCycle(self.rec_B, self.real_B)
        loss.backward(retain_graph=True)
        self.loss_G = loss.item()

    def backward_D_basic(self, netD, real, fake):
        loss_D = 0.5 * (self.gan_loss(netD(real), True) + self.gan_loss(netD(fake), False))
        loss_D.backward()
        return loss_D.item()

    def optimize_parameters(self, real_A, real_B):
        self.forward(real_A, real_B)
        self.set_requires_grad([self.netD_A, self.netD_B], False)
        self.optimizer_G.zero_grad()
        self.backward_G()
        self.optimizer_G.step()  # BUG

        self.set_requires_grad([self.netD_A, self.netD_B], True)
        self.optimizer_D.zero_grad()
        self.loss_D_A = self.backward_D_basic(self.netD_A, self.real_B, self.fake_B_pool.query(self.fake_B))
        self.loss_D_B = self.backward_D_basic(self.netD_B, self.real_A, self.fake_A_pool.query(self.fake_A))
        self.optimizer_D.step()
