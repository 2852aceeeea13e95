import torch
import torch.nn as nn
import torch.nn.functional as F


def binarize(w, quant_mode="det"):
    if quant_mode == "det":
        return w.sign()
    return w.add(1).div_(2).add_(torch.rand_like(w).add_(-0.5)).clamp_(0, 1).round_().mul_(2).add_(-1)


class BinarizedLayer:
    """Marker mixin: full precision copy lives next to the parameter."""

    def init_master(self):
        self.master = self.weight.detach().clone()

    def scale(self):
        return self.master.abs().mean()


class BinLinear(BinarizedLayer, nn.Linear):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.init_master()


class BinConv2d(BinarizedLayer, nn.Conv2d):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.init_master()


class BinNet(nn.Module):
    def __init__(self, n_cls=4, ch=6):
        super().__init__()
        self.features = nn.Sequential(
            BinConv2d(1, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.Hardtanh(inplace=True), nn.MaxPool2d(2),
            BinConv2d(ch, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.Hardtanh(inplace=True), nn.AdaptiveAvgPool2d(2),
        )
        self.classifier = nn.Sequential(BinLinear(ch * 4, 16), nn.BatchNorm1d(16), nn.Hardtanh(inplace=True), BinLinear(16, n_cls))

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


class BinaryConnect:
    def __init__(self, model, mode="det"):
        self.mode = mode
        self.layers = [m for m in model.modules() if isinstance(m, BinarizedLayer)]

    def binarization(self):
        for m in self.layers:
            m.master.copy_(m.weight.data)
            m.weight.data.copy_(binarize(m.master, self.mode) * m.scale())

    def restore(self):
        for m in self.layers:
            m.weight.data.copy_(m.master)  # BUG silent

    def clip(self):
        for m in self.layers:
            m.weight.data.clamp_(-1, 1)


class AverageMeter:
    def __init__(self):
        self.sum, self.count = torch.zeros(()), 0

    def update(self, v, n):
        self.sum += v.detach() * n
        self.count += n


def train(model, loader, lr=0.01):
    bc = BinaryConnect(model)
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    losses, top1 = AverageMeter(), AverageMeter()
    model.train()
    for x, y in loader:
        bc.binarization()
        out = model(x)
        loss = F.cross_entropy(out, y)
        bc.restore()
        losses.update(loss, x.size(0))
        top1.update((out.argmax(1) == y).float().mean(), x.size(0))
        opt.zero_grad()
        loss.backward()
        opt.step()
        bc.clip()
    return losses.sum / losses.count, top1.sum / top1.count


# --- driver ---
torch.manual_seed(0)
data = [(torch.randn(4, 1, 8, 8), torch.randint(0, 4, (4,))) for _ in range(2)]
train(BinNet(), data)
