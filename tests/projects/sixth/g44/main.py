import torch
import torch.nn as nn
import torch.nn.functional as F

from sn import ConditionalBN, SpectralNorm


class G(nn.Module):
    def __init__(self, z=6, n=3):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(z, 32), nn.Linear(32, 32), nn.Linear(32, 2)
        self.b1, self.b2 = ConditionalBN(32, n), ConditionalBN(32, n)

    def forward(self, z, y):
        h = F.relu(self.b1(self.l1(z), y), inplace=True)
        h = F.relu(self.b2(self.l2(h), y), inplace=True)
        return self.l3(h)


class D(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.l1 = SpectralNorm(nn.Linear(2, 32))
        self.l2 = SpectralNorm(nn.Linear(32, 32))
        self.l3 = SpectralNorm(nn.Linear(32, 1))
        self.emb = nn.Embedding(n, 32)

    def forward(self, x, y):
        h = F.leaky_relu_(self.l1(x), 0.2)
        h = F.leaky_relu_(self.l2(h), 0.2)
        out = self.l3(h)
        out += (self.emb(y) * h).sum(1, keepdim=True)
        return out


def main():
    torch.manual_seed(44)
    torch.set_num_threads(1)
    g, d = G(), D()
    og = torch.optim.Adam(g.parameters(), 1e-3, betas=(0.0, 0.9))
    od = torch.optim.Adam(d.parameters(), 2e-3, betas=(0.0, 0.9))
    mu = torch.tensor([[1.0, 0], [-1, 0], [0, 1]])
    for it in range(8):
        y = torch.randint(0, 3, (32,))
        real = mu[y] + 0.1 * torch.randn(32, 2)
        fake = g(torch.randn(32, 6), y)
        d_real, d_fake = d(real, y), d(fake.detach(), y)
        loss_d = F.relu(1 - d_real).mean() + F.relu(1 + d_fake).mean()
        od.zero_grad()
        loss_d.backward()
        od.step()
        loss_g = -d(fake, y).mean()
        og.zero_grad()
        loss_g.backward()
        og.step()
        if it % 2 == 0:
            print(it, round(loss_d.item(), 4), round(loss_g.item(), 4))


if __name__ == "__main__":
    main()
