import torch
import torch.nn as nn
from torch.nn.modules.batchnorm import _BatchNorm

from sam import SAM


def disable_running_stats(model):
    for m in model.modules():
        if isinstance(m, _BatchNorm):
            m.backup_momentum, m.momentum = m.momentum, 0


def enable_running_stats(model):
    for m in model.modules():
        if isinstance(m, _BatchNorm) and hasattr(m, "backup_momentum"):
            m.momentum = m.backup_momentum


def main():
    torch.manual_seed(18)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(inplace=True), nn.Linear(16, 3))
    for adaptive in (False, True):
        opt = SAM(model.parameters(), torch.optim.SGD, rho=0.1, adaptive=adaptive, lr=0.1, momentum=0.9)
        x = torch.randn(60, 5)
        y = x[:, :3].argmax(1)
        lossf = nn.CrossEntropyLoss()
        for ep in range(4):
            for ix in torch.randperm(60).split(20):
                xb, yb = x[ix], y[ix]
                enable_running_stats(model)
                loss = lossf(model(xb), yb)
                loss.backward()
                if adaptive:
                    def closure():
                        disable_running_stats(model)
                        l = lossf(model(xb), yb)
                        l.backward()
                        return l
                    opt.step(closure)
                    opt.zero_grad()
                else:
                    opt.first_step(zero_grad=True)
                    disable_running_stats(model)
                    lossf(model(xb), yb).backward()
                    opt.second_step(zero_grad=True)
            print(adaptive, ep, round(loss.item(), 4))


if __name__ == "__main__":
    main()
