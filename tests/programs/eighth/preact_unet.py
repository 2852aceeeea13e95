"""Pre-activation UNet for binary cell segmentation."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class PreActConv(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1)
        self.shortcut = nn.Conv2d(cin, cout, 1, stride)

    def forward(self, x):
        res = self.shortcut(x)
        out = self.conv1(F.leaky_relu(x, 0.1, inplace=True))  # BUG
        out = self.conv2(F.leaky_relu(out, 0.1, inplace=True))
        out += res
        return out


class Up(nn.Module):
    def __init__(self, cin, skip, cout):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cout, 2, 2)
        self.conv = nn.Conv2d(cout + skip, cout, 3, padding=1)

    def forward(self, x, skip):
        x = torch.cat([self.up(x), skip], 1)
        return F.relu(self.conv(x), inplace=True)


class PreActUNet(nn.Module):
    def __init__(self, widths=(6, 8, 12)):
        super().__init__()
        self.stem = nn.Conv2d(1, widths[0], 3, padding=1)
        self.down = nn.ModuleList(PreActConv(a, b, 2) for a, b in zip(widths, widths[1:]))
        rev = widths[::-1]
        self.up = nn.ModuleList(Up(a, b, b) for a, b in zip(rev, rev[1:]))
        self.out = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        x = self.stem(x)
        skips = []
        for d in self.down:
            skips.append(x)
            x = d(x)
        for u, s in zip(self.up, reversed(skips)):
            x = u(x, s)
        return self.out(x)


def dice_bce(logits, target, smooth=1.0):
    p = logits.sigmoid()
    num = 2 * (p * target).sum((1, 2, 3)) + smooth
    den = p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + smooth
    return F.binary_cross_entropy_with_logits(logits, target) + (1 - num / den).mean()


class BlobDataset(torch.utils.data.Dataset):
    def __init__(self, n, size=16, seed=0):
        self.n, self.size, self.seed = n, size, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(self.seed + i)
        yy, xx = torch.meshgrid(torch.arange(self.size), torch.arange(self.size), indexing="ij")
        mask = torch.zeros(self.size, self.size, dtype=torch.bool)
        for _ in range(2):
            cy, cx = torch.randint(3, self.size - 3, (2,), generator=g)
            mask |= (yy - cy) ** 2 + (xx - cx) ** 2 < 9
        img = mask.float().mul_(0.7).add_(torch.randn(mask.shape, generator=g), alpha=0.1)
        return img[None], mask[None].float()


@torch.no_grad()
def iou(logits, target):
    pred = logits > 0
    t = target.bool()
    return ((pred & t).sum() / (pred | t).sum().clamp_(min=1)).item()


def train(model, dataset, epochs=1, batch=2, lr=1e-3):
    loader = torch.utils.data.DataLoader(dataset, batch_size=batch)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(epochs):
        for x, y in loader:
            out = model(x)
            loss = dice_bce(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return iou(out, y)


# --- driver ---
torch.manual_seed(0)
train(PreActUNet(), BlobDataset(4))
