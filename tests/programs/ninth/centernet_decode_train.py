import torch
import torch.nn as nn
import torch.nn.functional as F


def gaussian_2d(shape, sigma):
    m, n = [(s - 1) / 2 for s in shape]
    y = torch.arange(-m, m + 1)[:, None]
    x = torch.arange(-n, n + 1)[None]
    g = torch.exp(-(x * x + y * y) / (2 * sigma * sigma))
    g[g < 1e-4] = 0
    return g


def draw_peak(heat, center, radius):
    d = 2 * radius + 1
    g = gaussian_2d((d, d), d / 6)
    x, y = center
    h, w = heat.shape
    l, r = min(x, radius), min(w - x, radius + 1)
    t, b = min(y, radius), min(h - y, radius + 1)
    view = heat[y - t:y + b, x - l:x + r]
    torch.maximum(view, g[radius - t:radius + b, radius - l:radius + r], out=view)
    return heat


def build_targets(boxes, size, n_cls):
    heat = torch.zeros(len(boxes), n_cls, size, size)
    wh = torch.zeros(len(boxes), 2, size, size)
    mask = torch.zeros(len(boxes), 1, size, size)
    for i, objs in enumerate(boxes):
        for c, x, y, w, h in objs:
            draw_peak(heat[i, c], (x, y), 2)
            wh[i, :, y, x] = torch.tensor([w, h], dtype=torch.float)
            mask[i, 0, y, x] = 1
    return heat, wh, mask


class CenterNet(nn.Module):
    def __init__(self, n_cls, ch=8):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, ch, 3, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True),
                                  nn.Conv2d(ch, ch, 3, 1, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True))
        self.hm = nn.Conv2d(ch, n_cls, 1)
        self.wh = nn.Conv2d(ch, 2, 1)
        self.hm.bias.data.fill_(-2.19)

    def forward(self, x):
        f = self.body(x)
        hm = self.hm(f)
        return torch.clamp(hm.sigmoid_(), 1e-4, 1 - 1e-4), self.wh(f)


def focal(pred, gt):
    pos = gt.eq(1).float()
    neg = 1 - pos
    neg_w = (1 - gt).pow_(4)
    pl = pred.log() * (1 - pred).pow(2) * pos
    nl = (1 - pred).log() * pred.pow(2) * neg_w * neg
    return -(pl.sum() + nl.sum()) / pos.sum().clamp_(min=1)


@torch.no_grad()
def decode(heat, wh, k=3):
    keep = F.max_pool2d(heat, 3, 1, 1) == heat
    heat.mul_(keep)
    score, idx = heat.flatten(1).topk(k)
    idx %= heat.size(2) * heat.size(3)
    xs, ys = (idx % heat.size(3)).float(), (idx // heat.size(3)).float()
    wh = wh.flatten(2).gather(2, idx[:, None].expand(-1, 2, -1))
    return torch.stack([xs - wh[:, 0] / 2, ys - wh[:, 1] / 2, xs + wh[:, 0] / 2, ys + wh[:, 1] / 2, score], -1)


# --- driver ---
torch.manual_seed(0)
net = CenterNet(2)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
img = torch.randn(2, 3, 16, 16)
heat, wh_t, mask = build_targets([[(0, 2, 3, 2, 2)], [(1, 5, 5, 3, 1)]], 8, 2)
hm, wh = net(img)
loss = focal(hm, heat) + 0.1 * ((wh - wh_t).abs() * mask).sum() / mask.sum()
loss.backward()
opt.step()
print(decode(*(t.detach() for t in net(img))).shape)
