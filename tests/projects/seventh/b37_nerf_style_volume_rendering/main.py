import torch
import torch.nn as nn
from render import positional_encoding, stratified, volume_render

torch.manual_seed(0)


class NeRF(nn.Module):
    def __init__(self, n_freq=4, W=48):
        super().__init__()
        self.n_freq = n_freq
        d = 3 + 3 * 2 * n_freq
        self.layers = nn.Sequential(nn.Linear(d, W), nn.ReLU(), nn.Linear(W, W), nn.ReLU(), nn.Linear(W, 4))

    def forward(self, pts):
        return self.layers(positional_encoding(pts, self.n_freq))


def get_rays(n):
    o = torch.zeros(n, 3)
    o[:, 2] = -2.5
    uv = torch.rand(n, 2) * 2 - 1
    d = torch.cat([0.5 * uv, torch.ones(n, 1)], 1)
    # ground truth: a red disc on black
    colour = (uv.norm(dim=1, keepdim=True) < 0.6).float() * torch.tensor([[1., .2, .1]])
    return o, d, colour


nerf = NeRF()
optimizer = torch.optim.Adam(nerf.parameters(), lr=5e-4)
for i in range(8):
    rays_o, rays_d, target = get_rays(128)
    z = stratified(1., 4., 128, 24)
    pts = rays_o[:, None] + rays_d[:, None] * z[..., None]
    rgb, depth = volume_render(nerf(pts), z, rays_d)
    loss = ((rgb - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"[{i}] psnr {-10 * torch.log10(loss.detach()).item():.2f}")
