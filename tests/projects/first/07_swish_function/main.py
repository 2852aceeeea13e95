import yaml_cfg as cfg
import torch
import torch.nn as nn

from net import build_block


class Model(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.stem = nn.Conv2d(3, spec["width"], 3, padding=1)
        self.stages = nn.ModuleList(build_block(k, spec["width"]) for k in spec["blocks"])
        self.fc = nn.Linear(spec["width"], 5)

    def forward(self, x):
        x = self.stem(x)
        for st in self.stages:
            x = st(x)
        return self.fc(x.mean((2, 3)))


if __name__ == "__main__":
    torch.manual_seed(0)
    m = Model(cfg.load())
    opt = torch.optim.SGD(m.parameters(), lr=0.1)
    loss = nn.functional.cross_entropy(m(torch.randn(2, 3, 8, 8)), torch.tensor([0, 1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
