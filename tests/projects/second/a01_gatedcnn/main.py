import torch
import torch.nn.functional as F

from config import TrainConfig
from models import GatedNet


def main(cfg):
    model = GatedNet(cfg.model)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for step in range(cfg.steps):
        x = torch.randn(4, cfg.model.channels, 16)
        y = torch.randn(4)
        loss = F.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main(TrainConfig())
