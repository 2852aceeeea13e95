"""One-scale YOLO-like detector: decoding, assignment, loss, NMS."""
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F


class Detect(nn.Module):
    def __init__(self, ch, anchors, nc, stride):
        super().__init__()
        self.nc, self.stride, self.no = nc, stride, nc + 5
        self.register_buffer("anchors", torch.tensor(anchors).float())
        self.conv = nn.Conv2d(ch, len(anchors) * self.no, 1)
        self._bias_init()

    def _bias_init(self):
        b = self.conv.bias.view(len(self.anchors), -1)
        b.data[:, 4] += -2.0
        b.data[:, 5:] += -1.0

    def forward(self, x):
        b, _, h, w = x.shape
        raw = self.conv(x).view(b, len(self.anchors), self.no, h, w).permute(0, 1, 3, 4, 2)
        yy, xx = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        grid = torch.stack([xx, yy], -1).float()
        pred = raw.contiguous().clone()
        pred[..., :2] = (raw[..., :2].sigmoid() * 2 - 0.5 + grid) * self.stride
        pred[..., 2:4] = (raw[..., 2:4].sigmoid() * 2) ** 2 * self.anchors.view(1, -1, 1, 1, 2)
        return pred


def to_xyxy(box):
    out = torch.empty_like(box)
    half = box[..., 2:] / 2
    out[..., :2] = box[..., :2] - half
    out[..., 2:] = box[..., :2] + half
    return out


def iou(a, b, eps=1e-7):
    a, b = to_xyxy(a), to_xyxy(b)
    wh = (torch.min(a[..., 2:], b[..., 2:]) - torch.max(a[..., :2], b[..., :2])).clamp_(min=0)
    inter = wh.prod(-1)
    union = (a[..., 2:] - a[..., :2]).prod(-1) + (b[..., 2:] - b[..., :2]).prod(-1)
    union -= inter
    return inter / (union + eps)


class Assigner:
    def __init__(self, stride, anchors, ratio=4.0):
        self.stride, self.anchors, self.ratio = stride, anchors, ratio

    @torch.no_grad()
    def __call__(self, targets, shape):
        b, a, h, w = shape
        obj = torch.zeros(shape, dtype=torch.bool)
        box = torch.zeros(b, a, h, w, 4)
        cls = torch.zeros(b, a, h, w, dtype=torch.long)
        for img, c, *xywh in targets.tolist():
            t = torch.tensor(xywh)
            r = t[2:] / self.anchors
            ok = torch.max(r, 1 / r).amax(1) < self.ratio
            i, j = (t[:2] / self.stride).long().clamp_(max=h - 1).tolist()
            obj[int(img), ok, j, i] = True
            box[int(img), ok, j, i] = t
            cls[int(img), ok, j, i] = int(c)
        return obj, box, cls


class YoloLoss:
    def __init__(self, head: Detect, hyp):
        self.hyp, self.nc = hyp, head.nc
        self.assign = Assigner(head.stride, head.anchors)

    def __call__(self, pred, targets):
        obj, box, cls = self.assign(targets, pred.shape[:4])
        tobj = torch.zeros(pred.shape[:4])
        lbox = lcls = pred.sum() * 0
        if obj.any():
            p = pred[obj]
            score = iou(p[:, :4], box[obj])
            tobj[obj] = score.detach().clamp_(min=0)
            lbox = (1 - score).mean()
            onehot = torch.full((len(p), self.nc), self.hyp.smooth / 2)
            onehot[range(len(p)), cls[obj]] = 1 - self.hyp.smooth / 2
            lcls = F.binary_cross_entropy_with_logits(p[:, 5:], onehot)
        lobj = F.binary_cross_entropy_with_logits(pred[..., 4], tobj)
        return self.hyp.box * lbox + self.hyp.cls * lcls + self.hyp.obj * lobj


@torch.no_grad()
def nms(pred, conf=0.05, thr=0.5):
    flat = pred.reshape(-1, pred.size(-1)).clone()
    flat[:, 4:].sigmoid_()
    flat[:, 5:] *= flat[:, 4:5]
    score, label = flat[:, 5:].max(1)
    order = score.argsort(descending=True)
    alive = score[order] > conf
    keep = []
    for k in range(len(order)):
        if not alive[k]:
            continue
        keep.append(int(order[k]))
        alive &= iou(flat[order[k], None, :4], flat[order, :4]) < thr
    return flat[keep, :4], label[keep]


def build(nc=3):
    def c(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, 2, 1, bias=False), nn.BatchNorm2d(o), nn.SiLU(inplace=True))
    return nn.Sequential(c(3, 6), c(6, 8), Detect(8, [[4, 4], [8, 6]], nc, 4))


# --- driver ---
torch.manual_seed(0)
net = build()
crit = YoloLoss(net[-1], SimpleNamespace(box=0.05, cls=0.5, obj=1.0, smooth=0.1))
opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
tgt = torch.tensor([[0, 1, 7.0, 7.0, 5.0, 4.0], [1, 2, 12.0, 3.0, 7.0, 7.0]])
for _ in range(2):
    opt.zero_grad()
    out = net(torch.rand(2, 3, 16, 16))
    crit(out, tgt).backward()
    opt.step()
nms(out[0])
