import torch
import torch.nn as nn
import torch.nn.functional as F


def synth_scene(n, size, gen):
    img = torch.rand(n, 1, size, size, generator=gen) * 0.1
    heat = torch.zeros(n, 1, size // 2, size // 2)
    for i in range(n):
        for _ in range(2):
            y, x = torch.randint(2, size - 2, (2,), generator=gen).tolist()
            img[i, 0, y - 2:y + 3, x - 2:x + 3] += 0.8
            heat[i, 0, y // 2, x // 2] = 1.0
    return img.clamp_(0, 1), heat


class StagingLoader:
    """Synthetic scenes through a staging tensor (stands in for pinned host memory)."""

    def __init__(self, n_batches, batch, size, seed=0):
        self.n, self.batch, self.size = n_batches, batch, size
        self.gen = torch.Generator().manual_seed(seed)
        self.image = torch.empty(batch, 1, size, size)

    def __len__(self):
        return self.n

    def __iter__(self):
        for _ in range(self.n):
            img, heat = synth_scene(self.batch, self.size, self.gen)
            self.image.copy_(img)  # BUG
            yield self.image, heat


class CenterHead(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, c, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(c, c, 3, stride=2, padding=1), nn.ReLU(inplace=True),
        )
        self.hm = nn.Conv2d(c, 1, 1)
        nn.init.constant_(self.hm.bias, -2.19)

    def forward(self, x):
        return self.hm(self.body(x))

    @torch.no_grad()
    def peaks(self, x, thr=0.3):
        h = self(x).sigmoid_()
        keep = (F.max_pool2d(h, 3, 1, 1) == h) & (h > thr)
        return keep.nonzero()


def centernet_focal(logit, heat, a=2, b=4):
    p = logit.sigmoid().clamp(1e-4, 1 - 1e-4)
    pos = heat.eq(1).float()
    lp = torch.log(p) * (1 - p) ** a * pos
    ln = torch.log(1 - p) * p ** a * (1 - heat) ** b * (1 - pos)
    return -(lp + ln).sum() / pos.sum().clamp(min=1)


def windows(it, k):
    buf = []
    for item in it:
        buf.append(item)
        if len(buf) == k:
            yield buf
            buf = []
    if buf:
        yield buf


def train_epoch(model, loader, opt, accumulate):
    per_batch = (centernet_focal(model(x), t) for x, t in loader)
    for group in windows(per_batch, accumulate):
        loss = torch.stack(group).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(0)
model = CenterHead()
opt = torch.optim.Adam(model.parameters(), 1e-2)
for ep in range(2):
    print(ep, list(train_epoch(model, StagingLoader(4, 2, 16, seed=ep), opt, accumulate=2)))
