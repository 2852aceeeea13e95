import torch

from yolo.loss import ComputeLoss
from yolo.model import Model

HYP = {"box": 0.05, "obj": 1.0, "lr": 0.01}


def train(hyp, steps=2):
    model = Model()
    opt = torch.optim.SGD(model.parameters(), lr=hyp["lr"], momentum=0.9, nesterov=True)
    crit = ComputeLoss(hyp)
    for _ in range(steps):
        imgs = torch.rand(2, 3, 16, 16)
        pred = model(imgs)
        n = pred.size(1)
        loss, items = crit(pred, (torch.rand(2, n, 4) * 16, torch.rand(2, n).round()))
        loss.backward()
        opt.step()
        opt.zero_grad()
        print(items)
