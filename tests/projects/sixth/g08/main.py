import torch
import torch.nn as nn
import torch.nn.functional as F

from vq import VectorQuantizerEMA

torch.manual_seed(8)
torch.set_num_threads(1)


class VQVAE(nn.Module):
    def __init__(self, d=12, h=24, z=4, k=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.ReLU(True), nn.Linear(h, 2 * z))
        self.vq = VectorQuantizerEMA(k, z)
        self.dec = nn.Sequential(nn.Linear(2 * z, h), nn.ReLU(True), nn.Linear(h, d))

    def forward(self, x):
        z = self.enc(x).view(x.size(0), 2, -1)
        q, commit, idx = self.vq(z)
        return self.dec(q.flatten(1)), commit, idx


net = VQVAE()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
data = torch.randn(128, 12) @ torch.randn(12, 12).mul_(0.4)
usage = torch.zeros(16)
for epoch in range(4):
    usage.zero_()
    for x in data.split(32):
        recon, commit, idx = net(x)
        usage.index_add_(0, idx, torch.ones_like(idx, dtype=torch.float))
        loss = F.mse_loss(recon, x)
        loss += commit
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    dead = usage == 0
    if dead.any():
        net.vq.embed[dead] = torch.randn(int(dead.sum()), 4)
    print(epoch, round(loss.item(), 4), int((usage > 0).sum()))
