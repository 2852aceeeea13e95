import torch


def stratified(near, far, n, rays, perturb=True):
    t = torch.linspace(0.0, 1.0, n)
    z = near * (1 - t) + far * t
    z = z.expand(rays, n).clone()
    if perturb:
        mid = 0.5 * (z[:, 1:] + z[:, :-1])
        hi = torch.cat([mid, z[:, -1:]], -1)
        lo = torch.cat([z[:, :1], mid], -1)
        z = lo + (hi - lo) * torch.rand_like(z)
    return z


def deltas(z, last=1e2):
    d = torch.empty_like(z)
    d[:, :-1] = z[:, 1:] - z[:, :-1]
    d[:, -1] = last
    return d
