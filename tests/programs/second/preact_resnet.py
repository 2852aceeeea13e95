"""Pre-activation ResNet for small images, with stochastic depth."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def drop_path(x, p, training):
    if not training or p == 0.0:
        return x
    keep = torch.empty(x.size(0), 1, 1, 1).bernoulli_(1 - p)
    return x * keep / (1 - p)


class PreActBlock(nn.Module):
    def __init__(self, cin, cout, stride=1, p=0.0):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(cin)
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.act = nn.ReLU(inplace=True)
        self.p = p
        if stride != 1 or cin != cout:
            self.shortcut = nn.Conv2d(cin, cout, 1, stride, bias=False)
        else:
            self.shortcut = None

    def forward(self, x):
        h = self.bn1(x)
        if self.shortcut is not None:
            identity = self.shortcut(h)
        else:
            identity = x
        h = self.act(h)  # BUG
        h = self.conv1(h)
        h = self.conv2(F.relu(self.bn2(h)))
        return identity + drop_path(h, self.p, self.training)


class PreActResNet(nn.Module):
    def __init__(self, plan=((8, 1), (16, 2)), depth=2, classes=5, drop=0.1):
        super().__init__()
        self.stem = nn.Conv2d(3, plan[0][0], 3, padding=1, bias=False)
        blocks, cin = [], plan[0][0]
        total = depth * len(plan)
        for width, stride in plan:
            for i in range(depth):
                rate = drop * len(blocks) / max(total - 1, 1)
                blocks.append(PreActBlock(cin, width, stride if i == 0 else 1, rate))
                cin = width
        self.blocks = nn.Sequential(*blocks)
        self.bn = nn.BatchNorm2d(cin)
        self.fc = nn.Linear(cin, classes)

    def forward(self, x):
        h = self.blocks(self.stem(x))
        h = F.relu(self.bn(h))
        return self.fc(h.mean((2, 3)))


def mixup(x, y, alpha=0.2):
    lam = float(torch.distributions.Beta(alpha, alpha).sample())
    perm = torch.randperm(x.size(0))
    return lam * x + (1 - lam) * x[perm], y, y[perm], lam


def train_one_epoch(model, loader, opt, sched=None):
    model.train()
    for x, y in loader:
        x, ya, yb, lam = mixup(x, y)
        logits = model(x)
        loss = lam * F.cross_entropy(logits, ya) + (1 - lam) * F.cross_entropy(logits, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if sched is not None:
            sched.step()


# --- driver ---
torch.manual_seed(0)
net = PreActResNet()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
train_one_epoch(net, [(torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,)))], optimizer)
