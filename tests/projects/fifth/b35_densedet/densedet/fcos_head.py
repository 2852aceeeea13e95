import torch
import torch.nn as nn
import torch.nn.functional as F

from .anchor_free_head import AnchorFreeHead, Scale, multi_apply


class FCOSHead(AnchorFreeHead):
    """FCOS.

    norm_on_bbox: distances are ReLU outputs in units of the stride (centerness on the regression
    tower goes with it); else exp is used.
    forward(feats) -> (cls, boxes as distances in pixels, centerness), lists over levels.
    """

    def __init__(self, *args, norm_on_bbox=False, centerness_on_reg=False, **kwargs):
        super(FCOSHead, self).__init__(*args, **kwargs)
        self.norm_on_bbox = norm_on_bbox
        self.centerness_on_reg = centerness_on_reg
        self.conv_centerness = nn.Conv2d(self.conv_reg.in_channels, 1, 3, padding=1)
        self.scales = nn.ModuleList([Scale(1.0) for _ in self.strides])

    def forward(self, feats):
        return multi_apply(self.forward_single, feats, self.scales, self.strides)

    def forward_single(self, x, scale, stride):
        cls_score, bbox, cls_feat, reg_feat = super(FCOSHead, self).forward_single(x)
        ctr = self.conv_centerness(reg_feat if self.centerness_on_reg else cls_feat)
        bbox = scale(bbox).float()
        if self.norm_on_bbox:
            bbox = self.to_distance(F.relu(bbox), stride)
        else:
            bbox = bbox.exp()
        return cls_score, bbox, ctr

    def decode(self, bbox, stride):
        b, _, h, w = bbox.shape
        p = self.points(h, w, stride)
        d = bbox.permute(0, 2, 3, 1).reshape(b, -1, 4)
        return torch.cat([p - d[..., :2], p + d[..., 2:]], -1)

    def decode_all(self, bboxes):
        return torch.cat([self.decode(b, s) for b, s in zip(bboxes, self.strides)], 1)
