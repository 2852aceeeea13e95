def explained_variance(pred, target):
    return (1 - (target - pred).var() / target.var()).item()


def normalise_(x, eps=1e-8):
    mean, std = x.detach().mean(), x.detach().std()
    return x.sub_(mean).div_(std + eps)  # BUG
