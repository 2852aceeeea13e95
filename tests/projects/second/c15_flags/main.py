import torch
from torch import nn

from lib import Block
from lib.presets import PRESETS


def build(preset, d=5):
    cfg = PRESETS[preset]
    blocks = [Block(d, cfg["act"]) for _ in range(cfg["depth"])]
    for b in blocks:
        b.inplace_scale = cfg["fast"]
    return nn.Sequential(*blocks)


def main():
    out = []
    for p in PRESETS:
        m = build(p)
        o = m(torch.randn(3, 5))
        o.sum().backward()
        out += [o] + [q.grad for q in m.parameters()]
    return out


if __name__ == "__main__":
    main()
