"""Batch augmentation pipeline built from a config, feeding a residual classifier."""
import functools
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

TRANSFORMS = {}


def transform(fn):
    TRANSFORMS[fn.__name__] = fn
    return fn


@transform
def normalize(img, label, mean=0.5, std=0.25):
    img.sub_(mean).div_(std)
    return img, label


@transform
def hflip(img, label, p=0.5):
    pick = torch.rand(len(img)) < p
    img[pick] = img[pick].flip(-1)
    return img, label


@transform
def cutout(img, label, size=3):
    h, w = img.shape[-2:]
    for i in range(len(img)):
        r, c = random.randrange(h - size), random.randrange(w - size)
        img[i, :, r:r + size, c:c + size] = 0.0
    return img, label


@transform
def cutmix(img, label, size=4):
    perm = torch.randperm(len(img))
    src = img[perm]
    img[:, :, :size, :size] = src[:, :, :size, :size]
    lam = size * size / (img.size(-1) * img.size(-2))
    label.mul_(1 - lam).add_(label[perm] * lam)
    return img, label


@transform
def color_jitter(img, label, strength=0.2):
    gain = torch.empty(len(img), img.size(1), 1, 1).uniform_(1 - strength, 1 + strength)
    img *= gain
    img.clamp_(0, 1)
    return img, label


class Pipeline:
    def __init__(self, spec):
        self.steps = [functools.partial(TRANSFORMS[n], **kw) for n, kw in spec]

    def __call__(self, img, y, classes):
        img = img.clone()
        label = torch.zeros(len(y), classes).scatter_(1, y[:, None], 1.0)
        for s in self.steps:
            img, label = s(img, label)
        return img, label


class Residual(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.c2, self.b2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.down = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.act(self.b1(self.c1(x)))
        out = self.b2(self.c2(out))
        out += self.down(x)
        return self.act(out)


class StochasticDepth(nn.Module):
    def __init__(self, inner, p):
        super().__init__()
        self.inner, self.p = inner, p

    def forward(self, x):
        y = self.inner(x)
        if self.training:
            keep = torch.rand(y.size(0), 1, 1, 1).lt_(1 - self.p)
            y = y * keep.div_(1 - self.p)
        return y


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(Residual(3, 8, 2), StochasticDepth(Residual(8, 8), 0.3))
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        return self.fc(self.body(x).mean((2, 3)))


def soft_ce(logits, target):
    return -(target * F.log_softmax(logits, 1)).sum(1).mean()


def run(cfg, images, labels):
    pipe, net = Pipeline(cfg['train']), Net(cfg['classes'])
    opt = torch.optim.SGD(net.parameters(), **cfg['optim'])
    hist = torch.zeros(cfg['steps'])
    for i in range(cfg['steps']):
        x, t = pipe(images, labels, cfg['classes'])
        loss = soft_ce(net(x), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hist[i] = loss.item()
    return hist


CONFIG = {
    'classes': 3, 'steps': 2, 'optim': {'lr': 0.05, 'momentum': 0.9, 'nesterov': True},
    'train': [('hflip', {}), ('color_jitter', {'strength': 0.1}), ('normalize', {}), ('cutout', {'size': 2}), ('cutmix', {})],
}

# --- driver ---
torch.manual_seed(0)
random.seed(0)
run(CONFIG, torch.rand(4, 3, 8, 8), torch.randint(0, 3, (4,)))
