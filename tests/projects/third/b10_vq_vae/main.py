import torch
from torch import nn
import torch.nn.functional as F
from quantize import VectorQuantizerEMA


class VQVAE(nn.Module):
    def __init__(self, channel=8, n_codes=16, dim=8):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(1, channel, 4, stride=2, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channel, dim, 3, padding=1))
        self.quantize = VectorQuantizerEMA(n_codes, dim)
        self.dec = nn.Sequential(
            nn.Conv2d(dim, channel, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.ConvTranspose2d(channel, 1, 4, stride=2, padding=1))

    def forward(self, x):
        z = self.enc(x).permute(0, 2, 3, 1)
        q, diff, idx = self.quantize(z)
        return self.dec(q.permute(0, 3, 1, 2)), diff, idx


def train(steps=4):
    model = VQVAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    usage = torch.zeros(16)
    for i in range(steps):
        img = torch.rand(4, 1, 8, 8)
        img -= img.mean((2, 3), keepdim=True)
        model.zero_grad()
        out, latent_loss, idx = model(img)
        recon_loss = F.mse_loss(out, img)
        loss = recon_loss + latent_loss
        loss.backward()
        optimizer.step()
        usage += torch.bincount(idx, minlength=16).float()
        print(f'{i}; mse: {recon_loss.item():.5f}; latent: {latent_loss.item():.3f}; codes: {(usage > 0).sum().item()}')


if __name__ == '__main__':
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train()
