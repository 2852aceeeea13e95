from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class FocalCfg:
    alpha: float = 0.25
    gamma: float = 2.0
    ignore_index: int = -1
    box_weight: float = 1.0


def one_hot_targets(labels, n_classes, ignore_index):
    safe = labels.clamp(min=0)
    t = torch.zeros(*labels.shape, n_classes)
    t.scatter_(-1, safe.unsqueeze(-1), 1.0)
    t[labels == ignore_index] = 0
    return t[..., 1:]


class FocalLoss(nn.Module):
    def __init__(self, cfg: FocalCfg):
        super().__init__()
        self.cfg = cfg

    def forward(self, logits, labels):
        cfg = self.cfg
        prob = logits.sigmoid()
        target = one_hot_targets(labels, logits.size(-1) + 1, cfg.ignore_index)
        ignored = labels.eq(cfg.ignore_index)
        pt = prob * target + (1 - prob) * (1 - target)
        weight = cfg.alpha * target + (1 - cfg.alpha) * (1 - target)
        prob[ignored] = 0.0  # BUG
        keep = (~ignored).unsqueeze(-1).to(pt.dtype)
        loss = -weight * (1 - pt).pow(cfg.gamma) * pt.clamp(min=1e-6).log() * keep
        n_pos = (labels > 0).sum().clamp(min=1)
        return loss.sum() / n_pos, prob.detach().amax(-1)


class RetinaHead(nn.Module):
    def __init__(self, ch, n_anchor, n_classes, depth=2):
        super().__init__()
        self.n_classes = n_classes
        tower = lambda: nn.Sequential(*[m for _ in range(depth) for m in (nn.Conv2d(ch, ch, 3, padding=1), nn.ReLU(inplace=True))])
        self.cls_tower, self.box_tower = tower(), tower()
        self.cls = nn.Conv2d(ch, n_anchor * n_classes, 3, padding=1)
        self.box = nn.Conv2d(ch, n_anchor * 4, 3, padding=1)
        nn.init.constant_(self.cls.bias, -2.0)

    def forward(self, feats):
        cls, box = [], []
        for f in feats:
            b = f.size(0)
            cls.append(self.cls(self.cls_tower(f)).permute(0, 2, 3, 1).reshape(b, -1, self.n_classes))
            box.append(self.box(self.box_tower(f)).permute(0, 2, 3, 1).reshape(b, -1, 4))
        return torch.cat(cls, 1), torch.cat(box, 1)


class DetectionCriterion(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.focal = FocalLoss(cfg)

    def forward(self, outputs, labels, boxes):
        cls, box = outputs
        cls_loss, conf = self.focal(cls, labels)
        pos = labels > 0
        box_loss = F.smooth_l1_loss(box[pos], boxes[pos]) if pos.any() else box.sum() * 0
        return cls_loss + self.cfg.box_weight * box_loss, conf


# --- driver ---
torch.manual_seed(9)
head = RetinaHead(8, 2, 3)
crit = DetectionCriterion(FocalCfg())
feats = [torch.randn(2, 8, 4, 4), torch.randn(2, 8, 2, 2)]
n = (16 + 4) * 2
labels = torch.randint(-1, 4, (2, n))
loss, conf = crit(head(feats), labels, torch.randn(2, n, 4))
loss.backward()
