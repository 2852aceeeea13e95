import torch.nn as nn


class Discriminator(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(cfg["x_dim"], cfg["width"]),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(cfg["width"], 1),
        )

    def forward(self, x):
        return self.net(x).view(-1)
