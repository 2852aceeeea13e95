# WGAN on a ring of gaussians
import math
import torch
from torch import nn, optim

torch.manual_seed(0)
torch.set_num_threads(1)

NZ, HID, CLIP = 4, 32, 0.05
N_CRITIC = 3

G = nn.Sequential(nn.Linear(NZ, HID), nn.ReLU(True), nn.Linear(HID, HID), nn.ReLU(True), nn.Linear(HID, 2))
C = nn.Sequential(nn.Linear(2, HID), nn.ReLU(True), nn.Linear(HID, HID), nn.ReLU(True), nn.Linear(HID, 1))


def weights_init(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, 0.0, 0.1)
        m.bias.data.fill_(0)


G.apply(weights_init)
C.apply(weights_init)
opt_g = optim.RMSprop(G.parameters(), lr=1e-3)
opt_c = optim.RMSprop(C.parameters(), lr=1e-3)


def sample_real(n, modes=8):
    k = torch.randint(0, modes, (n,)).float()
    theta = k * 2 * math.pi / modes
    x = torch.stack([theta.cos(), theta.sin()], 1)
    x += 0.02 * torch.randn(n, 2)
    return x


@torch.no_grad()
def clip_weights(net, c):
    for p in net.parameters():
        p.clamp_(-c, c)


def critic_step(bs):
    real = sample_real(bs)
    fake = G(torch.randn(bs, NZ))
    score_real = C(real).mean()
    score_fake = C(fake).mean()
    loss = score_fake - score_real
    opt_c.zero_grad()
    loss.backward(retain_graph=True)
    opt_c.step()  # BUG
    clip_weights(C, CLIP)
    return loss.item(), score_fake


def generator_step(out):
    loss = -out
    opt_g.zero_grad()
    loss.backward()
    opt_g.step()
    return loss.item()


for it in range(5):
    for _ in range(N_CRITIC):
        wdist, out = critic_step(32)
    lg = generator_step(out)
    print(f"[{it}] W {-wdist:.4f} G {lg:.4f}")
