import torch


def positional_encoding(x, n_freq=4):
    out = [x]
    for i in range(n_freq):
        out += [torch.sin(2. ** i * x), torch.cos(2. ** i * x)]
    return torch.cat(out, -1)


def stratified(near, far, n_rays, n_samples):
    edges = torch.linspace(near, far, n_samples + 1)
    lo, hi = edges[:-1], edges[1:]
    return lo + (hi - lo) * torch.rand(n_rays, n_samples)


def volume_render(raw, z_vals, rays_d):
    """raw [R, S, 4], z_vals [R, S], rays_d [R, 3]"""
    dists = z_vals[:, 1:] - z_vals[:, :-1]
    dists = torch.cat([dists, torch.full_like(dists[:, :1], 1e10)], -1)
    dists = dists * rays_d.norm(dim=-1, keepdim=True)

    rgb = torch.sigmoid(raw[..., :3])
    sigma = torch.nn.functional.softplus(raw[..., 3])
    alpha = 1. - torch.exp(-sigma * dists)

    T = torch.cumprod(1. - alpha + 1e-10, dim=-1)
    T[:, 1:] = T[:, :-1].clone()  # BUG
    T[:, 0] = 1.
    weights = alpha * T
    rgb_map = (weights[..., None] * rgb).sum(-2)
    depth_map = (weights * z_vals).sum(-1)
    return rgb_map, depth_map
