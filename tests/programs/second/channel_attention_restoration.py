"""Residual channel attention network (RCAN style) for image denoising."""
import torch
import torch.nn as nn
import torch.nn.functional as F

BLOCKS = {}


def register(name):
    def wrap(cls):
        BLOCKS[name] = cls
        return cls
    return wrap


@register("ca")
class ChannelAttention(nn.Module):
    def __init__(self, ch, reduction=4, floor=0.05):
        super().__init__()
        self.down = nn.Conv2d(ch, ch // reduction, 1)
        self.up = nn.Conv2d(ch // reduction, ch, 1)
        self.floor = floor

    def forward(self, x):
        s = x.mean(dim=(2, 3), keepdim=True)
        s = F.relu(self.down(s))
        w = torch.sigmoid(self.up(s))
        w += self.floor  # BUG
        return x * w


@register("plain")
class Identity(nn.Module):
    def __init__(self, ch):
        super().__init__()

    def forward(self, x):
        return x


class RCAB(nn.Module):
    def __init__(self, ch, attn="ca", res_scale=0.5):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)
        self.attn = BLOCKS[attn](ch)
        self.res_scale = res_scale

    def forward(self, x):
        y = F.relu(self.conv1(x), inplace=True)
        y = self.attn(self.conv2(y))
        y = y * self.res_scale
        y += x
        return y


class Group(nn.Module):
    def __init__(self, ch, n):
        super().__init__()
        self.blocks = nn.ModuleList(RCAB(ch) for _ in range(n))
        self.tail = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x):
        y = x
        for b in self.blocks:
            y = b(y)
        return self.tail(y) + x


class Denoiser(nn.Module):
    def __init__(self, ch=8, groups=2, blocks=2):
        super().__init__()
        self.head = nn.Conv2d(3, ch, 3, padding=1)
        self.groups = nn.Sequential(*[Group(ch, blocks) for _ in range(groups)])
        self.tail = nn.Conv2d(ch, 3, 3, padding=1)

    def forward(self, x):
        f = self.head(x)
        return x - self.tail(self.groups(f) + f)


def charbonnier(a, b, eps=1e-3):
    return ((a - b) ** 2 + eps ** 2).sqrt().mean()


def train_step(model, clean, opt, sigma=0.1):
    noisy = clean + sigma * torch.randn_like(clean)
    loss = charbonnier(model(noisy), clean)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
model = Denoiser()
train_step(model, torch.rand(2, 3, 12, 12), torch.optim.Adam(model.parameters(), lr=1e-3))
