import torch
from torch import nn
import torch.nn.functional as F


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class Encoder(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.blocks = nn.ModuleList()
        c = 3
        for w in widths:
            self.blocks.append(double_conv(c, w))
            c = w

    def forward(self, x):
        skips = []
        for i, blk in enumerate(self.blocks):
            if i:
                x = F.max_pool2d(x, 2)
            x = blk(x)
            skips.append(x)
        return skips


class AttentionGate(nn.Module):
    """Oktay et al., additive gate: the coarse signal says where the skip matters."""

    def __init__(self, c_skip, c_gate, c_mid):
        super().__init__()
        self.theta = nn.Conv2d(c_skip, c_mid, 1)
        self.phi = nn.Conv2d(c_gate, c_mid, 1)
        self.psi = nn.Conv2d(c_mid, 1, 1)

    def forward(self, skip, gate):
        g = F.interpolate(self.phi(gate), size=skip.shape[-2:], mode="bilinear", align_corners=False)
        a = torch.sigmoid(self.psi(F.relu(self.theta(skip) + g)))
        return skip.mul_(a)  # BUG


class Decoder(nn.Module):
    def __init__(self, widths, n_out):
        super().__init__()
        self.gates = nn.ModuleDict()
        self.ups = nn.ModuleDict()
        for lvl in range(len(widths) - 1, 0, -1):
            hi, lo = widths[lvl], widths[lvl - 1]
            self.gates[str(lvl)] = AttentionGate(lo, hi, max(lo // 2, 4))
            self.ups[str(lvl)] = double_conv(hi + lo, lo)
        self.head = nn.Conv2d(widths[0], n_out, 1)

    def forward(self, skips):
        *rest, x = skips
        for lvl in range(len(rest), 0, -1):
            s = rest[lvl - 1]
            s = self.gates[str(lvl)](s, x)
            x = F.interpolate(x, size=s.shape[-2:], mode="nearest")
            x = self.ups[str(lvl)](torch.cat([s, x], 1))
        return self.head(x)


class AttUNet(nn.Module):
    def __init__(self, widths=(8, 16, 24), n_out=3):
        super().__init__()
        self.enc, self.dec = Encoder(widths), Decoder(widths, n_out)

    def forward(self, x):
        return self.dec(self.enc(x))


def dice_ce(logits, y, eps=1.0):
    ce = F.cross_entropy(logits, y)
    p = logits.softmax(1)
    oh = F.one_hot(y, logits.shape[1]).permute(0, 3, 1, 2).float()
    num = 2 * (p * oh).sum((0, 2, 3)) + eps
    den = (p + oh).sum((0, 2, 3)) + eps
    return ce + (1 - num / den).mean()


# --- driver ---
torch.manual_seed(1)
model = AttUNet()
optim = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(2):
    img, seg = torch.rand(2, 3, 32, 32), torch.randint(0, 3, (2, 32, 32))
    loss = dice_ce(model(img), seg)
    optim.zero_grad()
    loss.backward()
    optim.step()
print("done", loss.item())
