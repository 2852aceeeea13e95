"""Tiny vector GAN, trained the way the DCGAN tutorial does it."""
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)

NZ, NF = 8, 32


class Generator(nn.Module):
    def __init__(self, nz=NZ, nf=NF, dim=2):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(nz, nf, bias=False),
            nn.BatchNorm1d(nf),
            nn.ReLU(inplace=True),
            nn.Linear(nf, nf, bias=False),
            nn.BatchNorm1d(nf),
            nn.ReLU(True),
            nn.Linear(nf, dim),
        )

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, dim=2, nf=NF):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(dim, nf),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(nf, nf),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(nf, 1),
        )

    def forward(self, x):
        return self.main(x).view(-1)


def weights_init(m):
    name = m.__class__.__name__
    if name.find("Linear") != -1:
        m.weight.data.normal_(0.0, 0.1)
    elif name.find("BatchNorm") != -1:
        m.weight.data.normal_(1.0, 0.02)
        m.bias.data.fill_(0)


netG, netD = Generator(), Discriminator()
netG.apply(weights_init)
netD.apply(weights_init)
criterion = nn.BCEWithLogitsLoss()
optD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
label = torch.empty(64)
noise = torch.empty(64, NZ)

for it in range(12):
    # (1) D: real then fake, one step
    netD.zero_grad()
    real = torch.randn(64, 2).mul_(0.3).add_(torch.tensor([1.0, -1.0]))
    label.fill_(0.9)
    errD_real = criterion(netD(real), label)
    errD_real.backward()

    noise.normal_(0, 1)
    fake = netG(noise)
    label.fill_(0)
    errD_fake = criterion(netD(fake.detach()), label)
    errD_fake.backward()
    optD.step()

    # (2) G: the graph of `fake` is still good, D is evaluated again
    netG.zero_grad()
    label.fill_(1)
    out = netD(fake)
    errG = criterion(out, label)
    errG.backward()
    optG.step()
    if it % 4 == 0:
        print(f"[{it}] D {(errD_real + errD_fake).item():.4f} G {errG.item():.4f}")
