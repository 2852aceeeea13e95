import torch
import torch.nn as nn
from pc_losses import ChamferLoss, RepulsionLoss


class PointUpsampler(nn.Module):
    def __init__(self, up=4, feat=32):
        super().__init__()
        self.up = up
        self.local = nn.Sequential(nn.Conv1d(3, feat, 1), nn.ReLU(), nn.Conv1d(feat, feat, 1), nn.ReLU())
        self.expand = nn.Conv1d(2 * feat, 3 * up, 1)

    def forward(self, xyz):                      # B,N,3
        f = self.local(xyz.transpose(1, 2))      # B,F,N
        g = f.max(dim=2, keepdim=True)[0].expand_as(f)
        off = self.expand(torch.cat([f, g], 1))  # B,3*up,N
        B, _, N = off.shape
        off = off.view(B, self.up, 3, N).permute(0, 3, 1, 2)
        return (xyz.unsqueeze(2) + 0.1 * off).reshape(B, N * self.up, 3)


def sphere(b, n):
    p = torch.randn(b, n, 3)
    return p / p.norm(dim=2, keepdim=True)


torch.manual_seed(0)
net = PointUpsampler()
chamfer, repulsion = ChamferLoss(), RepulsionLoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(3):
    for _ in range(4):
        dense = sphere(4, 128)
        sparse = dense[:, torch.randperm(128)[:32]]
        out = net(sparse)
        loss = chamfer(out, dense) + 0.5 * repulsion(out)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
