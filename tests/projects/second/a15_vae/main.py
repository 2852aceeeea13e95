import torch

from losses import elbo
from vae import get_model

CONFIG = dict(model=dict(name="linear", d=12, z=3), beta=0.5, steps=2)


def main(cfg):
    net = get_model(**cfg["model"])
    opt = torch.optim.Adam(net.parameters())
    for _ in range(cfg["steps"]):
        x = torch.rand(8, 12)
        recon, mu, logvar = net(x)
        loss = elbo(recon, x, mu, logvar, beta=cfg["beta"])
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main(CONFIG)
