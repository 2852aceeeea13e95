import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(cfg["z_dim"], cfg["width"]),
            nn.BatchNorm1d(cfg["width"]),
            nn.ReLU(inplace=True),
            nn.Linear(cfg["width"], cfg["x_dim"]),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.net(z)
