import torch

from gan.trainer import GANTrainer

CFG = {"z_dim": 8, "x_dim": 12, "width": 32, "lr": 2e-4, "loss": "bce"}


def make_loader(n, bs, dim):
    data = torch.randn(n, dim).clamp(-1, 1)
    for i in range(0, n, bs):
        yield data[i:i + bs]


if __name__ == "__main__":
    torch.manual_seed(1)
    GANTrainer(CFG).fit(make_loader(48, 16, CFG["x_dim"]))
