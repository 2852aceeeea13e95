import torch
import torch.nn as nn
import torch.nn.functional as F

LOSSES = {}


def loss(name):
    return lambda cls: LOSSES.setdefault(name, cls)


class SegLoss(nn.Module):
    def __init__(self, ignore_index=255):
        super().__init__()
        self.ignore_index = ignore_index

    def valid(self, target):
        return target != self.ignore_index


@loss("dice")
class DiceLoss(SegLoss):
    def forward(self, logits, target):
        valid = self.valid(target)
        target = target.clone()
        target[~valid] = 0
        p = logits.sigmoid().squeeze(1) * valid
        inter = (p * target).sum((1, 2))
        return 1 - (2 * inter + 1).div(p.sum((1, 2)) + target.sum((1, 2)) + 1).mean()


@loss("focal")
class FocalLoss(SegLoss):
    def __init__(self, alpha=0.25, gamma=2.0, **kw):
        super().__init__(**kw)
        self.alpha, self.gamma = alpha, gamma

    def forward(self, logits, target):
        pt = torch.sigmoid(logits.squeeze(1))
        valid = self.valid(target)
        neg = target.eq(0)
        pt[neg] = 1 - pt[neg]  # BUG
        alpha = torch.full_like(pt, self.alpha)
        alpha[neg] = 1 - self.alpha
        out = -alpha * (1 - pt).pow(self.gamma) * pt.clamp(min=1e-6).log()
        return out[valid].mean()


class ComboLoss(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.terms = nn.ModuleDict({k: LOSSES[k]() for k in spec})
        self.weights = dict(spec)

    def forward(self, logits, target):
        total = logits.new_zeros(())
        for name, term in self.terms.items():
            total += self.weights[name] * term(logits, target)
        return total


class UNetTiny(nn.Module):
    def __init__(self, ch=6):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, ch, 3, padding=1), nn.ReLU(inplace=True))
        self.mid = nn.Sequential(nn.Conv2d(ch, ch, 3, stride=2, padding=1), nn.ReLU(inplace=True))
        self.up = nn.ConvTranspose2d(ch, ch, 2, stride=2)
        self.out = nn.Conv2d(2 * ch, 1, 1)

    def forward(self, x):
        skip = self.down(x)
        y = self.up(self.mid(skip))
        return self.out(torch.cat([skip, F.relu_(y)], 1))


class IoU:
    def __init__(self):
        self.hist = torch.zeros(2, 2)

    def add(self, logits, target):
        pred = (logits.squeeze(1) > 0).long().flatten()
        gt = target.flatten().long()
        keep = gt != 255
        self.hist += torch.bincount(2 * gt[keep] + pred[keep], minlength=4).view(2, 2)


# --- driver ---
torch.manual_seed(0)
net, crit, iou = UNetTiny(), ComboLoss({"dice": 0.5, "focal": 1.0}), IoU()
opt = torch.optim.Adam(net.parameters())
x, y = torch.randn(2, 3, 8, 8), torch.randint(0, 2, (2, 8, 8)).float()
y[:, 0] = 255
logits = net(x)
crit(logits, y).backward()
opt.step()
