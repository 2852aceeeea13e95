import torch

from sslx import build

CFG = dict(method="moco", T=0.1, m=0.99, d=12, K=24)


def main():
    torch.manual_seed(0)
    model = build(CFG)
    opt = torch.optim.SGD(model.online.parameters(), lr=0.05)
    for i in range(3):
        x = torch.randn(8, 12)
        views = [x + 0.1 * torch.randn_like(x) for _ in range(2)]
        loss = model.training_step(views)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        print(i, loss.item())


if __name__ == "__main__":
    main()
