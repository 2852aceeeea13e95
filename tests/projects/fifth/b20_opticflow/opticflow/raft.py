import torch
import torch.nn as nn

from .corr import CorrBlock, coords_grid
from .update import UpdateBlock


class SmallRAFT(nn.Module):
    """forward(img1, img2, iters) -> list of flow predictions, one for each iteration."""

    def __init__(self, hid=8, levels=2, radius=1):
        super(SmallRAFT, self).__init__()
        self.hid, self.levels, self.radius = hid, levels, radius
        self.fnet = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.InstanceNorm2d(8), nn.ReLU(inplace=True), nn.Conv2d(8, 8, 1))
        self.cnet = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(8, 2 * hid, 1))
        self.update = UpdateBlock(levels * (2 * radius + 1) ** 2, hid)

    def forward(self, img1, img2, iters=3):
        corr_fn = CorrBlock(self.fnet(img1), self.fnet(img2), self.levels, self.radius)
        net, inp = torch.split(self.cnet(img1), [self.hid, self.hid], 1)
        net, inp = torch.tanh(net), torch.relu(inp)
        b, _, h, w = net.shape
        coords0 = coords_grid(b, h, w)
        flow = torch.zeros_like(coords0)
        preds = []
        for _ in range(iters):
            flow = flow.detach()
            net, delta = self.update(net, inp, corr_fn(coords0 + flow), flow)
            flow += delta  # BUG
            preds.append(flow)
        return preds


def sequence_loss(preds, gt, gamma=0.8):
    n = len(preds)
    loss = 0.0
    for i, p in enumerate(preds):
        loss = loss + gamma ** (n - i - 1) * (p - gt).abs_().mean()
    return loss
