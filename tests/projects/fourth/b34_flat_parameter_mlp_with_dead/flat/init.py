import math

import torch


def scaled_normal_(w, gain=1.0):
    with torch.no_grad():
        return w.normal_(0, gain / math.sqrt(w.size(-1)))


def fan_in_rows(n, d_in):
    """Fresh rows for a weight matrix."""
    rows = torch.randn(n, d_in)
    rows /= math.sqrt(d_in)
    return rows
