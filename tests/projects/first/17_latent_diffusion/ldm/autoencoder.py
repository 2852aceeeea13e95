import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, ch=4):
        super().__init__()
        self.conv = nn.Conv2d(1, ch, 3, stride=2, padding=1)
        self.bound = nn.Tanh()

    def forward(self, x):
        return self.bound(self.conv(x))


class Decoder(nn.Module):
    def __init__(self, ch=4):
        super().__init__()
        self.up = nn.ConvTranspose2d(ch, 1, 4, stride=2, padding=1)

    def forward(self, z):
        return self.up(z)


class AE(nn.Module):
    def __init__(self, ch=4):
        super().__init__()
        self.enc, self.dec = Encoder(ch), Decoder(ch)

    def encode(self, x):
        return self.enc(x)

    def decode(self, z):
        return self.dec(z)
