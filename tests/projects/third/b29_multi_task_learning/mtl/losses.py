import torch
import torch.nn.functional as F

_FNS = {
    'reg': lambda o, y: F.mse_loss(o.squeeze(-1), y),
    'cls': lambda o, y: F.cross_entropy(o, y),
    'bin': lambda o, y: F.binary_cross_entropy_with_logits(o.squeeze(-1), y),
}


def weighted_losses(net, out, target):
    """homoscedastic uncertainty weighting (Kendall et al.)"""
    res = {}
    for t, o in out.items():
        s = net.log_var[t]
        res[t] = torch.exp(-s) * _FNS[t](o, target[t]) + 0.5 * s
    return res
