import torch

from ode import odeint, odeint_adjoint
from ode.field import Field


def main():
    torch.manual_seed(0)
    f, enc = Field(2), torch.nn.Linear(3, 2)
    opt = torch.optim.Adam([*f.parameters(), *enc.parameters()], 1e-2)
    ts = torch.linspace(0, 1, 6)
    x, target = torch.randn(4, 3), torch.randn(6, 4, 2)
    for _ in range(3):
        y0 = enc(x)
        loss = (odeint(f, y0, ts) - target).pow(2).mean()
        loss = loss + odeint_adjoint(f, y0, 0.0, 1.0).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item(), f.calls.item())
        f.calls.zero_()


if __name__ == "__main__":
    main()
