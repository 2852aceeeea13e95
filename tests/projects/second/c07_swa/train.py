import torch
import torch.nn.functional as F
from torch import nn

from swa import Averager, warmup_cosine


def main():
    net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(inplace=True), nn.Linear(8, 1))
    opt = torch.optim.SGD(net.parameters(), 0.1)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, warmup_cosine)
    avg, out = Averager(net), []
    for _ in range(3):
        x, y = torch.randn(4, 5), torch.randn(4, 1)
        loss = F.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        avg.update()
        with avg.applied() as m, torch.no_grad():
            out.append(F.mse_loss(m(x), y))
        out += [p.grad.clone() for p in net.parameters()]
    return out


if __name__ == "__main__":
    main()
