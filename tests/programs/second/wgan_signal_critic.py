"""1-d convolutional Wasserstein GAN for sensor signals, clipped critic."""
from itertools import islice

import torch
import torch.nn as nn
import torch.nn.functional as F


class UpBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.ConvTranspose1d(cin, cout, 4, stride=2, padding=1)
        self.norm = nn.InstanceNorm1d(cout, affine=True)

    def forward(self, x):
        return F.leaky_relu_(self.norm(self.conv(x)), 0.1)


class SignalGenerator(nn.Module):
    def __init__(self, z=8, width=16):
        super().__init__()
        self.width = width
        self.fc = nn.Linear(z, width * 4)
        self.blocks = nn.ModuleList([UpBlock(width, width // 2), UpBlock(width // 2, width // 4)])
        self.to_signal = nn.Conv1d(width // 4, 1, 3, padding=1)

    def forward(self, z):
        h = self.fc(z).view(z.size(0), self.width, 4)
        for blk in self.blocks:
            h = blk(h)
        return self.to_signal(h).tanh_()


class SignalCritic(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.conv1 = nn.Conv1d(1, width, 5, stride=2, padding=2)
        self.conv2 = nn.Conv1d(width, width * 2, 5, stride=2, padding=2)
        self.head = nn.Linear(width * 2 * 4, 1)

    def forward(self, x):
        h = F.leaky_relu(self.conv1(x), 0.2, inplace=True)
        h = F.leaky_relu(self.conv2(h), 0.2, inplace=True)
        return self.head(h.flatten(1)).squeeze(1)


@torch.no_grad()
def clip_(module, c):
    for p in module.parameters():
        p.clamp_(-c, c)


def sine_stream(batch, length=16):
    t = torch.linspace(0, 6.28, length)
    while True:
        phase = torch.rand(batch, 1) * 6.28
        sig = torch.sin(t[None] + phase)
        sig += 0.05 * torch.randn_like(sig)
        yield sig.unsqueeze(1)


def train(gen, critic, stream, n_iter=2, n_critic=2, clip=0.1):
    og = torch.optim.RMSprop(gen.parameters(), lr=1e-4)
    oc = torch.optim.RMSprop(critic.parameters(), lr=1e-4)
    log = []
    for _ in range(n_iter):
        for real in islice(stream, n_critic):
            fake = gen(torch.randn(real.size(0), 8)).detach()
            wdist = critic(real).mean() - critic(fake).mean()
            oc.zero_grad()
            (-wdist).backward()
            oc.step()
            clip_(critic, clip)
        critic.requires_grad_(False)
        g_loss = -critic(gen(torch.randn(4, 8))).mean()
        og.zero_grad()
        g_loss.backward()
        og.step()
        critic.requires_grad_(True)
        log.append((wdist.item(), g_loss.item()))
    return log


# --- driver ---
torch.manual_seed(0)
train(SignalGenerator(), SignalCritic(), sine_stream(4))
