"""Residual image classifier trained with CutMix."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or cin != cout:
            self.downsample = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class Tower(nn.Module):
    def __init__(self, n_cls, widths=(8, 16), blocks=(1, 2)):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, widths[0], 3, 1, 1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True))
        self.body = self._make_body(widths, blocks)
        self.drop = nn.Dropout(0.1, inplace=True)
        self.fc = nn.Linear(widths[-1], n_cls)
        self._init()

    def _make_body(self, widths, blocks):
        layers, cin = [], widths[0]
        for i, (w, n) in enumerate(zip(widths, blocks)):
            for j in range(n):
                layers.append(BasicBlock(cin, w, 2 if i and not j else 1))
                cin = w
        return nn.Sequential(*layers)

    def _init(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
            elif isinstance(m, BasicBlock):
                nn.init.zeros_(m.bn2.weight)

    def forward(self, x):
        h = self.body(self.stem(x)).mean(dim=(2, 3))
        return self.fc(self.drop(h))


def cutmix(x, y, alpha=1.0):
    lam = torch.distributions.Beta(alpha, alpha).sample().item()
    perm = torch.randperm(len(x))
    h, w = x.shape[-2:]
    bh, bw = int(h * (1 - lam) ** 0.5), int(w * (1 - lam) ** 0.5)
    top, left = torch.randint(0, h - bh + 1, ()).item(), torch.randint(0, w - bw + 1, ()).item()
    x[:, :, top:top + bh, left:left + bw] = x[perm, :, top:top + bh, left:left + bw]
    return x, (y, y[perm], 1 - bh * bw / (h * w))


def mixed_ce(logits, target):
    a, b, lam = target
    return lam * F.cross_entropy(logits, a) + (1 - lam) * F.cross_entropy(logits, b)


# --- driver ---
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = Tower(4)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 3)
    for step in range(3):
        x, target = cutmix(torch.randn(6, 3, 12, 12), torch.randint(0, 4, (6,)))
        loss = mixed_ce(net(x), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(step, f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
