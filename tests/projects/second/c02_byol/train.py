import torch
from byol import BYOL


def main():
    model = BYOL(6, 8)
    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad])
    out = []
    for _ in range(2):
        x = torch.randn(4, 6)
        loss = model(x + 0.1 * torch.randn_like(x), x)
        opt.zero_grad()
        loss.backward()
        out += [loss] + [p.grad.clone() for p in model.parameters() if p.grad is not None]
        opt.step()
    return out


if __name__ == "__main__":
    main()
