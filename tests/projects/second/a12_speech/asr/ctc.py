import torch.nn.functional as F


def ctc_loss(logp, lengths, targets, target_lengths):
    return F.ctc_loss(logp.transpose(0, 1), targets, lengths, target_lengths, zero_infinity=True)
