import torch
from torch import Tensor


def quat_to_rotmat(q: Tensor) -> Tensor:
    w, x, y, z = torch.nn.functional.normalize(q, dim=-1).unbind(-1)
    R = q.new_empty(q.shape[:-1] + (3, 3))
    R[..., 0, 0] = 1 - 2 * (y * y + z * z)
    R[..., 0, 1] = 2 * (x * y - w * z)
    R[..., 0, 2] = 2 * (x * z + w * y)
    R[..., 1, 0] = 2 * (x * y + w * z)
    R[..., 1, 1] = 1 - 2 * (x * x + z * z)
    R[..., 1, 2] = 2 * (y * z - w * x)
    R[..., 2, 0] = 2 * (x * z - w * y)
    R[..., 2, 1] = 2 * (y * z + w * x)
    R[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return R


def build_covariance(scales: Tensor, quats: Tensor) -> Tensor:
    M = quat_to_rotmat(quats) * scales[..., None, :]
    return M @ M.transpose(-1, -2)


def project(means: Tensor, covs: Tensor, viewmat: Tensor, f: float, cx: float, cy: float):
    R, t = viewmat[:3, :3], viewmat[:3, 3]
    p = means @ R.T + t
    x, y, z = p.unbind(-1)
    rz = 1.0 / z.clamp(min=1e-3)
    J = torch.zeros(p.shape[0], 2, 3)
    J[:, 0, 0] = f * rz
    J[:, 1, 1] = f * rz
    J[:, 0, 2] = -f * x * rz * rz
    J[:, 1, 2] = -f * y * rz * rz
    JW = J @ R
    cov2d = JW @ covs @ JW.transpose(-1, -2)
    uv = torch.stack([f * x * rz + cx, f * y * rz + cy], -1)
    return uv, cov2d, z


def det2x2(c: Tensor) -> Tensor:
    return c[:, 0, 0] * c[:, 1, 1] - c[:, 0, 1] * c[:, 1, 0]


def lowpass(cov: Tensor, eps: float) -> Tensor:
    """Screen-space dilation."""
    cov[:, 0, 0] += eps  # BUG
    cov[:, 1, 1] += eps
    return cov


def invert2x2(c: Tensor) -> Tensor:
    inv_det = 1.0 / det2x2(c).clamp(min=1e-8)
    return torch.stack([c[:, 1, 1] * inv_det, -c[:, 0, 1] * inv_det, c[:, 0, 0] * inv_det], -1)
