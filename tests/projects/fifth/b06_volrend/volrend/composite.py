"""Alpha compositing along rays."""
import torch


def density_to_alpha(sigma, dt):
    return 1.0 - torch.exp(-torch.relu(sigma) * dt)


def transmittance_cumprod(alpha):
    one = torch.ones_like(alpha[..., :1])
    return torch.cumprod(torch.cat([one, 1.0 - alpha + 1e-10], dim=-1), dim=-1)[..., :-1]


def transmittance_scan(alpha, early_stop=0.0):
    """Front to back scan, drops samples after T < early_stop."""
    n = alpha.shape[-1]
    trans = torch.ones_like(alpha)
    for i in range(1, n):
        trans[..., i] = trans[..., i - 1] * (1.0 - alpha[..., i - 1])  # BUG
    if early_stop > 0:
        keep = (trans >= early_stop).to(trans.dtype)
        trans = trans * keep
    return trans
