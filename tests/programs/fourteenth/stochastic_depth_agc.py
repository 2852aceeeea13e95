"""ResNet with stochastic depth and squeeze-excite, trained with adaptive gradient clipping and accumulation."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class DropPath(nn.Module):
    """Zeroes whole residual branches per sample; works on the branch's own storage."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, branch):
        if not self.training or self.p == 0.0:
            return branch
        keep = 1 - self.p
        mask = branch.new_empty(branch.size(0), *[1] * (branch.dim() - 1)).bernoulli_(keep)
        return branch.mul_(mask).div_(keep)

    def extra_repr(self):
        return f"p={self.p}"


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        hidden = max(2, channels // reduction)
        self.fc1, self.fc2 = nn.Conv2d(channels, hidden, 1), nn.Conv2d(hidden, channels, 1)

    def forward(self, x):
        s = F.relu_(self.fc1(x.mean((2, 3), keepdim=True)))
        return x * torch.sigmoid(self.fc2(s))


class ResBlock(nn.Module):
    def __init__(self, c_in, c_out, stride, drop):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False), nn.BatchNorm2d(c_out)
        self.conv2, self.bn2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False), nn.BatchNorm2d(c_out)
        self.se, self.drop = SqueezeExcite(c_out), DropPath(drop)
        self.down = None
        if stride != 1 or c_in != c_out:
            self.down = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x):
        out = F.relu_(self.bn1(self.conv1(x)))
        out = self.drop(self.se(self.bn2(self.conv2(out))))
        out += x if self.down is None else self.down(x)
        return F.relu_(out)


class DeepNet(nn.Module):
    def __init__(self, widths=(8, 8, 16, 16), classes=4, max_drop=0.3):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, widths[0], 3, 1, 1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True))
        rates = torch.linspace(0, max_drop, len(widths)).tolist()
        layers, c = [], widths[0]
        for w, rate in zip(widths, rates):
            layers.append(ResBlock(c, w, 1 if w == c else 2, rate))
            c = w
        self.layers, self.head = nn.Sequential(*layers), nn.Linear(c, classes)

    def forward(self, x):
        return self.head(self.layers(self.stem(x)).mean((2, 3)))


def unit_norm(t):
    return t.norm() if t.dim() <= 1 else t.flatten(1).norm(dim=1).view(-1, *[1] * (t.dim() - 1))


@torch.no_grad()
def adaptive_clip_(params, clip=0.02, eps=1e-3):
    clipped = 0
    for p in params:
        if p.grad is None:
            continue
        ceiling = unit_norm(p).clamp_(min=eps).mul_(clip)
        norm = unit_norm(p.grad).clamp_(min=1e-6)
        factor = (ceiling / norm).clamp_(max=1.0)
        clipped += int((factor < 1).sum())
        p.grad.mul_(factor)
    return clipped


class AccumulatingTrainer:
    def __init__(self, model, every, lr=0.05):
        self.model, self.every = model, every
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True)

    def run(self, loader):
        self.opt.zero_grad()
        for i, (x, y) in enumerate(loader, 1):
            loss = F.cross_entropy(self.model(x), y)
            loss.backward()
            if i % self.every == 0:
                for p in self.model.parameters():
                    p.grad.div_(self.every)
                clipped = adaptive_clip_([p for n, p in self.model.named_parameters() if not n.startswith("head")])
                self.opt.step()
                self.opt.zero_grad()
                yield loss.item(), clipped


# --- driver ---
torch.manual_seed(5)
trainer = AccumulatingTrainer(DeepNet(), every=2)
batches = [(torch.randn(4, 3, 8, 8), torch.randint(0, 4, (4,))) for _ in range(4)]
print(list(trainer.run(batches)))
