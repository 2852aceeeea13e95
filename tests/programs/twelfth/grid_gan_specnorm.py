"""GAN for occupancy grid patches with a hand written spectral normalisation."""
import torch
from torch import nn
import torch.nn.functional as F


def unit(v, eps=1e-9):
    return v / (v.norm() + eps)


class SNMixin:
    """Adds one step of power iteration to a layer with a weight."""

    def init_sn(self):
        rows = self.weight.shape[0]
        self.register_buffer("u", unit(torch.randn(rows)))
        self.register_buffer("v", unit(torch.randn(self.weight[0].numel())))

    def refresh(self, w):
        with torch.no_grad():
            self.v.copy_(unit(w.t() @ self.u))
            self.u = unit(w @ self.v)

    def sn_weight(self):
        w = self.weight.flatten(1)
        if self.training:
            self.refresh(w)
        sigma = torch.dot(self.u, w @ self.v.clone())
        return self.weight / sigma


class SNConv2d(SNMixin, nn.Conv2d):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.init_sn()

    def forward(self, x):
        return F.conv2d(x, self.sn_weight(), self.bias, self.stride, self.padding)


class SNLinear(SNMixin, nn.Linear):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.init_sn()

    def forward(self, x):
        return F.linear(x, self.sn_weight(), self.bias)


class Critic(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.net = nn.Sequential(
            SNConv2d(1, ch, 4, 2, 1), nn.LeakyReLU(0.1, inplace=True),
            SNConv2d(ch, 2 * ch, 4, 2, 1), nn.LeakyReLU(0.1, inplace=True),
            nn.Flatten(), SNLinear(2 * ch * 16, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(1)


class Painter(nn.Module):
    def __init__(self, z=6, ch=8):
        super().__init__()
        self.z = z
        self.net = nn.Sequential(
            nn.ConvTranspose2d(z, ch, 4), nn.BatchNorm2d(ch), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(ch, ch, 4, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(ch, 1, 4, 2, 1), nn.Sigmoid(),
        )

    def forward(self, n):
        return self.net(torch.randn(n, self.z, 1, 1))


def hinge_round(gen, critic, og, oc, real):
    fake = gen(len(real))
    dis = F.relu(1 - critic(real)).mean() + F.relu(1 + critic(fake.detach())).mean()
    oc.zero_grad()
    dis.backward()
    oc.step()
    adv = -critic(fake).mean()
    og.zero_grad()
    adv.backward()
    og.step()
    return dis.item(), adv.item()


# --- driver ---
torch.manual_seed(20)
g, c = Painter(), Critic()
og, oc = torch.optim.Adam(g.parameters(), 2e-4, (0.0, 0.9)), torch.optim.Adam(c.parameters(), 4e-4, (0.0, 0.9))
for _ in range(3):
    print(hinge_round(g, c, og, oc, (torch.rand(6, 1, 16, 16) > 0.7).float()))
