from dataclasses import dataclass, field
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F

BLOCKS = {}


def register_block(name):
    def deco(cls):
        BLOCKS[name] = cls
        return cls
    return deco


@dataclass
class NetConfig:
    widths: List[int] = field(default_factory=lambda: [8, 16])
    depth: int = 2
    block: str = "preact"
    num_classes: int = 10


class StrideMixin:
    def make_shortcut(self, c_in, c_out, stride):
        if stride == 1 and c_in == c_out:
            return None
        return nn.Conv2d(c_in, c_out, 1, stride=stride, bias=False)


@register_block("preact")
class PreActBlock(StrideMixin, nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1, bias=False)
        self.shortcut = self.make_shortcut(c_in, c_out, stride)

    def forward(self, x):
        res = x if self.shortcut is None else self.shortcut(x)
        out = F.elu(x, inplace=True)  # BUG
        out = self.conv1(out)
        out = F.relu(self.bn(out), inplace=True)
        out = self.conv2(out)
        out += res
        return out


class Stage(nn.Sequential):
    def __init__(self, block, c_in, c_out, depth, stride):
        layers = [block(c_in, c_out, stride)]
        for _ in range(depth - 1):
            layers.append(block(c_out, c_out))
        super().__init__(*layers)


class ResNet(nn.Module):
    def __init__(self, cfg: NetConfig):
        super().__init__()
        block = BLOCKS[cfg.block]
        self.stem = nn.Conv2d(3, cfg.widths[0], 3, padding=1)
        stages, c = [], cfg.widths[0]
        for i, w in enumerate(cfg.widths):
            stages.append(Stage(block, c, w, cfg.depth, 1 if i == 0 else 2))
            c = w
        self.stages = nn.ModuleList(stages)
        self.head = nn.Linear(c, cfg.num_classes)

    def forward(self, x):
        x = self.stem(x)
        for stage in self.stages:
            x = stage(x)
        return self.head(x.mean(dim=(2, 3)))


def train_one_epoch(model, loader, optimizer, scheduler=None):
    model.train()
    correct = torch.zeros(())
    for images, labels in loader:
        optimizer.zero_grad(set_to_none=True)
        logits = model(images)
        loss = F.cross_entropy(logits, labels)
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        correct += (logits.argmax(1) == labels).sum()
    return correct


# --- driver ---
torch.manual_seed(0)
net = ResNet(NetConfig())
batch = [(torch.randn(2, 3, 8, 8), torch.randint(0, 10, (2,)))]
train_one_epoch(net, batch, torch.optim.SGD(net.parameters(), lr=0.1))
