import torch

from nerf import RadianceField, volume_render
from options import get_options


def main():
    opt = get_options()
    field = RadianceField()
    optim = torch.optim.Adam(field.parameters(), 5e-4)
    for _ in range(2):
        pts = torch.rand(opt.rays, opt.samples, 3)
        deltas = torch.full((opt.rays, opt.samples), 0.1)
        rgb, sigma = field(pts)
        color, w = volume_render(rgb, sigma, deltas, opt.white_bg)
        loss = (color - 0.5).pow(2).mean() - opt.lam * (w * w.clamp(min=1e-6).log()).sum(-1).mean()
        optim.zero_grad()
        loss.backward()
        optim.step()


if __name__ == "__main__":
    main()
