"""Top-down feature pyramid with a heatmap head for keypoints."""
from collections import OrderedDict
from typing import Dict, List

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class ConvAct(nn.Module):
    def __init__(self, cin: int, cout: int, k: int = 3, stride: int = 1):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, k, stride, k // 2)
        self.norm = nn.GroupNorm(2, cout)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.norm(self.conv(x)))


class BottomUp(nn.Module):
    def __init__(self, widths: List[int]):
        super().__init__()
        self.steps = nn.ModuleDict()
        cin = 3
        for i, w in enumerate(widths):
            self.steps[f"c{i + 2}"] = nn.Sequential(ConvAct(cin, w, stride=2), ConvAct(w, w))
            cin = w

    def forward(self, x: Tensor) -> "OrderedDict[str, Tensor]":
        out = OrderedDict()
        for name, step in self.steps.items():
            x = step(x)
            out[name] = x
        return out


class TopDown(nn.Module):
    def __init__(self, widths: List[int], dim: int):
        super().__init__()
        self.lateral = nn.ModuleList(ConvAct(w, dim, k=1) for w in widths)
        self.smooth = nn.ModuleList(nn.Conv2d(dim, dim, 3, padding=1) for _ in widths)

    def forward(self, feats: Dict[str, Tensor]) -> List[Tensor]:
        maps = [lat(f) for lat, f in zip(self.lateral, feats.values())]
        for fine, coarse in zip(maps[-2::-1], maps[:0:-1]):
            fine += F.interpolate(coarse, size=fine.shape[-2:], mode="nearest")  # BUG
        return [conv(m) for conv, m in zip(self.smooth, maps)]


class KeypointHead(nn.Module):
    def __init__(self, dim: int, joints: int):
        super().__init__()
        self.body = ConvAct(dim, dim)
        self.out = nn.Conv2d(dim, joints, 1)
        nn.init.constant_(self.out.bias, -2.0)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.body(x))


class PoseNet(nn.Module):
    def __init__(self, joints: int = 4, widths=(8, 12, 16), dim: int = 8):
        super().__init__()
        self.backbone, self.neck = BottomUp(list(widths)), TopDown(list(widths), dim)
        self.head = KeypointHead(dim, joints)

    def forward(self, x: Tensor) -> List[Tensor]:
        return [self.head(p) for p in self.neck(self.backbone(x))]


def render_heatmaps(points: Tensor, side: int, sigma: float) -> Tensor:
    grid = torch.arange(side).float().add_(0.5).div_(side)
    dx = (grid - points[..., 0:1]).square_()
    dy = (grid - points[..., 1:2]).square_()
    return torch.exp(-(dy.unsqueeze(-1) + dx.unsqueeze(-2)) / (2 * sigma ** 2))


def heatmap_focal(logits: Tensor, target: Tensor, alpha: float = 2.0, beta: float = 4.0) -> Tensor:
    p = logits.sigmoid().clamp(1e-4, 1 - 1e-4)
    positive = target > 0.9
    gain = torch.where(positive, (1 - p) ** alpha * p.log(), (1 - target) ** beta * p ** alpha * (1 - p).log())
    return -gain.sum() / positive.sum().clamp_(min=1)


def pyramid_loss(outputs: List[Tensor], points: Tensor) -> Tensor:
    return sum(heatmap_focal(o, render_heatmaps(points, o.shape[-1], 0.08)) for o in outputs)


# --- driver ---
torch.manual_seed(30)
model = PoseNet()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(2):
    loss = pyramid_loss(model(torch.randn(2, 3, 32, 32)), torch.rand(2, 4, 2))
    opt.zero_grad()
    loss.backward()
    opt.step()
