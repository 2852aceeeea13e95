"""Segmentation net with an unrolled mean-field layer on top (learned compatibilities, local Gaussian filter)."""
import torch
import torch.nn as nn
import torch.nn.functional as F

VOID = 255


def gaussian_kernel(size, sigma):
    r = torch.arange(size).float().sub_(size // 2)
    g = torch.exp(-r.square() / (2 * sigma ** 2))
    k = torch.outer(g, g)
    k[size // 2, size // 2] = 0
    k /= k.sum()
    return k


class LocalFilter(nn.Module):
    """Spreads beliefs to neighbours; void pixels send nothing."""

    def __init__(self, size=5, sigma=1.5):
        super().__init__()
        self.register_buffer("kernel", gaussian_kernel(size, sigma)[None, None])

    def forward(self, q, valid):
        c = q.shape[1]
        q.mul_(valid)  # BUG
        weight = self.kernel.expand(c, -1, -1, -1)
        spread = F.conv2d(q, weight, padding=weight.shape[-1] // 2, groups=c)
        mass = F.conv2d(valid, self.kernel, padding=weight.shape[-1] // 2)
        return spread / mass.clamp_(min=1e-3)


class MeanField(nn.Module):
    def __init__(self, classes, iterations=3):
        super().__init__()
        self.iterations = iterations
        self.filter = LocalFilter()
        potts = torch.ones(classes, classes)
        potts.fill_diagonal_(0)
        self.compat = nn.Parameter(potts)
        self.strength = nn.Parameter(torch.tensor(0.5))

    def forward(self, unary, valid):
        logits = unary
        for _ in range(self.iterations):
            q = torch.softmax(logits, dim=1)
            message = self.filter(q, valid)
            penalty = torch.einsum("kc,bchw->bkhw", self.compat, message)
            logits = unary - self.strength * penalty
        return logits


class Backbone(nn.Module):
    def __init__(self, classes, ch=12):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, ch, 3, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True))
        self.context = nn.ModuleList(nn.Conv2d(ch, ch, 3, padding=d, dilation=d) for d in (1, 2))
        self.classify = nn.Conv2d(ch, classes, 1)

    def forward(self, x):
        f = self.down(x)
        f = f + sum(F.relu(conv(f)) for conv in self.context)
        return F.interpolate(self.classify(f), scale_factor=2, mode="bilinear", align_corners=False)


class SegModel(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.net, self.crf = Backbone(classes), MeanField(classes)

    def forward(self, img, valid):
        unary = self.net(img)
        return unary, self.crf(unary, valid)


class ConfusionMeter:
    def __init__(self, classes):
        self.mat = torch.zeros(classes, classes, dtype=torch.long)

    @torch.no_grad()
    def add(self, logits, target):
        keep = target != VOID
        idx = target[keep] * len(self.mat) + logits.argmax(1)[keep]
        self.mat += torch.bincount(idx, minlength=self.mat.numel()).view_as(self.mat)

    @property
    def miou(self):
        inter = self.mat.diagonal()
        return (inter / (self.mat.sum(0) + self.mat.sum(1) - inter).clamp_(min=1)).mean().item()


# --- driver ---
torch.manual_seed(21)
model, meter = SegModel(4), ConfusionMeter(4)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    img, target = torch.randn(2, 3, 12, 12), torch.randint(0, 4, (2, 12, 12))
    target[:, :2] = VOID
    unary, refined = model(img, (target != VOID).float().unsqueeze(1))
    loss = F.cross_entropy(refined, target, ignore_index=VOID) + 0.4 * F.cross_entropy(unary, target, ignore_index=VOID)
    opt.zero_grad()
    loss.backward()
    opt.step()
    meter.add(refined, target)
