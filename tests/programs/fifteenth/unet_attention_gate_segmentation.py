"""Attention U-Net for binary segmentation with attention-map logging."""
from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class SegConfig:
    in_ch: int = 3
    widths: tuple = (8, 16, 32)
    lr: float = 1e-3
    log_every: int = 1
    history: list = field(default_factory=list)


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class AttentionGate(nn.Module):
    """Additive attention gate (Oktay et al.)."""

    def __init__(self, c_skip, c_gate, inter):
        super().__init__()
        self.w_x = nn.Conv2d(c_skip, inter, 1)
        self.w_g = nn.Conv2d(c_gate, inter, 1)
        self.psi = nn.Conv2d(inter, 1, 1)
        self.attn = None

    def forward(self, skip, gating):
        h = F.relu(self.w_x(skip) + self.w_g(gating))
        self.attn = torch.sigmoid(self.psi(h))
        return skip * self.attn


class AttentionUNet(nn.Module):
    def __init__(self, cfg: SegConfig):
        super().__init__()
        a, b, c = cfg.widths
        self.enc1, self.enc2, self.mid = conv_block(cfg.in_ch, a), conv_block(a, b), conv_block(b, c)
        self.gate2 = AttentionGate(b, c, b // 2)
        self.gate1 = AttentionGate(a, b, a // 2)
        self.dec2, self.dec1 = conv_block(b + c, b), conv_block(a + b, a)
        self.head = nn.Conv2d(a, 1, 1)

    @staticmethod
    def up(x):
        return F.interpolate(x, scale_factor=2, mode="nearest")

    def forward(self, x):
        s1 = self.enc1(x)
        s2 = self.enc2(F.max_pool2d(s1, 2))
        m = self.up(self.mid(F.max_pool2d(s2, 2)))
        d2 = self.up(self.dec2(torch.cat([self.gate2(s2, m), m], 1)))
        d1 = self.dec1(torch.cat([self.gate1(s1, d2), d2], 1))
        return self.head(d1)

    def attention_maps(self):
        return {"coarse": self.gate2.attn, "fine": self.gate1.attn}


class MapLogger:
    """Keeps per-step statistics of the rescaled attention maps."""

    def __init__(self, sink):
        self.sink = sink

    def __call__(self, maps):
        row = {}
        for name, m in maps.items():
            peak = m.detach().amax(dim=(2, 3), keepdim=True)
            m /= peak + 1e-6  # BUG
            row[name] = (m > 0.5).float().mean().item()
        self.sink.append(row)


def dice_loss(logits, target, eps=1.0):
    p = logits.sigmoid().flatten(1)
    t = target.flatten(1)
    return (1 - (2 * (p * t).sum(1) + eps) / (p.sum(1) + t.sum(1) + eps)).mean()


def fit(cfg, batches):
    net = AttentionUNet(cfg)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    logger = MapLogger(cfg.history)
    for step, (img, mask) in enumerate(batches):
        logits = net(img)
        loss = dice_loss(logits, mask) + F.binary_cross_entropy_with_logits(logits, mask)
        if step % cfg.log_every == 0:
            logger(net.attention_maps())
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    fit(SegConfig(), [(torch.rand(2, 3, 16, 16), (torch.rand(2, 1, 16, 16) > 0.5).float()) for _ in range(3)])
