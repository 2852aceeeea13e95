"""Pre-activation ResNet for small images, built from a stage specification."""
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F

conv3x3 = partial(nn.Conv2d, kernel_size=3, padding=1, bias=False)
conv1x1 = partial(nn.Conv2d, kernel_size=1, bias=False)

STAGES = {'tiny': [(8, 1, 1), (16, 1, 2)], 'small': [(16, 2, 1), (32, 2, 2), (64, 2, 2)]}


class PreActBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(c_in)
        self.conv1 = conv3x3(c_in, c_out, stride=stride)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.conv2 = conv3x3(c_out, c_out)
        self.proj = conv1x1(c_in, c_out, stride=stride) if (stride != 1 or c_in != c_out) else None

    def forward(self, x):
        out = self.bn1(x)
        shortcut = self.proj(out) if self.proj is not None else x
        out = F.relu(out, inplace=True)  # BUG
        out = self.conv1(out)
        out = F.relu(self.bn2(out), inplace=True)
        out = self.conv2(out)
        out += shortcut
        return out


class PreActResNet(nn.Module):
    def __init__(self, stages, n_classes=10, stem=8):
        super().__init__()
        self.stem = conv3x3(3, stem)
        blocks, c = [], stem
        for width, n, stride in stages:
            for i in range(n):
                blocks.append(PreActBlock(c, width, stride if i == 0 else 1))
                c = width
        self.blocks = nn.Sequential(*blocks)
        self.bn = nn.BatchNorm2d(c)
        self.fc = nn.Linear(c, n_classes)
        self.reset_parameters()

    def reset_parameters(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode='fan_out')
            elif isinstance(m, nn.Linear):
                nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        x = F.relu(self.bn(x), inplace=True)
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def mixup(x, y, n_classes, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample()
    perm = torch.randperm(x.size(0))
    onehot = F.one_hot(y, n_classes).float()
    return lam * x + (1 - lam) * x[perm], lam * onehot + (1 - lam) * onehot[perm]


def soft_ce(logits, target):
    return -(target * F.log_softmax(logits, 1)).sum(1).mean()


def make_optimizer(model, lr=0.1, wd=5e-4):
    decay, no_decay = [], []
    for p in model.parameters():
        (decay if p.ndim > 1 else no_decay).append(p)
    return torch.optim.SGD([{'params': decay, 'weight_decay': wd}, {'params': no_decay, 'weight_decay': 0.0}],
                           lr=lr, momentum=0.9, nesterov=True)


def train_one_epoch(model, loader, opt, n_classes):
    model.train()
    running = 0.0
    for x, y in loader:
        x, t = mixup(x, y, n_classes)
        loss = soft_ce(model(x), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item()
    return running / len(loader)


# --- driver ---
net = PreActResNet(STAGES['tiny'])
batches = [(torch.randn(4, 3, 16, 16), torch.randint(0, 10, (4,))) for _ in range(2)]
print(train_one_epoch(net, batches, make_optimizer(net), 10))
