import torch
import torch.nn as nn

from .hooks import EqualizedLR, OutputGain, attach

GAINS = {"tanh": 5.0 / 3, "sigmoid": 1.0, "relu": 2 ** 0.5, "elu": 1.27}
ACTS = {"tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "relu": nn.ReLU, "elu": nn.ELU}


def conv_stack(chans, act, transpose=False):
    mods = []
    for cin, cout in zip(chans[:-1], chans[1:]):
        conv = nn.ConvTranspose2d if transpose else nn.Conv2d
        mods += [conv(cin, cout, 4, 2, 1), ACTS[act]()]
    return nn.Sequential(*mods)


class ConvVAE(nn.Module):
    """
    Convolutional VAE for 16x16 images.

    act: 'tanh' | 'relu' | 'elu' | 'sigmoid'
    act_gain: scale the activations by their gain (use together with equalized=True)
    """

    def __init__(self, ch=1, width=4, z_dim=3, act="tanh", equalized=False, act_gain=False):
        super(ConvVAE, self).__init__()
        self.enc = conv_stack([ch, width, 2 * width], act)
        self.to_stats = nn.Linear(2 * width * 16, 2 * z_dim)
        self.from_z = nn.Linear(z_dim, 2 * width * 16)
        self.dec = conv_stack([2 * width, width], act, transpose=True)
        self.out = nn.ConvTranspose2d(width, ch, 4, 2, 1)
        self.width = width
        if equalized:
            for m in self.modules():
                if isinstance(m, (nn.Conv2d, nn.Linear)):
                    EqualizedLR.apply(m)
        if act_gain:
            attach(self, ACTS[act], OutputGain(GAINS[act]))

    def encode(self, x):
        return self.to_stats(self.enc(x).flatten(1)).chunk(2, 1)

    def reparameterize(self, mu, logvar):
        std = (0.5 * logvar).exp_()
        eps = torch.empty_like(std).normal_()
        return eps.mul_(std.detach()) + mu if not self.training else mu + eps * std

    def decode(self, z):
        h = self.from_z(z).view(-1, 2 * self.width, 4, 4)
        return self.out(self.dec(h)).sigmoid_()

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def elbo_loss(recon, x, mu, logvar, beta=1.0):
    rec = nn.functional.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (rec + beta * kld) / x.size(0)
