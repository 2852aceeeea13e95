import torch

NEG = -1e5


def interleave_blanks(target, blank=0):
    ext = target.new_full((2 * len(target) + 1,), blank)
    ext[1::2] = target
    return ext


def ctc_nll(log_probs, target, blank=0):
    """log_probs: [T, C] for one utterance, target: [L]"""
    T = log_probs.size(0)
    ext = interleave_blanks(target, blank)
    S = len(ext)
    can_skip = torch.zeros(S, dtype=torch.bool)
    can_skip[2:] = (ext[2:] != blank) & (ext[2:] != ext[:-2])

    row = torch.full((S,), NEG)
    row[0] = log_probs[0, ext[0]]
    row[1] = log_probs[0, ext[1]]
    alpha = torch.full((T, S), NEG)
    alpha[0] = row
    for t in range(1, T):
        prev = alpha[t - 1]
        one = torch.cat([prev.new_full((1,), NEG), prev[:-1]])
        two = torch.cat([prev.new_full((2,), NEG), prev[:-2]])
        two = torch.where(can_skip, two, torch.full_like(two, NEG))
        stay = torch.logaddexp(prev, one)
        alpha[t] = torch.logaddexp(stay, two) + log_probs[t, ext]  # BUG
    return -torch.logaddexp(alpha[T - 1][S - 1], alpha[T - 1][S - 2])


def ctc_loss(log_probs, targets, blank=0):
    return torch.stack([ctc_nll(lp, tg, blank) / len(tg) for lp, tg in zip(log_probs, targets)]).mean()
