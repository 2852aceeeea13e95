import torch.nn.functional as F


def soft_ce(student, teacher, t):
    return F.kl_div(F.log_softmax(student / t, -1), F.softmax(teacher / t, -1), reduction="batchmean") * t * t


def feature_loss(fs, ft):
    total = 0.0
    for k in fs:
        a = fs[k]
        a /= a.detach().norm(dim=-1, keepdim=True)  # BUG
        b = F.normalize(ft[k], dim=-1)
        total = total + (a - b).pow(2).sum(-1).mean()
    return total
