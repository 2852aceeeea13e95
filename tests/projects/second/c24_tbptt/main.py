import torch

from seq import SeqModel, truncated


def main():
    m = SeqModel(3, 5)
    opt = torch.optim.Adam(m.parameters(), 1e-2)
    return truncated(m, opt, torch.randn(2, 9, 3), 4) + [p.grad for p in m.parameters()]


if __name__ == "__main__":
    main()
