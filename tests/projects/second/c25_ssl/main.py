import torch
from teacher import DINO


def main():
    m = DINO(4, 6)
    opt = torch.optim.AdamW(m.student.parameters())
    out = []
    for _ in range(3):
        loss = m(torch.randn(5, 4))
        opt.zero_grad()
        loss.backward()
        out += [loss] + [p.grad.clone() for p in m.student.parameters()]
        opt.step()
        m.momentum()
    return out


if __name__ == "__main__":
    main()
