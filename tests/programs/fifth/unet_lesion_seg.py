"""Small U-Net for lesion segmentation with BCE + Dice and an ignore label."""
import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE = 255


class DoubleConv(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(
            nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
            nn.Conv2d(o, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, ch=(8, 16)):
        super().__init__()
        self.inc = DoubleConv(1, ch[0])
        self.down = DoubleConv(ch[0], ch[1])
        self.up = nn.ConvTranspose2d(ch[1], ch[0], 2, 2)
        self.dec = DoubleConv(2 * ch[0], ch[0])
        self.outc = nn.Conv2d(ch[0], 1, 1)

    def forward(self, x):
        a = self.inc(x)
        b = self.down(F.max_pool2d(a, 2))
        u = self.up(b)
        return self.outc(self.dec(torch.cat([a, u], 1)))


def dice_loss(probs, target, eps=1.0):
    dims = (1, 2, 3)
    inter = (probs * target).sum(dims)
    denom = probs.sum(dims) + target.sum(dims)
    return (1 - (2 * inter + eps) / (denom + eps)).mean()


def seg_loss(logits, mask, w_dice=0.5):
    ignore = mask == IGNORE
    target = mask.float()
    target[ignore] = 0.0
    bce = F.binary_cross_entropy_with_logits(logits, target, reduction='none')
    bce[ignore] = 0.0
    bce = bce.sum() / (~ignore).sum().clamp(min=1)
    probs = torch.sigmoid(logits)
    probs[ignore] = 0.0  # BUG
    return (1 - w_dice) * bce + w_dice * dice_loss(probs, target)


@torch.no_grad()
def evaluate(net, batches):
    net.eval()
    inter, union = 0, 0
    for x, m in batches:
        p = net(x) > 0
        p[m == IGNORE] = False
        g = m == 1
        inter += (p & g).sum().item()
        union += (p | g).sum().item()
    net.train()
    return inter / max(union, 1)


def fake_batch(n=2, s=8):
    m = (torch.rand(n, 1, s, s) > 0.7).long()
    m[:, :, :1] = IGNORE
    return torch.randn(n, 1, s, s), m


def main(iters=1):
    net = UNet()
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(iters):
        x, m = fake_batch()
        loss = seg_loss(net(x), m)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return evaluate(net, [fake_batch()])


# --- driver ---
torch.manual_seed(0)
main()
