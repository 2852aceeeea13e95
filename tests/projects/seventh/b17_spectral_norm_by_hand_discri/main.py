import torch
from torch import nn, optim
from snlayers import Critic

torch.manual_seed(0)
D = Critic(2)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
optD = optim.Adam(D.parameters(), 2e-4, betas=(0.0, 0.9))
optG = optim.Adam(G.parameters(), 1e-4, betas=(0.0, 0.9))


def sample_real(n):
    k = torch.randint(0, 8, (n,)).float() * (6.28318 / 8)
    return torch.stack([k.cos(), k.sin()], 1) * 2 + 0.02 * torch.randn(n, 2)


for step in range(10):
    real = sample_real(64)
    fake = G(torch.randn(64, 4)).detach()
    d_loss = torch.relu(1 - D(real)).mean() + torch.relu(1 + D(fake)).mean()
    optD.zero_grad()
    d_loss.backward()
    optD.step()

    g_loss = -D(G(torch.randn(64, 4))).mean()
    optG.zero_grad()
    g_loss.backward()
    optG.step()
    if step % 3 == 0:
        print(f"{step:03d} D {d_loss.item():.3f} G {g_loss.item():.3f}")
