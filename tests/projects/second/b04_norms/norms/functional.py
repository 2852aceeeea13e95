def rms(x, eps):
    return x.pow(2).mean(-1, keepdim=True).add_(eps).rsqrt_()


def scale_by(x, s):
    x *= s  # BUG
    return x
