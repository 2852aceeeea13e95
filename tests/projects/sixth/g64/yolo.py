import torch
import torch.nn as nn
import torch.nn.functional as F


class YOLOLayer(nn.Module):
    def __init__(self, anchors, num_classes, grid):
        super(YOLOLayer, self).__init__()
        self.register_buffer('anchors', torch.tensor(anchors, dtype=torch.float))
        self.nc, self.g, self.na = num_classes, grid, len(anchors)
        y, x = torch.meshgrid(torch.arange(grid), torch.arange(grid), indexing='ij')
        self.register_buffer('offset', torch.stack([x, y], -1).float())

    def decode(self, p):
        io = p.detach().clone()
        io[..., 0:2].sigmoid_()
        io[..., 0:2] += self.offset
        io[..., 2:4] = torch.exp(io[..., 2:4]) * self.anchors.view(1, -1, 1, 1, 2)
        io[..., 4:].sigmoid_()
        return io

    def build_targets(self, boxes, B):
        shape = (B, self.na, self.g, self.g)
        obj, noobj = torch.zeros(shape, dtype=torch.bool), torch.ones(shape, dtype=torch.bool)
        txy, twh, tcls = torch.zeros(*shape, 2), torch.zeros(*shape, 2), torch.zeros(*shape, dtype=torch.long)
        gxy = boxes[:, 2:4] * self.g
        gwh = boxes[:, 4:6] * self.g
        inter = torch.min(gwh[:, None], self.anchors[None]).prod(2)
        union = gwh.prod(1, keepdim=True) + self.anchors.prod(1)[None]
        union -= inter
        iou = inter / union
        a = iou.argmax(1)
        b, c = boxes[:, 0].long(), boxes[:, 1].long()
        gi, gj = gxy.long().clamp_(0, self.g - 1).t()
        obj[b, a, gj, gi] = True
        noobj[b, a, gj, gi] = False
        for i, r in enumerate(iou):
            noobj[b[i], r > 0.5, gj[i], gi[i]] = False
        txy[b, a, gj, gi] = gxy - gxy.floor()
        twh[b, a, gj, gi] = torch.log(gwh / self.anchors[a] + 1e-9)
        tcls[b, a, gj, gi] = c
        return obj, noobj, txy, twh, tcls

    def forward(self, x, boxes=None):
        B = x.size(0)
        p = x.view(B, self.na, 5 + self.nc, self.g, self.g).permute(0, 1, 3, 4, 2).contiguous()
        io = self.decode(p)
        if boxes is None:
            return io, None
        obj, noobj, txy, twh, tcls = self.build_targets(boxes, B)
        po = p[obj]
        loss = F.mse_loss(po[:, 0:2].sigmoid(), txy[obj])
        loss += F.mse_loss(po[:, 2:4], twh[obj])
        conf = p[..., 4]
        loss += F.binary_cross_entropy_with_logits(conf[obj], torch.ones(int(obj.sum())))
        loss += 0.5 * F.binary_cross_entropy_with_logits(conf[noobj], torch.zeros(int(noobj.sum())))
        loss += F.cross_entropy(po[:, 5:], tcls[obj])
        return io, loss
