"""Scripted recursions of the hidden Markov model."""
import torch


@torch.jit.script
def forward_scaled(init: torch.Tensor, trans: torch.Tensor, emit: torch.Tensor):
    """Scaled forward recursion in probability space.

    init (S,), trans (S, S), emit (B, T, S) -> alpha (B, T, S), log-likelihood (B,)
    """
    B, T, S = emit.shape
    alpha = torch.zeros_like(emit)
    ll = torch.zeros(B, dtype=emit.dtype)
    a = init.unsqueeze(0) * emit[:, 0]
    for t in range(T):
        if t > 0:
            a = torch.matmul(alpha[:, t - 1], trans) * emit[:, t]
        c = a.sum(dim=1, keepdim=True)
        ll += c.squeeze(1).log()
        alpha[:, t] = a / c  # BUG
    return alpha, ll


@torch.jit.script
def forward_log(init: torch.Tensor, trans: torch.Tensor, emit: torch.Tensor):
    """Log space recursion, all arguments are logs."""
    B, T, S = emit.shape
    a = init.unsqueeze(0) + emit[:, 0]
    out = [a]
    for t in range(1, T):
        a = torch.logsumexp(a.unsqueeze(2) + trans.unsqueeze(0), dim=1)
        a += emit[:, t]
        out.append(a)
    return torch.stack(out, 1), torch.logsumexp(a, dim=1)


@torch.jit.script
def viterbi(init: torch.Tensor, trans: torch.Tensor, emit: torch.Tensor):
    B, T, S = emit.shape
    back = torch.zeros(B, T, S, dtype=torch.long)
    a = init.unsqueeze(0) + emit[:, 0]
    for t in range(1, T):
        best, arg = (a.unsqueeze(2) + trans.unsqueeze(0)).max(dim=1)
        back[:, t] = arg
        a = best + emit[:, t]
    path = torch.zeros(B, T, dtype=torch.long)
    path[:, T - 1] = a.argmax(dim=1)
    for i in range(T - 1):
        t = T - 1 - i
        path[:, t - 1] = back[:, t].gather(1, path[:, t].unsqueeze(1)).squeeze(1)
    return path
