"""CenterNet-like detector: gaussian heatmap targets, penalty-reduced focal loss, ignore regions."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def draw_gaussian_(heatmap, cx, cy, radius):
    """Splats a peak into `heatmap` (H, W), keeping the maximum where peaks overlap."""
    h, w = heatmap.shape
    ys = torch.arange(h).float().sub_(cy).square_().unsqueeze(1)
    xs = torch.arange(w).float().sub_(cx).square_().unsqueeze(0)
    blob = torch.exp(-(ys + xs) / (2 * (radius / 3) ** 2))
    torch.maximum(heatmap, blob, out=heatmap)
    return heatmap


class TargetBuilder:
    def __init__(self, classes, size, stride):
        self.classes, self.size, self.stride = classes, size // stride, stride

    def __call__(self, samples):
        n, s = len(samples), self.size
        heat = torch.zeros(n, self.classes, s, s)
        reg = torch.zeros(n, 4, s, s)
        has = torch.zeros(n, s, s, dtype=torch.bool)
        ignore = torch.zeros(n, s, s, dtype=torch.bool)
        for i, objects in enumerate(samples):
            for label, x, y, w, h, crowd in objects:
                gx, gy = x / self.stride, y / self.stride
                col, row = int(gx), int(gy)
                if crowd:
                    ignore[i, max(row - 1, 0): row + 2, max(col - 1, 0): col + 2] = True
                    continue
                draw_gaussian_(heat[i, label], col, row, max(1.0, math.hypot(w, h) / self.stride))
                reg[i, :, row, col] = torch.tensor([gx - col, gy - row, math.log(w), math.log(h)])
                has[i, row, col] = True
        return heat, reg, has, ignore


class CentreNet(nn.Module):
    def __init__(self, classes, width=12):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        self.heat, self.reg = nn.Conv2d(width, classes, 1), nn.Conv2d(width, 4, 1)
        with torch.no_grad():
            self.heat.bias.fill_(-2.19)

    def forward(self, x):
        f = self.body(x)
        return self.heat(f), self.reg(f)

    @torch.no_grad()
    def peaks(self, x, k=5):
        heat, _ = self(x)
        heat.sigmoid_()
        heat[heat != F.max_pool2d(heat, 3, 1, 1)] = 0.0
        return heat.flatten(1).topk(k)


def focal_map(logits, target, alpha=2.0, beta=4.0):
    logp, lognot = F.logsigmoid(logits), F.logsigmoid(-logits)
    p = logits.sigmoid()
    positive = target.eq(1.0)
    return -torch.where(positive, (1 - p).pow(alpha) * logp, (1 - target).pow(beta) * p.pow(alpha) * lognot)


class DetectionCriterion(nn.Module):
    def __init__(self, reg_weight=0.5):
        super().__init__()
        self.reg_weight = reg_weight

    def forward(self, outputs, targets):
        (logits, reg), (heat, reg_t, has, ignore) = outputs, targets
        per_cell = focal_map(logits, heat)
        per_cell.masked_fill_(ignore.unsqueeze(1), 0.0)
        peaks = has.sum().clamp(min=1)
        error = (reg - reg_t).abs()
        error *= has.unsqueeze(1)
        return per_cell.sum() / peaks + self.reg_weight * error.sum() / peaks


def random_objects(size, count=3):
    pos = torch.rand(count, 4).tolist()
    return [(i % 2, x * (size - 1), y * (size - 1), 3 + 6 * w, 3 + 6 * h, i == count - 1) for i, (x, y, w, h) in enumerate(pos)]


# --- driver ---
torch.manual_seed(0)
net, build, criterion = CentreNet(2), TargetBuilder(2, 32, 4), DetectionCriterion()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    images = torch.rand(3, 3, 32, 32)
    loss = criterion(net(images), build([random_objects(32) for _ in range(3)]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
print(net.peaks(images).values.shape)
