"""Keypoint heatmap network with channel pruning by forward hooks."""
import contextlib
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


class Stage(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)
        self.norm = nn.BatchNorm2d(cout)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)), inplace=True)


class Hourglass(nn.Module):
    def __init__(self, width=12, joints=4):
        super().__init__()
        self.stem = Stage(3, width)
        self.down = nn.ModuleList([Stage(width, width) for _ in range(2)])
        self.up = nn.ModuleList([Stage(width, width) for _ in range(2)])
        self.head = nn.Conv2d(width, joints, 1)

    def forward(self, x):
        x = self.stem(x)
        skips = []
        for stage in self.down:
            skips.append(x)
            x = stage(F.max_pool2d(x, 2))
        for stage in self.up:
            x = stage(F.interpolate(x, scale_factor=2)) + skips.pop()
        return self.head(x)


class ChannelPruner:
    def __init__(self, model, fraction):
        self.fraction = fraction
        self.masks, self.saliency = {}, {}
        self.convs = {n: m for n, m in model.named_modules() if isinstance(m, nn.Conv2d) and n != "head"}

    def _mask_output(self, name, module, inputs, output):
        output.mul_(self.masks[name])

    def _collect(self, name, module, grad_in, grad_out):
        s = grad_out[0].abs().mean((0, 2, 3))
        acc = self.saliency.setdefault(name, torch.zeros_like(s))
        acc.mul_(0.9).add_(s, alpha=0.1)

    @contextlib.contextmanager
    def attached(self):
        handles = []
        for name, m in self.convs.items():
            self.masks.setdefault(name, torch.ones(1, m.out_channels, 1, 1))
            handles.append(m.register_forward_hook(partial(self._mask_output, name)))
            handles.append(m.register_full_backward_hook(partial(self._collect, name)))
        try:
            yield self
        finally:
            for h in handles:
                h.remove()

    def refresh(self):
        for name, s in self.saliency.items():
            k = int(self.fraction * len(s))
            mask = self.masks[name]
            mask.fill_(1.0)
            if k:
                mask[:, s.topk(k, largest=False).indices] = 0.0

    def sparsity(self):
        return {n: float((m == 0).float().mean()) for n, m in self.masks.items()}


def heatmaps(points, size, sigma=1.5):
    grid = torch.arange(size).float()
    dx = grid[None, None] - points[..., :1]
    dy = grid[None, None] - points[..., 1:]
    dx.square_().div_(-2 * sigma ** 2).exp_()
    dy.square_().div_(-2 * sigma ** 2).exp_()
    return dy.unsqueeze(-1) * dx.unsqueeze(-2)


# --- driver ---
def main(size=16):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = Hourglass()
    pruner = ChannelPruner(net, fraction=0.25)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    with pruner.attached():
        for step in range(3):
            img, pts = torch.rand(2, 3, size, size), torch.rand(2, 4, 2) * size
            loss = F.mse_loss(net(img), heatmaps(pts, size))
            opt.zero_grad()
            loss.backward()
            opt.step()
            pruner.refresh()
            print(step, loss.item())
    print(pruner.sparsity())


if __name__ == "__main__":
    main()
