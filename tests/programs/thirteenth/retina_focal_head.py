"""Single-stage detector head with focal loss; logs a quick recall proxy every step."""
from dataclasses import dataclass
from typing import Dict, List

import torch
from torch import Tensor, nn
import torch.nn.functional as F


@dataclass
class HeadConfig:
    in_channels: int = 16
    num_classes: int = 4
    num_anchors: int = 3
    score_thresh: float = 0.3
    topk: int = 10
    alpha: float = 0.25
    gamma: float = 2.0


class RetinaHead(nn.Module):
    def __init__(self, cfg: HeadConfig):
        super().__init__()
        self.cfg = cfg
        self.tower = nn.Sequential(
            nn.Conv2d(cfg.in_channels, cfg.in_channels, 3, padding=1),
            nn.GroupNorm(4, cfg.in_channels),
            nn.ReLU(inplace=True),
        )
        self.cls = nn.Conv2d(cfg.in_channels, cfg.num_anchors * cfg.num_classes, 3, padding=1)
        nn.init.constant_(self.cls.bias, -2.0)

    def forward(self, feats: List[Tensor]) -> Tensor:
        out = []
        for f in feats:
            logit = self.cls(self.tower(f))
            b, _, h, w = logit.shape
            logit = logit.view(b, self.cfg.num_anchors, self.cfg.num_classes, h, w)
            out.append(logit.permute(0, 3, 4, 1, 2).reshape(b, -1, self.cfg.num_classes))
        return torch.cat(out, dim=1).sigmoid()


class FocalLoss(nn.Module):
    def __init__(self, alpha: float, gamma: float):
        super().__init__()
        self.alpha, self.gamma = alpha, gamma

    def forward(self, prob: Tensor, target: Tensor) -> Tensor:
        ce = F.binary_cross_entropy(prob, target, reduction="none")
        p_t = prob * target + (1 - prob) * (1 - target)
        alpha_t = self.alpha * target + (1 - self.alpha) * (1 - target)
        loss = alpha_t * ce * (1 - p_t) ** self.gamma
        return loss.sum() / target.sum().clamp(min=1.0)


class PostProcessor:
    """Turns class probabilities into a ranked list of candidates."""

    def __init__(self, cfg: HeadConfig):
        self.cfg = cfg

    @torch.no_grad()
    def __call__(self, prob: Tensor) -> List[Dict[str, Tensor]]:
        prob[prob < self.cfg.score_thresh] = 0.0  # BUG
        results = []
        for p in prob:
            flat = p.flatten()
            score, idx = flat.topk(self.cfg.topk)
            keep = score > 0
            results.append({"scores": score[keep], "labels": idx[keep] % self.cfg.num_classes,
                            "anchors": idx[keep] // self.cfg.num_classes})
        return results


class Detector(nn.Module):
    def __init__(self, cfg: HeadConfig):
        super().__init__()
        self.head = RetinaHead(cfg)
        self.criterion = FocalLoss(cfg.alpha, cfg.gamma)
        self.post = PostProcessor(cfg)

    def training_step(self, feats: List[Tensor], target: Tensor):
        prob = self.head(feats)
        loss = self.criterion(prob, target)
        dets = self.post(prob)
        return loss, {"n_dets": sum(len(d["scores"]) for d in dets)}


# --- driver ---
torch.manual_seed(0)
cfg = HeadConfig()
det = Detector(cfg)
opt = torch.optim.SGD(det.parameters(), lr=1e-2, momentum=0.9)
for it in range(3):
    feats = [torch.randn(2, 16, s, s) for s in (8, 4)]
    n = (64 + 16) * cfg.num_anchors
    target = (torch.rand(2, n, cfg.num_classes) < 0.02).float()
    loss, log = det.training_step(feats, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, float(loss), log)
