import torch
import torch.nn as nn

from .boxes import clip_boxes, nms, xywh2xyxy


class AnchorFreeHead(nn.Module):
    def __init__(self, ch, nc, stride=4):
        super().__init__()
        self.pred = nn.Conv2d(ch, 5 + nc, 1)
        self.stride = stride
        self.pred.bias.data[4:].fill_(-2.0)

    def grid(self, h, w):
        gy, gx = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        return torch.stack((gx, gy), -1).view(1, h * w, 2).float()

    def forward(self, f):
        b, _, h, w = f.shape
        p = self.pred(f).flatten(2).transpose(1, 2)
        return self.decode(p, h, w)

    def decode(self, p, h, w):
        out = p.clone()
        out[..., :2] = (p[..., :2] + self.grid(h, w)) * self.stride
        out[..., 2:4] = p[..., 2:4].clamp(max=4).exp() * self.stride
        return out

    @torch.no_grad()
    def detect(self, f, thr=0.1):
        out = self(f)
        out[..., 4:].sigmoid_()
        boxes = clip_boxes(xywh2xyxy(out[..., :4]), (f.size(2) * 4, f.size(3) * 4))
        res = []
        for bx, sc in zip(boxes, out[..., 4]):
            m = sc > thr
            res.append(nms(bx[m], sc[m], 0.5))
        return res
