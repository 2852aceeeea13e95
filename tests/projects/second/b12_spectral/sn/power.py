import torch
import torch.nn.functional as F


def power_iteration(w, u, n=1):
    """Updates `u` in place and returns v."""
    with torch.no_grad():
        for _ in range(n):
            v = F.normalize(w.t() @ u, dim=0)
            u.copy_(F.normalize(w @ v, dim=0))  # BUG
    return v
