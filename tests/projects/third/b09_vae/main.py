import torch
from torch.utils.data import DataLoader, TensorDataset

from vae.losses import elbo
from vae.model import VAE

CFG = {
    'epochs': 2,
    'batch_size': 32,
    'lr': 1e-3,
    'beta': 1.0,
    'warmup': 1,
}


def make_data(n=96):
    x = torch.zeros(n, 8, 8)
    for img in x:
        r, c = torch.randint(0, 5, (2,)).tolist()
        img[r:r + 3, c:c + 3] = 1.0
    return x.flatten(1)


def train(cfg):
    model = VAE()
    opt = torch.optim.Adam(model.parameters(), lr=cfg['lr'])
    loader = DataLoader(TensorDataset(make_data()), batch_size=cfg['batch_size'], shuffle=True)
    for epoch in range(cfg['epochs']):
        beta = cfg['beta'] * min(1.0, (epoch + 1) / max(1, cfg['warmup']))
        stats = torch.zeros(3)
        for (x,) in loader:
            recon, mu, std = model(x)
            loss, rec, kld = elbo(x, recon, mu, std, beta)
            opt.zero_grad()
            loss.backward()
            opt.step()
            stats += torch.tensor([loss.item(), rec, kld])
        stats /= len(loader)
        print('epoch {}: loss {:.2f} rec {:.2f} kl {:.2f}'.format(epoch, *stats.tolist()))


if __name__ == '__main__':
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train(CFG)
