"""Axial attention on images: rows, then columns, channels first all along, positional terms on the scores."""
import torch
from torch import nn


def conv1x1(i, o):
    return nn.Conv1d(i, o, kernel_size=1, bias=False)


class AxialAttention(nn.Module):
    def __init__(self, planes, groups, span, width=False):
        super().__init__()
        assert planes % groups == 0
        self.groups, self.gp, self.width = groups, planes // groups, width
        self.qkv_transform = conv1x1(planes, planes * 3)
        self.bn_qkv = nn.BatchNorm1d(planes * 3)
        self.relative = nn.Parameter(torch.randn(groups, 2 * span - 1) * 0.3)
        i = torch.arange(span)
        self.register_buffer("flat_index", (i[:, None] - i[None, :] + span - 1).reshape(-1), persistent=False)
        self.span = span

    def forward(self, x):
        if self.width:
            x = x.permute(0, 2, 1, 3)  # N, H, C, W
        else:
            x = x.permute(0, 3, 1, 2)  # N, W, C, H
        N, W, C, H = x.shape
        x = x.contiguous().view(N * W, C, H)

        qkv = self.bn_qkv(self.qkv_transform(x))
        q, k, v = torch.split(qkv.reshape(N * W, self.groups, self.gp * 3, H), [self.gp] * 3, dim=2)

        qk = torch.einsum("bgci, bgcj->bgij", q, k).div(self.gp ** 0.5)
        rel = torch.index_select(self.relative, 1, self.flat_index).view(1, self.groups, self.span, self.span)
        similarity = torch.add(qk, rel)
        similarity = torch.softmax(similarity, dim=3)  # ATTN
        sv = torch.einsum("bgij,bgcj->bgci", similarity, v)

        out = sv.reshape(N * W, C, H).view(N, W, C, H)
        return out.permute(0, 2, 1, 3) if self.width else out.permute(0, 2, 3, 1)


class AxialBlock(nn.Module):
    def __init__(self, inplanes, planes, size, groups=2):
        super().__init__()
        self.down = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.hight_block = AxialAttention(planes, groups, size)
        self.width_block = AxialAttention(planes, groups, size, width=True)
        self.up = nn.Conv2d(planes, inplanes, 1, bias=False)
        self.relu = nn.ReLU()

    def forward(self, x):
        identity = x
        out = self.relu(self.down(x))
        out = self.hight_block(out)
        out = self.width_block(out)
        return self.relu(self.up(self.relu(out)) + identity)


# --- driver ---
def main():
    torch.manual_seed(0)
    net = nn.Sequential(AxialBlock(6, 8, 5), AxialBlock(6, 8, 5)).eval()
    x = torch.randn(2, 6, 5, 5, requires_grad=True)
    y = net(x)
    y.sum().backward()
    return [y, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
