import torch
from torch import nn
from softdtw import SoftDTW


class Forecaster(nn.Module):
    def __init__(self, past, future, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(past, hidden), nn.Tanh(), nn.Linear(hidden, future))

    def forward(self, x):
        return self.net(x)


def series(b, t):
    ph = 6.28 * torch.rand(b, 1)
    fr = 0.3 + 0.2 * torch.rand(b, 1)
    return torch.sin(fr * torch.arange(t).float() + ph)


def main():
    torch.manual_seed(0)
    model = Forecaster(12, 8)
    criterion = SoftDTW(gamma=0.5, learn_gamma=True)
    opt = torch.optim.Adam([
        {"params": model.parameters(), "lr": 5e-3},
        {"params": criterion.parameters(), "lr": 1e-3},
    ])
    for epoch in range(4):
        s = series(16, 20)
        loss = criterion(model(s[:, :12]), s[:, 12:])
        opt.zero_grad()
        loss.backward()
        opt.step()
        print("epoch", epoch, "loss", loss.item(), "gamma", torch.as_tensor(criterion.gamma).item())


main()
