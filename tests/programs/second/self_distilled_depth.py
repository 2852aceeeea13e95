"""Monocular depth network where coarse scales are supervised by the finest prediction."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvELU(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)

    def forward(self, x):
        return F.elu(self.conv(x), inplace=True)


class DepthNet(nn.Module):
    def __init__(self, ch=8, scales=3):
        super().__init__()
        self.stem = ConvELU(3, ch)
        self.down = nn.ModuleList(nn.Conv2d(ch, ch, 3, 2, 1) for _ in range(scales - 1))
        self.up = nn.ModuleList(ConvELU(ch * 2, ch) for _ in range(scales - 1))
        self.heads = nn.ModuleList(nn.Conv2d(ch, 1, 3, padding=1) for _ in range(scales))

    def forward(self, x):
        feats = [self.stem(x)]
        for d in self.down:
            feats.append(F.elu(d(feats[-1])))
        h = feats[-1]
        disps = {len(feats) - 1: torch.sigmoid(self.heads[-1](h))}
        for i in reversed(range(len(feats) - 1)):
            h = F.interpolate(h, scale_factor=2, mode="nearest")
            h = self.up[i](torch.cat([h, feats[i]], dim=1))
            disps[i] = torch.sigmoid(self.heads[i](h))
        return disps


def smoothness(disp, img):
    d = disp / (disp.mean((2, 3), keepdim=True) + 1e-7)
    gx = (d[..., :-1] - d[..., 1:]).abs()
    gy = (d[..., :-1, :] - d[..., 1:, :]).abs()
    ix = (img[..., :-1] - img[..., 1:]).abs().mean(1, keepdim=True)
    iy = (img[..., :-1, :] - img[..., 1:, :]).abs().mean(1, keepdim=True)
    return (gx * torch.exp(-ix)).mean() + (gy * torch.exp(-iy)).mean()


class SelfDistillation:
    def __init__(self, lo=0.05, hi=0.95, weight=0.5):
        self.lo, self.hi, self.weight = lo, hi, weight

    def pseudo_label(self, disp):
        label = disp.detach()
        label.clamp_(self.lo, self.hi)  # BUG
        return label

    def __call__(self, disps):
        label = self.pseudo_label(disps[0])
        total = 0.0
        for i, d in disps.items():
            if i == 0:
                continue
            small = F.interpolate(label, size=d.shape[-2:], mode="area")
            total = total + F.l1_loss(d, small)
        return self.weight * total


class SparseDepthLoss(nn.Module):
    def forward(self, disp, gt):
        valid = gt > 0
        return (disp[valid].clamp(min=1e-3).log() - gt[valid].log()).abs().mean()


def train_step(model, batch, opt, distill=SelfDistillation(), sup=SparseDepthLoss()):
    img, gt = batch
    disps = model(img)
    loss = sup(disps[0], gt) + 0.1 * smoothness(disps[0], img) + distill(disps)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net = DepthNet()
gt = torch.rand(2, 1, 16, 16)
gt[torch.rand_like(gt) > 0.3] = 0.0
train_step(net, (torch.rand(2, 3, 16, 16), gt), torch.optim.Adam(net.parameters(), lr=1e-3))
