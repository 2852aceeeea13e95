"""Anchor-free dense detector with focal classification loss."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvGN(nn.Sequential):
    def __init__(self, cin, cout, k=3, s=1):
        super().__init__(
            nn.Conv2d(cin, cout, k, s, k // 2, bias=False),
            nn.GroupNorm(4, cout),
            nn.ReLU(inplace=True),
        )


class DenseHead(nn.Module):
    def __init__(self, ch, num_classes, prior=0.01):
        super().__init__()
        self.tower_cls = ConvGN(ch, ch)
        self.tower_box = ConvGN(ch, ch)
        self.cls = nn.Conv2d(ch, num_classes, 3, padding=1)
        self.box = nn.Conv2d(ch, 4, 3, padding=1)
        self.scale = nn.Parameter(torch.ones(1))
        bias = -torch.log(torch.tensor((1 - prior) / prior))
        nn.init.constant_(self.cls.bias, float(bias))

    def forward(self, f):
        dist = self.box(self.tower_box(f)) * self.scale
        return self.cls(self.tower_cls(f)), F.relu(dist, inplace=True)


class FocalLoss(nn.Module):
    def __init__(self, alpha=0.25, gamma=2.0, eps=1e-4):
        super().__init__()
        self.alpha, self.gamma, self.eps = alpha, gamma, eps

    def forward(self, logits, target):
        prob = torch.sigmoid(logits)
        prob.clamp_(self.eps, 1 - self.eps)  # BUG
        pos = target * (1 - prob).pow(self.gamma) * prob.log()
        neg = (1 - target) * prob.pow(self.gamma) * torch.log1p(-prob)
        loss = -(self.alpha * pos + (1 - self.alpha) * neg)
        return loss.sum() / target.sum().clamp_(min=1.0)


class IoULoss(nn.Module):
    def forward(self, pred, gt):
        inter = (torch.minimum(pred[:, 0], gt[:, 0]) + torch.minimum(pred[:, 2], gt[:, 2])) * (
            torch.minimum(pred[:, 1], gt[:, 1]) + torch.minimum(pred[:, 3], gt[:, 3])
        )
        area = lambda d: (d[:, 0] + d[:, 2]) * (d[:, 1] + d[:, 3])
        union = area(pred) + area(gt) - inter
        return -torch.log((inter + 1.0) / (union + 1.0)).mean()


class Assigner:
    def __init__(self, stride, num_classes):
        self.stride, self.num_classes = stride, num_classes

    def __call__(self, boxes, labels, hw):
        h, w = hw
        cls = torch.zeros(self.num_classes, h, w)
        reg = torch.zeros(4, h, w)
        pos = torch.zeros(h, w, dtype=torch.bool)
        ys = (torch.arange(h) + 0.5) * self.stride
        xs = (torch.arange(w) + 0.5) * self.stride
        for (x0, y0, x1, y1), c in zip(boxes.tolist(), labels.tolist()):
            inside = ((ys > y0) & (ys < y1))[:, None] & ((xs > x0) & (xs < x1))[None]
            pos |= inside
            cls[c][inside] = 1.0
            l = (xs - x0)[None].expand(h, w)
            t = (ys - y0)[:, None].expand(h, w)
            full = torch.stack([l, t, x1 - x0 - l, y1 - y0 - t])
            reg[:, inside] = full[:, inside]
        return cls, reg / self.stride, pos


class Detector(nn.Module):
    def __init__(self, ch=16, num_classes=3):
        super().__init__()
        self.backbone = nn.Sequential(ConvGN(3, ch, s=2), ConvGN(ch, ch, s=2))
        self.head = DenseHead(ch, num_classes)
        self.assigner = Assigner(4, num_classes)
        self.focal, self.iou = FocalLoss(), IoULoss()

    def forward(self, img, boxes, labels):
        cls, reg = self.head(self.backbone(img))
        targets = [self.assigner(b, l, cls.shape[-2:]) for b, l in zip(boxes, labels)]
        t_cls, t_reg, pos = (torch.stack(t) for t in zip(*targets))
        losses = {"cls": self.focal(cls, t_cls)}
        losses["box"] = self.iou(reg.permute(0, 2, 3, 1)[pos], t_reg.permute(0, 2, 3, 1)[pos])
        return losses


def train_one(model, opt, batch):
    losses = model(*batch)
    total = sum(losses.values())
    opt.zero_grad()
    total.backward()
    opt.step()
    return {k: v.item() for k, v in losses.items()}


# --- driver ---
torch.manual_seed(0)
det = Detector()
sgd = torch.optim.SGD(det.parameters(), lr=0.01)
boxes = [torch.tensor([[2.0, 2.0, 18.0, 20.0]]), torch.tensor([[8.0, 4.0, 28.0, 30.0]])]
train_one(det, sgd, (torch.randn(2, 3, 32, 32), boxes, [torch.tensor([1]), torch.tensor([2])]))
