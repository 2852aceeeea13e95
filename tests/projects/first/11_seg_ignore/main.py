import torch

from seg.losses import build_loss
from seg.trainer import Trainer
from seg.unet import UNet

CFG = {"model": {"classes": 3}, "loss": {"type": "dice", "ignore_index": 255}, "lr": 1e-3}


def sample():
    tgt = torch.randint(0, 3, (2, 8, 8))
    tgt[:, :2] = 255
    return torch.randn(2, 1, 8, 8), tgt


if __name__ == "__main__":
    torch.manual_seed(0)
    tr = Trainer(UNet(**CFG["model"]), build_loss(CFG["loss"]), CFG["lr"])
    tr.add_hook(lambda t, l: print("loss", l))
    for _ in range(2):
        tr.step(sample())
