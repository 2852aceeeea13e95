import torch
import torch.nn as nn


class Detect(nn.Module):
    stride = None

    def __init__(self, nc=3, anchors=((10, 13), (16, 30), (33, 23)), ch=8, stride=8):
        super().__init__()
        self.nc, self.no = nc, nc + 5
        self.na = len(anchors)
        self.stride = stride
        self.register_buffer('anchors', torch.tensor(anchors).float().view(1, -1, 1, 1, 2))
        self.m = nn.Conv2d(ch, self.no * self.na, 1)

    @staticmethod
    def _make_grid(nx, ny):
        yv, xv = torch.meshgrid(torch.arange(ny), torch.arange(nx), indexing='ij')
        return torch.stack((xv, yv), 2).view(1, 1, ny, nx, 2).float()

    def forward(self, x):
        x = self.m(x)
        bs, _, ny, nx = x.shape
        # x(bs,24,4,4) to x(bs,3,4,4,8)
        x = x.view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
        grid = self._make_grid(nx, ny)
        y = x.sigmoid()
        y[..., 0:2] = (y[..., 0:2] * 2. - 0.5 + grid) * self.stride  # BUG
        y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * self.anchors
        return y.view(bs, -1, self.no)
