import math
import torch
import torch.nn as nn

IMG_H, IMG_W = 96, 128


def area(b):
    return (b[:, 2] - b[:, 0]).clamp(min=0) * (b[:, 3] - b[:, 1]).clamp(min=0)


def giou(a, b):
    lt = torch.max(a[:, :2], b[:, :2])
    rb = torch.min(a[:, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, 0] * wh[:, 1]
    union = area(a) + area(b) - inter
    hull_lt = torch.min(a[:, :2], b[:, :2])
    hull_rb = torch.max(a[:, 2:], b[:, 2:])
    hull = (hull_rb - hull_lt).prod(dim=1)
    return inter / (union + 1e-6) - (hull - union) / (hull + 1e-6)


def clip_to_image(boxes, h, w):
    boxes[:, 0::2].clamp_(0, w)
    boxes[:, 1::2].clamp_(0, h)
    return boxes


class DeltaCoder:
    """(dx, dy, dw, dh) relative to anchors, as in Faster R-CNN."""

    weights = (10.0, 10.0, 5.0, 5.0)
    clip = math.log(1000.0 / 16)

    def decode(self, deltas, anchors):
        wx, wy, ww, wh = self.weights
        aw = anchors[:, 2] - anchors[:, 0]
        ah = anchors[:, 3] - anchors[:, 1]
        cx = anchors[:, 0] + 0.5 * aw + deltas[:, 0] / wx * aw
        cy = anchors[:, 1] + 0.5 * ah + deltas[:, 1] / wy * ah
        w = aw * torch.exp((deltas[:, 2] / ww).clamp(max=self.clip))
        h = ah * torch.exp((deltas[:, 3] / wh).clamp(max=self.clip))
        out = torch.empty_like(deltas)
        out[:, 0] = cx - 0.5 * w
        out[:, 1] = cy - 0.5 * h
        out[:, 2] = cx + 0.5 * w
        out[:, 3] = cy + 0.5 * h
        return out


class BoxRegressor(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.coder = DeltaCoder()
        self.mlp = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(inplace=True), nn.Linear(32, 4))

    def forward(self, feats, anchors):
        boxes = self.coder.decode(self.mlp(feats), anchors)
        return clip_to_image(boxes, IMG_H, IMG_W)


def random_boxes(n, jitter=None):
    c = torch.rand(n, 2) * torch.tensor([IMG_W, IMG_H])
    wh = 10 + 30 * torch.rand(n, 2)
    return torch.cat([c - wh / 2, c + wh / 2], dim=1)


def fit(model, steps=4):
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        gt = clip_to_image(random_boxes(40), IMG_H, IMG_W)
        anchors = gt + 3 * torch.randn_like(gt)
        anchors[:, 2:] = torch.maximum(anchors[:, 2:], anchors[:, :2] + 4)
        pred = model(torch.randn(40, 24), anchors)
        loss = (1 - giou(pred, gt)).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(3)
net = BoxRegressor()
for value in fit(net):
    print(f"giou loss {value:.4f}")
