"""Wide pre-activation ResNet with stochastic depth and label smoothing."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class NormAct(nn.Module):
    def __init__(self, c, groups=4):
        super().__init__()
        self.norm = nn.GroupNorm(groups, c)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.norm(x))


class WideBlock(nn.Module):
    def __init__(self, c_in, c_out, stride, survival=1.0):
        super().__init__()
        self.pre = NormAct(c_in)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)
        self.mid = NormAct(c_out)
        self.drop = nn.Dropout(0.1)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False)
        self.skip = nn.Conv2d(c_in, c_out, 1, stride, bias=False) if (stride > 1 or c_in != c_out) else None
        self.survival = survival

    def forward(self, x):
        pre = self.pre(x)
        shortcut = x if self.skip is None else self.skip(pre)
        out = self.conv1(pre)
        out = self.conv2(self.drop(self.mid(out)))
        if self.training and self.survival < 1:
            keep = torch.rand(x.size(0), 1, 1, 1).add_(self.survival).floor_().div_(self.survival)
            out = out * keep
        out += shortcut
        return out


class WideResNet(nn.Module):
    def __init__(self, depth_per_stage=1, widths=(8, 16, 16), n_classes=5, min_survival=0.8):
        super().__init__()
        total = depth_per_stage * len(widths)
        self.stem = nn.Conv2d(3, widths[0], 3, 1, 1, bias=False)
        layers, c, k = [], widths[0], 0
        for s, w in enumerate(widths):
            for i in range(depth_per_stage):
                k += 1
                p = 1 - (1 - min_survival) * k / total
                layers.append(WideBlock(c, w, 2 if (s and i == 0) else 1, p))
                c = w
        self.blocks = nn.Sequential(*layers)
        self.post = NormAct(c)
        self.fc = nn.Linear(c, n_classes)

    def forward(self, x):
        x = self.post(self.blocks(self.stem(x)))
        return self.fc(x.flatten(2).mean(-1))


class Cutout:
    def __init__(self, size):
        self.size = size

    def __call__(self, batch):
        n, _, h, w = batch.shape
        batch = batch.clone()
        for i in range(n):
            y, x = torch.randint(0, h - self.size, ()), torch.randint(0, w - self.size, ())
            batch[i, :, y:y + self.size, x:x + self.size] = 0.0
        return batch


class WarmupCosine:
    def __init__(self, opt, warmup, total):
        self.opt, self.warmup, self.total, self.t = opt, warmup, total, 0
        self.base = [g['lr'] for g in opt.param_groups]

    def step(self):
        self.t += 1
        f = self.t / self.warmup if self.t < self.warmup else 0.5 * (1 - (self.t - self.warmup) / self.total)
        for g, b in zip(self.opt.param_groups, self.base):
            g['lr'] = b * f


def train(model, loader, lr=0.1):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=5e-4)
    sched, cut = WarmupCosine(opt, 2, 10), Cutout(4)
    correct = torch.zeros(())
    for x, y in loader:
        logits = model(cut(x))
        loss = F.cross_entropy(logits, y, label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        correct += (logits.argmax(1) == y).sum()
    return loss.item(), correct.item()


# --- driver ---
print(train(WideResNet(), [(torch.randn(4, 3, 12, 12), torch.randint(0, 5, (4,))) for _ in range(2)]))
