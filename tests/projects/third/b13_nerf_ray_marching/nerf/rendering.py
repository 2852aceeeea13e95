import torch


def stratified(near, far, n_rays, n_samples):
    t = torch.linspace(near, far, n_samples).expand(n_rays, n_samples).clone()
    t += torch.rand_like(t) * (far - near) / n_samples
    return t


def march(model, rays_o, rays_d, near=0.5, far=3.0, n_samples=8, white_bkgd=True):
    """Front to back compositing, returns rgb and accumulated opacity."""
    n = rays_o.shape[0]
    t = stratified(near, far, n, n_samples)
    deltas = torch.full_like(t, 1e10)
    deltas[:, :-1] = t[:, 1:] - t[:, :-1]

    color = torch.zeros(n, 3)
    acc = torch.zeros(n)
    trans = torch.ones(n)
    for i in range(n_samples):
        pts = rays_o + rays_d * t[:, i:i + 1]
        rgb, sigma = model(pts)
        alpha = 1.0 - torch.exp(-sigma * deltas[:, i])
        w = trans * alpha
        color += w[:, None] * rgb
        acc += w
        trans *= 1.0 - alpha + 1e-10  # BUG
    if white_bkgd:
        color = color + (1.0 - acc)[:, None]
    return color, acc
