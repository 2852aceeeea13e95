"""Basic VAE (Kingma & Welling), adapted from the examples repository."""
import torch
from torch import nn, optim
from torch.nn import functional as F

class VAE(nn.Module):
    def __init__(self, d_in=64, h=32, z=4):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(d_in, h)
        self.fc21 = nn.Linear(h, z)
        self.fc22 = nn.Linear(h, z)
        self.fc3 = nn.Linear(z, h)
        self.fc4 = nn.Linear(h, d_in)
        self.d_in = d_in

    def encode(self, x):
        h1 = F.relu_(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        z = std.mul_(eps).add_(mu)  # BUG
        return z

    def decode(self, z):
        h3 = F.relu_(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, self.d_in))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar, beta=1.0):
    BCE = F.binary_cross_entropy(recon_x, x.view_as(recon_x), reduction='sum')
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + beta * KLD


def loader(n, bs):
    for _ in range(n):
        x = torch.rand(bs, 1, 8, 8)
        x[x < 0.5] = 0.0
        yield x


def train(model, optimizer, epoch, n=2, bs=8):
    model.train()
    train_loss = 0
    for batch_idx, data in enumerate(loader(n, bs)):
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print('====> Epoch: {} Average loss: {:.4f}'.format(epoch, train_loss / (n * bs)))


@torch.no_grad()
def test(model, n=1, bs=8):
    model.eval()
    total = 0.0
    for data in loader(n, bs):
        recon, mu, logvar = model(data)
        total += loss_function(recon, data, mu, logvar).item()
    return total / (n * bs)


# --- driver ---
torch.manual_seed(1)
model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-3)
train(model, optimizer, 1)
