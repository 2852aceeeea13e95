"""Anchor-based single-scale detector head with a GIoU + L1 objective."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_anchors(grid, sizes):
    ys, xs = torch.meshgrid(torch.arange(grid), torch.arange(grid), indexing="ij")
    centre = (torch.stack([xs, ys], -1).float() + 0.5) / grid
    centre = centre.view(-1, 1, 2).expand(-1, len(sizes), 2)
    wh = torch.tensor(sizes).view(1, -1, 1).expand(centre.size(0), -1, 2)
    return torch.cat([centre, wh], -1).reshape(-1, 4)


class BoxCoder:
    """(dx, dy, dw, dh) <-> (x, y, w, h) with the top-left corner convention."""

    def __init__(self, anchors):
        self.anchors = anchors

    def decode(self, deltas):
        a = self.anchors
        wh = a[:, 2:] * deltas[..., 2:].exp()
        xy = a[:, :2] + deltas[..., :2] * a[:, 2:] - wh / 2
        return torch.cat([xy, wh], dim=-1)

    def nearest(self, boxes):
        centre = boxes[..., :2] + boxes[..., 2:] / 2
        return torch.cdist(centre, self.anchors[:, :2]).argmin(-1)


def xywh_area(boxes):
    return boxes[..., 2] * boxes[..., 3]


def xywh_to_xyxy_(boxes):
    boxes[..., 2:] += boxes[..., :2]  # BUG
    return boxes


def giou(pred, target):
    area_p, area_t = xywh_area(pred), xywh_area(target)
    p, t = xywh_to_xyxy_(pred), xywh_to_xyxy_(target.clone())
    lt, rb = torch.maximum(p[..., :2], t[..., :2]), torch.minimum(p[..., 2:], t[..., 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    union = area_p + area_t - inter
    hull = (torch.maximum(p[..., 2:], t[..., 2:]) - torch.minimum(p[..., :2], t[..., :2])).prod(-1)
    return inter / union - (hull - union) / hull


class DetectorHead(nn.Module):
    def __init__(self, channels=8, per_cell=2, classes=3):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, channels, 3, stride=2, padding=1), nn.BatchNorm2d(channels), nn.SiLU(),
            nn.Conv2d(channels, channels, 3, stride=2, padding=1), nn.SiLU())
        self.box = nn.Conv2d(channels, per_cell * 4, 1)
        self.cls = nn.Conv2d(channels, per_cell * classes, 1)
        self.classes = classes

    def forward(self, images):
        f = self.stem(images)
        flat = lambda t, k: t.permute(0, 2, 3, 1).reshape(t.size(0), -1, k)
        return flat(self.box(f), 4), flat(self.cls(f), self.classes)


class DetectionLoss(nn.Module):
    def __init__(self, coder, w_l1=1.0, w_iou=2.0):
        super().__init__()
        self.coder, self.w_l1, self.w_iou = coder, w_l1, w_iou

    def forward(self, deltas, logits, gt_boxes, gt_labels):
        pick = self.coder.nearest(gt_boxes)
        rows = torch.arange(pick.size(0))
        boxes = self.coder.decode(deltas)[rows, pick]
        l1 = F.l1_loss(boxes, gt_boxes)
        overlap = giou(boxes, gt_boxes)
        onehot = torch.zeros_like(logits)
        onehot[rows, pick, gt_labels] = 1.0
        cls = F.binary_cross_entropy_with_logits(logits, onehot)
        return cls + self.w_l1 * l1 + self.w_iou * (1 - overlap).mean()


# --- driver ---
torch.manual_seed(6)
head = DetectorHead()
criterion = DetectionLoss(BoxCoder(make_anchors(4, [0.2, 0.5])))
opt = torch.optim.SGD(head.parameters(), lr=0.01)
for _ in range(2):
    gt = torch.rand(5, 4) * 0.4 + 0.1
    loss = criterion(*head(torch.rand(5, 3, 16, 16)), gt, torch.randint(0, 3, (5,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
