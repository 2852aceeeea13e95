"""Vanilla GAN, toy images."""
import argparse

import torch
import torch.nn as nn

from networks import Generator, Discriminator

torch.set_num_threads(1)


def get_opt():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_epochs", type=int, default=2)
    parser.add_argument("--batch_size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=2e-4)
    parser.add_argument("--b1", type=float, default=0.5)
    parser.add_argument("--latent_dim", type=int, default=16)
    return parser.parse_args()


class GANTrainer:
    def __init__(self, opt):
        self.opt = opt
        self.G = Generator(opt.latent_dim)
        self.D = Discriminator()
        self.optimizer_G = torch.optim.Adam(self.G.parameters(), lr=opt.lr, betas=(opt.b1, 0.999))
        self.optimizer_D = torch.optim.Adam(self.D.parameters(), lr=opt.lr, betas=(opt.b1, 0.999))
        self.adversarial_loss = nn.BCELoss()
        self.meters = torch.zeros(2)

    def set_input(self, imgs):
        # scale to [-1, 1]
        imgs.mul_(2).sub_(1)
        self.real = imgs
        self.valid = torch.ones(imgs.size(0), 1)
        self.fake = torch.zeros(imgs.size(0), 1)

    def forward(self):
        z = torch.randn(self.real.size(0), self.opt.latent_dim)
        self.gen = self.G(z)

    def compute_D_loss(self):
        real_loss = self.adversarial_loss(self.D(self.real), self.valid)
        fake_loss = self.adversarial_loss(self.D(self.gen.detach()), self.fake)
        return 0.5 * (real_loss + fake_loss)

    def compute_G_loss(self):
        return self.adversarial_loss(self.D(self.gen), self.valid)

    def optimize_parameters(self):
        self.forward()
        d_loss = self.compute_D_loss()
        g_loss = self.compute_G_loss()

        self.optimizer_D.zero_grad()
        d_loss.backward()
        self.optimizer_D.step()  # BUG

        self.optimizer_G.zero_grad()
        g_loss.backward()
        self.optimizer_G.step()
        self.meters += torch.tensor([d_loss.item(), g_loss.item()])


def main():
    opt = get_opt()
    trainer = GANTrainer(opt)
    data = torch.rand(64, 1, 8, 8)
    for epoch in range(opt.n_epochs):
        trainer.meters.zero_()
        for i in range(0, len(data), opt.batch_size):
            trainer.set_input(data[i:i + opt.batch_size].clone())
            trainer.optimize_parameters()
        print("epoch %d  D %.3f  G %.3f" % (epoch, *trainer.meters.tolist()))


if __name__ == "__main__":
    main()
