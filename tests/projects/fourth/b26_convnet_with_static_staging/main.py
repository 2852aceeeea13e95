import torch

from fastloop.config import get_cfg
from fastloop.dataset import Shapes
from fastloop.engine import train_one_epoch
from fastloop.loader import build_loader
from fastloop.model import ConvNet


def main():
    cfg = get_cfg("static")
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    data = Shapes(cfg.samples, cfg.size)
    model = ConvNet(cfg.channels, Shapes.classes)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.5)
    for epoch in range(cfg.epochs):
        loader = build_loader(cfg.loader, data, cfg.batch)
        stats = train_one_epoch(model, loader, opt)
        sched.step()
        print(epoch, {k: round(v, 4) for k, v in stats.items()})


if __name__ == "__main__":
    main()
