from typing import Dict, Optional

import torch
from torch import Tensor

from . import geometry as geo


def rasterization(
    means: Tensor,
    quats: Tensor,
    scales: Tensor,
    opacities: Tensor,
    colors: Tensor,
    viewmat: Tensor,
    width: int,
    height: int,
    focal: float = 20.0,
    eps2d: float = 0.3,
    rasterize_mode: str = "classic",
    background: Optional[Tensor] = None,
) -> Dict[str, Tensor]:
    """Splat N gaussians on a (height, width) canvas.

    rasterize_mode: "classic", or "antialiased", which scales the opacity of each gaussian by the
    change of its area that comes from the low-pass filter.
    """
    assert rasterize_mode in ("classic", "antialiased"), rasterize_mode
    covs = geo.build_covariance(scales, quats)
    uv, cov2d, depth = geo.project(means, covs, viewmat, focal, width / 2, height / 2)
    if rasterize_mode == "antialiased":
        det_orig = geo.det2x2(cov2d)
        cov2d = geo.lowpass(cov2d, eps2d)
        comp = (det_orig / geo.det2x2(cov2d)).clamp(min=1e-6).sqrt()
        opacities = opacities * comp
    else:
        cov2d = geo.lowpass(cov2d, eps2d)
    conic = geo.invert2x2(cov2d)

    order = depth.detach().argsort()
    ys, xs = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    pix = torch.stack([xs, ys], -1).reshape(-1, 2).float().add_(0.5)
    d = pix[:, None, :] - uv[order][None]
    c = conic[order]
    power = 0.5 * (c[:, 0] * d[..., 0] ** 2 + c[:, 2] * d[..., 1] ** 2)
    power += c[:, 1] * d[..., 0] * d[..., 1]
    alpha = (opacities[order] * torch.exp(-power)).clamp(max=0.99)
    T = torch.cumprod(1 - alpha, -1)
    T = torch.cat([torch.ones_like(T[:, :1]), T[:, :-1]], -1)
    w = alpha * T
    img = w @ colors[order]
    acc = w.sum(-1, keepdim=True)
    if background is not None:
        img += (1 - acc) * background
    return {"image": img.view(height, width, -1), "alpha": acc.view(height, width)}
