import torch
import torch.nn.functional as F


def coords_grid(b, h, w):
    y, x = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    return torch.stack([x, y], 0).float()[None].repeat(b, 1, 1, 1)


def bilinear_sampler(img, coords):
    h, w = img.shape[-2:]
    grid = coords.clone()
    grid[..., 0].mul_(2.0 / (w - 1)).sub_(1)
    grid[..., 1].mul_(2.0 / (h - 1)).sub_(1)
    return F.grid_sample(img, grid, align_corners=True)


class CorrBlock:
    def __init__(self, f1, f2, levels=2, radius=1):
        self.levels, self.radius = levels, radius
        b, d, h, w = f1.shape
        corr = torch.matmul(f1.flatten(2).transpose(1, 2), f2.flatten(2))
        corr /= d ** 0.5
        corr = corr.view(b * h * w, 1, h, w)
        self.pyramid = [corr]
        for _ in range(levels - 1):
            corr = F.avg_pool2d(corr, 2)
            self.pyramid.append(corr)

    def __call__(self, coords):
        r = self.radius
        b, _, h, w = coords.shape
        c = coords.permute(0, 2, 3, 1).reshape(b * h * w, 1, 1, 2)
        d = torch.linspace(-r, r, 2 * r + 1)
        delta = torch.stack(torch.meshgrid(d, d, indexing="ij"), -1)[None]
        out = []
        for i, corr in enumerate(self.pyramid):
            s = bilinear_sampler(corr, c / 2 ** i + delta)
            out.append(s.view(b, h, w, -1))
        return torch.cat(out, -1).permute(0, 3, 1, 2).contiguous()
