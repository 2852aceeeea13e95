"""Gram-matrix style transfer: optimises the pixels of one image against a frozen random network."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from contextlib import contextmanager


class FrozenPyramid(nn.Module):
    def __init__(self, widths=(3, 8, 16)):
        super().__init__()
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2)) for a, b in zip(widths, widths[1:]))
        self.requires_grad_(False)

    def forward(self, x):
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


def gram(f):
    flat = f.flatten(2)
    return flat @ flat.transpose(1, 2) / flat.size(2)


def total_variation(image):
    return image.diff(dim=2).abs().mean() + image.diff(dim=3).abs().mean()


class Canvas(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.pixels = nn.Parameter(start.clone())
        self.low, self.high = 0.0, 1.0

    @torch.no_grad()
    def clip_range(self):
        self.pixels.clamp_(self.low, self.high)  # BUG

    @contextmanager
    def preview(self):
        """Yields a displayable image and leaves the pixels in range."""
        self.clip_range()
        yield self.pixels.detach().squeeze(0).permute(1, 2, 0)

    def forward(self):
        return self.pixels


class StyleObjective:
    def __init__(self, net, content, style, style_weight=50.0, tv_weight=0.1):
        self.net, self.style_weight, self.tv_weight = net, style_weight, tv_weight
        with torch.no_grad():
            self.content = net(content)[-1]
            self.grams = [gram(f) for f in net(style)]

    def __call__(self, image):
        maps = self.net(image)
        content = F.mse_loss(maps[-1], self.content)
        style = sum(F.mse_loss(gram(f), g) for f, g in zip(maps, self.grams))
        return content + self.style_weight * style + self.tv_weight * total_variation(image)


class ProgressLog:
    def __init__(self, every):
        self.every, self.rows = every, []

    def __call__(self, step, canvas, loss):
        if step % self.every == 0:
            with canvas.preview() as picture:
                self.rows.append((step, float(loss), picture.mean().item(), picture.std().item()))


def paint(canvas, objective, steps, report, lr=0.05):
    opt = torch.optim.Adam(canvas.parameters(), lr=lr)
    for step in range(1, steps + 1):
        loss = objective(canvas())
        report(step, canvas, loss)
        opt.zero_grad()
        loss.backward()
        opt.step()
    canvas.clip_range()
    return canvas.pixels.detach()


# --- driver ---
torch.manual_seed(6)
content, style = torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12)
log = ProgressLog(every=2)
picture = paint(Canvas(content), StyleObjective(FrozenPyramid(), content, style), 4, log)
print(log.rows, picture.shape)
