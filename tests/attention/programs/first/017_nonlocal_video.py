import torch
from torch import nn
from torch.nn import functional as F


class _NonLocalBlockND(nn.Module):
    def __init__(self, in_channels, inter_channels=None, dimension=3, sub_sample=True, bn_layer=True):
        super(_NonLocalBlockND, self).__init__()
        assert dimension in [1, 2, 3]
        self.dimension = dimension
        self.in_channels = in_channels
        self.inter_channels = inter_channels
        if self.inter_channels is None:
            self.inter_channels = max(in_channels // 2, 1)

        if dimension == 3:
            conv_nd, max_pool, bn = nn.Conv3d, nn.MaxPool3d(kernel_size=(1, 2, 2)), nn.BatchNorm3d
        elif dimension == 2:
            conv_nd, max_pool, bn = nn.Conv2d, nn.MaxPool2d(kernel_size=(2, 2)), nn.BatchNorm2d
        else:
            conv_nd, max_pool, bn = nn.Conv1d, nn.MaxPool1d(kernel_size=2), nn.BatchNorm1d

        self.g = conv_nd(self.in_channels, self.inter_channels, kernel_size=1)
        self.theta = conv_nd(self.in_channels, self.inter_channels, kernel_size=1)
        self.phi = conv_nd(self.in_channels, self.inter_channels, kernel_size=1)
        if bn_layer:
            self.W = nn.Sequential(conv_nd(self.inter_channels, self.in_channels, kernel_size=1), bn(self.in_channels))
        else:
            self.W = conv_nd(self.inter_channels, self.in_channels, kernel_size=1)
        if sub_sample:
            self.g = nn.Sequential(self.g, max_pool)
            self.phi = nn.Sequential(self.phi, max_pool)

    def forward(self, x):
        """x: (b, c, t, h, w)"""
        batch_size = x.size(0)

        g_x = self.g(x).view(batch_size, self.inter_channels, -1)
        g_x = g_x.permute(0, 2, 1)

        theta_x = self.theta(x).view(batch_size, self.inter_channels, -1)
        theta_x = theta_x.permute(0, 2, 1)
        phi_x = self.phi(x).view(batch_size, self.inter_channels, -1)
        f = torch.matmul(theta_x, phi_x)
        f_div_C = F.softmax(f, dim=-1)  # ATTN

        y = torch.matmul(f_div_C, g_x)
        y = y.permute(0, 2, 1).contiguous()
        y = y.view(batch_size, self.inter_channels, *x.size()[2:])
        W_y = self.W(y)
        return W_y + x


class NONLocalBlock2D(_NonLocalBlockND):
    def __init__(self, in_channels, inter_channels=None, sub_sample=True, bn_layer=True):
        super().__init__(in_channels, inter_channels, dimension=2, sub_sample=sub_sample, bn_layer=bn_layer)


class NONLocalBlock3D(_NonLocalBlockND):
    def __init__(self, in_channels, inter_channels=None, sub_sample=True, bn_layer=True):
        super().__init__(in_channels, inter_channels, dimension=3, sub_sample=sub_sample, bn_layer=bn_layer)


# --- driver ---
torch.manual_seed(17)
RESULTS = []
for cls, shape, sub in ((NONLocalBlock2D, (2, 8, 6, 8), True), (NONLocalBlock3D, (1, 6, 3, 4, 4), False)):
    blk = cls(shape[1], sub_sample=sub).double().eval()
    x = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    z = blk(x)
    torch.sin(2 * z).sum().backward()
    RESULTS.append(z.detach())
    RESULTS.append(x.grad)
    for p in blk.parameters():
        if p.grad is not None:
            RESULTS.append(p.grad)
