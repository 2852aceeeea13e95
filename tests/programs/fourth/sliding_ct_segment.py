import abc
from typing import List, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Transform(abc.ABC):
    @abc.abstractmethod
    def __call__(self, img: np.ndarray, lab: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        ...


class Window(Transform):
    def __init__(self, level, width):
        self.lo, self.hi = level - width / 2, level + width / 2

    def __call__(self, img, lab):
        np.clip(img, self.lo, self.hi, out=img)
        img -= self.lo
        img /= self.hi - self.lo
        return img, lab


class Flip(Transform):
    def __init__(self, rng):
        self.rng = rng

    def __call__(self, img, lab):
        if self.rng.random() < 0.5:
            img[:], lab[:] = img[:, ::-1].copy(), lab[:, ::-1].copy()
        return img, lab


class Cutout(Transform):
    def __init__(self, rng, size):
        self.rng, self.size = rng, size

    def __call__(self, img, lab):
        y, x = self.rng.integers(0, img.shape[0] - self.size, 2)
        img[y:y + self.size, x:x + self.size] = 0
        return img, lab


class DoubleConv(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(
            nn.Conv2d(cin, cout, 3, padding=1), nn.InstanceNorm2d(cout, affine=True), nn.LeakyReLU(0.01, inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1), nn.InstanceNorm2d(cout, affine=True), nn.LeakyReLU(0.01, inplace=True))


class UNet(nn.Module):
    def __init__(self, base=4, classes=3):
        super().__init__()
        self.enc1, self.enc2 = DoubleConv(1, base), DoubleConv(base, 2 * base)
        self.up = nn.ConvTranspose2d(2 * base, base, 2, 2)
        self.dec = DoubleConv(2 * base, base)
        self.head = nn.Conv2d(base, classes, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        return self.head(self.dec(torch.cat([a, self.up(b)], 1)))


def dice_ce(logits, label, eps=1e-5):
    probs = logits.softmax(1)
    target = torch.zeros_like(probs)
    target.scatter_(1, label.unsqueeze(1), 1)
    inter = (probs * target).sum((2, 3))
    union = probs.sum((2, 3))
    union += target.sum((2, 3))
    dice = inter.mul_(2).add_(eps) / union.add_(eps)
    return F.cross_entropy(logits, label) + 1 - dice[:, 1:].mean()


@torch.no_grad()
def sliding_window(net, image, roi=8, overlap=0.5):
    h, w = image.shape[-2:]
    stride = int(roi * (1 - overlap))
    g = torch.exp(-torch.linspace(-1, 1, roi).square())
    importance = torch.outer(g, g).clamp_(min=1e-2)
    out, count = None, torch.zeros(h, w)
    for y in range(0, h - roi + 1, stride):
        for x in range(0, w - roi + 1, stride):
            logits = net(image[..., y:y + roi, x:x + roi])
            if out is None:
                out = torch.zeros(*logits.shape[:2], h, w)
            out[..., y:y + roi, x:x + roi] += logits * importance
            count[y:y + roi, x:x + roi] += importance
    out /= count
    return out.argmax(1)


def load(n, transforms: List[Transform], rng, size=8):
    for _ in range(n):
        img = rng.normal(40, 200, (size, size)).astype(np.float32)
        lab = rng.integers(0, 3, (size, size))
        for t in transforms:
            img, lab = t(img, lab)
        yield torch.from_numpy(img.copy())[None, None], torch.from_numpy(lab.copy())[None]


def train(net, loader, lr=1e-2):
    opt = torch.optim.SGD(net.parameters(), lr, momentum=0.99, nesterov=True)
    for img, lab in loader:
        opt.zero_grad()
        dice_ce(net(img), lab).backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
rng = np.random.default_rng(0)
net = UNet()
train(net, load(2, [Window(40, 400), Flip(rng), Cutout(rng, 2)], rng))
sliding_window(net.eval(), torch.rand(1, 1, 16, 16))
