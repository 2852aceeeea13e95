"""SAGAN self-attention on feature maps, everything channels first."""
import torch
import torch.nn as nn
from torch.nn.utils import spectral_norm


def snconv2d(in_channels, out_channels, **kw):
    return spectral_norm(nn.Conv2d(in_channels, out_channels, **kw), eps=1e-6)


class SelfAttn(nn.Module):
    """Self attention layer. Input and output: (B, C, H, W)."""

    def __init__(self, in_channels):
        super().__init__()
        self.in_channels = in_channels
        self.theta = nn.Conv2d(in_channels, in_channels // 4, kernel_size=1, bias=False)
        self.phi = nn.Conv2d(in_channels, in_channels // 4, kernel_size=1, bias=False)
        self.g = nn.Conv2d(in_channels, in_channels // 2, kernel_size=1, bias=False)
        self.o = nn.Conv2d(in_channels // 2, in_channels, kernel_size=1, bias=False)
        self.maxpool = nn.MaxPool2d(2, stride=2, padding=0)
        self.softmax = nn.Softmax(dim=-1)
        self.sigma = nn.Parameter(torch.full((1,), 0.5))

    def forward(self, x):
        _, ch, h, w = x.size()
        # Theta path
        theta = self.theta(x)
        theta = theta.view(-1, ch // 4, h * w)
        # Phi path
        phi = self.maxpool(self.phi(x))
        phi = phi.view(-1, ch // 4, h * w // 4)
        # Attn map
        attn = torch.bmm(theta.permute(0, 2, 1), phi)
        attn = self.softmax(attn)  # ATTN
        # g path
        g = self.maxpool(self.g(x))
        g = g.view(-1, ch // 2, h * w // 4)
        # Attn_g
        attn_g = torch.bmm(g, attn.permute(0, 2, 1))
        attn_g = attn_g.view(-1, ch // 2, h, w)
        attn_g = self.o(attn_g)
        return x + self.sigma * attn_g


class Discriminator(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = snconv2d(3, width, kernel_size=3, padding=1)
        self.attn = SelfAttn(width)
        self.down = snconv2d(width, width * 2, kernel_size=4, stride=2, padding=1)
        self.linear = spectral_norm(nn.Linear(width * 2, 1))
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x):
        h = self.act(self.stem(x))
        h = self.attn(h)
        h = self.act(self.down(h))
        return self.linear(h.sum(dim=(2, 3)))


# --- driver ---
def main():
    torch.manual_seed(0)
    D = Discriminator().eval()
    img = torch.randn(2, 3, 6, 6, requires_grad=True)
    score = D(img)
    nn.functional.softplus(-score).mean().backward()
    return [score, img.grad] + [p.grad for p in D.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
