# -u'' = pi^2 sin(pi x), u(-1) = u(1) = 0
import math
import torch
import torch.nn as nn
from geometry import Interval


class PINN(nn.Module):
    def __init__(self, layers=(1, 20, 20, 1)):
        super().__init__()
        seq = []
        for a, b in zip(layers[:-1], layers[1:]):
            lin = nn.Linear(a, b)
            nn.init.xavier_normal_(lin.weight)
            seq += [lin, nn.Tanh()]
        self.net = nn.Sequential(*seq[:-1])

    def forward(self, x):
        return self.net(x)


def grad(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


def residual(model, x):
    u = model(x)
    u_x = grad(u, x)
    u_xx = grad(u_x, x)
    return u_xx + math.pi ** 2 * torch.sin(math.pi * x)


def main():
    torch.manual_seed(1234)
    geom = Interval(-1.0, 1.0)
    model = PINN()
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=10,
                                  history_size=20, line_search_fn="strong_wolfe")
    xb = torch.tensor([[-1.0], [1.0]])
    history = []

    def closure():
        optimizer.zero_grad()
        x = geom.random_points(50)
        loss = residual(model, x).pow(2).mean() + 10 * model(xb).pow(2).mean()
        loss.backward()
        history.append(loss.item())
        return loss

    for it in range(3):
        optimizer.step(closure)
        print("outer", it, "evals", len(history), "loss", history[-1])


if __name__ == "__main__":
    main()
