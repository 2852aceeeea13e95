import torch
import torch.nn as nn
import torch.nn.functional as F
from segloss import build_loss

cfg = dict(
    model=dict(width=8, num_classes=3),
    loss=[dict(type='dice', weight=1.0), dict(type='focal', gamma=2.0, weight=0.5)],
    optimizer=dict(lr=0.01, momentum=0.9, weight_decay=1e-4),
    total_iters=4,
)


class MiniUNet(nn.Module):
    def __init__(self, width, num_classes):
        super().__init__()

        def cbr(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))
        self.d1, self.d2 = cbr(3, width), cbr(width, width * 2)
        self.u1 = cbr(width * 3, width)
        self.out = nn.Conv2d(width, num_classes, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        b = F.interpolate(b, scale_factor=2, mode='bilinear', align_corners=False)
        return self.out(self.u1(torch.cat([a, b], 1)))


def batch(n=2, size=16):
    img = torch.rand(n, 3, size, size)
    seg = torch.zeros(n, size, size, dtype=torch.long)
    seg[:, 4:10, 4:10] = 1
    seg[:, 8:14, 8:14] = 2
    img[:, 0] += seg.float()
    seg[:, 0] = 255
    return img, seg


@torch.no_grad()
def miou(logits, seg, n):
    pred = logits.argmax(1)
    pred[seg == 255] = 255
    ious = [((pred == c) & (seg == c)).sum() / ((pred == c) | (seg == c)).sum().clamp_(min=1) for c in range(n)]
    return torch.stack(ious).mean().item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net, criterion = MiniUNet(**cfg['model']), build_loss(cfg['loss'])
    opt = torch.optim.SGD(net.parameters(), **cfg['optimizer'])
    for it in range(cfg['total_iters']):
        img, seg = batch()
        logits = net(img)
        loss = criterion(logits, seg)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"iter {it} loss {loss.item():.4f} mIoU {miou(logits, seg, 3):.3f}")


if __name__ == '__main__':
    main()
