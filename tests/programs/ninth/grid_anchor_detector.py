import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvBN(nn.Module):
    def __init__(self, c1, c2, k=3, s=1):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, k // 2, bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = nn.SiLU(inplace=True)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Detect(nn.Module):
    stride = None

    def __init__(self, nc, anchors, ch):
        super().__init__()
        self.nc, self.no = nc, nc + 5
        self.nl, self.na = len(anchors), len(anchors[0]) // 2
        self.register_buffer("anchors", torch.tensor(anchors).float().view(self.nl, -1, 2))
        self.m = nn.ModuleList(nn.Conv2d(c, self.no * self.na, 1) for c in ch)

    @staticmethod
    def _grid(ny, nx):
        yv, xv = torch.meshgrid(torch.arange(ny), torch.arange(nx), indexing="ij")
        return torch.stack((xv, yv), -1).view(1, 1, ny, nx, 2).float()

    def forward(self, feats):
        outs = []
        for i, f in enumerate(feats):
            x = self.m[i](f)
            b, _, ny, nx = x.shape
            x = x.view(b, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
            y = x.sigmoid()
            xy = (y[..., 0:2] * 2.0 - 0.5 + self._grid(ny, nx)) * self.stride[i]
            wh = (y[..., 2:4] * 2) ** 2 * self.anchors[i].view(1, self.na, 1, 1, 2)
            y[..., 0:4] = torch.cat((xy, wh), -1)  # BUG
            outs.append(y.view(b, -1, self.no))
        return torch.cat(outs, 1)


class TinyDet(nn.Module):
    def __init__(self, nc=2, w=8):
        super().__init__()
        self.stem = ConvBN(3, w, 3, 2)
        self.p3 = ConvBN(w, w, 3, 2)
        self.p4 = ConvBN(w, 2 * w, 3, 2)
        self.detect = Detect(nc, [[8, 8, 12, 12], [16, 16, 24, 24]], (w, 2 * w))
        self.detect.stride = torch.tensor([4.0, 8.0])

    def forward(self, x):
        p3 = self.p3(self.stem(x))
        return self.detect([p3, self.p4(p3)])


def cxcywh_iou(a, b, eps=1e-7):
    a1, a2 = a[..., :2] - a[..., 2:] / 2, a[..., :2] + a[..., 2:] / 2
    b1, b2 = b[..., :2] - b[..., 2:] / 2, b[..., :2] + b[..., 2:] / 2
    wh = (torch.min(a2, b2) - torch.max(a1, b1)).clamp(min=0)
    inter = wh.prod(-1)
    return inter / (a[..., 2:].prod(-1) + b[..., 2:].prod(-1) - inter + eps)


def detection_loss(pred, gt_box, gt_cls):
    iou = cxcywh_iou(pred[..., :4], gt_box[:, None])
    best = iou.argmax(1)
    rows = torch.arange(len(pred))
    obj = torch.zeros_like(iou)
    obj[rows, best] = iou.detach()[rows, best]
    lbox = (1 - iou[rows, best]).mean()
    lobj = F.binary_cross_entropy(pred[..., 4], obj)
    lcls = F.binary_cross_entropy(pred[rows, best, 5:], F.one_hot(gt_cls, pred.size(-1) - 5).float())
    return lbox + lobj + lcls


# --- driver ---
torch.manual_seed(19)
det = TinyDet()
opt = torch.optim.SGD(det.parameters(), lr=1e-2, momentum=0.9, nesterov=True)
boxes = torch.tensor([[16.0, 16, 10, 12], [8, 20, 9, 9]])
loss = detection_loss(det(torch.randn(2, 3, 32, 32)), boxes, torch.tensor([0, 1]))
loss.backward()
opt.step()
