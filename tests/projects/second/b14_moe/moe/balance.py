def load_balance(probs, idx, experts):
    frac = probs.new_zeros(experts)
    frac.scatter_add_(0, idx.flatten(), probs.new_ones(idx.numel()))
    frac /= idx.numel()
    return experts * (frac * probs.mean(0)).sum()


def apply_capacity(probs, used, capacity):
    """Experts over capacity get no probability."""
    probs.masked_fill_(used > capacity, 0.0)  # BUG
    return probs
