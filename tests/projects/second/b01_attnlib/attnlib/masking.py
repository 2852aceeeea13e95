def causal(n, device=None):
    import torch

    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def zero_masked(w, mask):
    w.masked_fill_(~mask, 0.0)  # BUG
