import torch


def add_instance_noise(x, sigma):
    """x is detached or data; noise is added to a copy."""
    x = x.clone()
    x.add_(torch.randn_like(x), alpha=sigma)
    return x


def clip_weights(net, c):
    with torch.no_grad():
        for p in net.parameters():
            p.clamp_(-c, c)
