import torch
import torch.nn as nn
import torch.nn.functional as F

from optimizers import SVRG, FlatLBFGS


def net():
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.ELU(), nn.Linear(16, 1))


def main():
    torch.manual_seed(69)
    torch.set_num_threads(1)
    X = torch.randn(96, 6)
    Y = (X[:, :1] * X[:, 1:2]).sin_()
    Y += 0.01 * torch.randn_like(Y)

    model = net()
    svrg = SVRG(model, 0.1)
    for epoch in range(3):
        svrg.snapshot(lambda m: F.mse_loss(m(X), Y))
        for ix in torch.randperm(96).split(24):
            l = svrg.step(lambda m: F.mse_loss(m(X[ix]), Y[ix]))
        print("svrg", epoch, round(l, 5))

    opt = FlatLBFGS(model.parameters())

    def closure():
        model.zero_grad()
        out = model(X)
        out -= Y
        loss = out.pow(2).mean()
        loss.backward()
        return loss.detach()

    for it in range(6):
        print("lbfgs", it, round(opt.step(closure), 5))


if __name__ == "__main__":
    main()
