import torch
import torch.nn as nn


class AxialAttention(nn.Module):
    """Attention along one spatial axis of a channels-last map, the other axis kept as batch."""

    def __init__(self, dim, heads, axis, size):
        super().__init__()
        assert axis in (1, 2)
        self.axis = axis
        self.heads = heads
        self.dh = dim // heads
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.rel = nn.Parameter(torch.randn(heads, 2 * size - 1) * 0.1)
        self.size = size
        self.back = nn.Linear(dim, dim)

    def rel_bias(self, n):
        i = torch.arange(n)
        return self.rel[:, (i[None, :] - i[:, None]) + self.size - 1]

    def forward(self, x):
        if self.axis == 1:
            x = x.transpose(1, 2)
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, self.dh)).unbind(-3)
        # b: batch, r: the axis we do not attend over
        s = torch.einsum("brihd,brjhd->brhij", q, k)
        s = s * self.dh ** -0.5 + self.rel_bias(x.shape[2])
        o = torch.einsum("brhij,brjhd->brihd", torch.softmax(s, dim=-1), v)  # ATTN
        o = self.back(o.flatten(-2))
        if self.axis == 1:
            o = o.transpose(1, 2)
        return o


class AxialBlock(nn.Module):
    def __init__(self, dim, heads, size):
        super().__init__()
        self.norm_r, self.norm_c = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.rows = AxialAttention(dim, heads, 2, size)
        self.cols = AxialAttention(dim, heads, 1, size)

    def forward(self, x):
        x = x + self.rows(self.norm_r(x))
        return x + self.cols(self.norm_c(x))


class PanopticStub(nn.Module):
    def __init__(self, dim=12, heads=3, size=10, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, 3, stride=2, padding=1)
        self.body = nn.Sequential(AxialBlock(dim, heads, size), AxialBlock(dim, heads, size))
        self.head = nn.Linear(dim, classes)

    def forward(self, img):
        x = self.stem(img).permute(0, 2, 3, 1)
        return self.head(self.body(x))


# --- driver ---
torch.manual_seed(48)
net = PanopticStub().double().eval()
RESULTS = []
for hw in ((12, 18), (9, 6)):
    net.zero_grad()
    img = torch.randn(2, 3, *hw, dtype=torch.float64, requires_grad=True)
    y = net(img)
    y.softmax(-1).log().square().mean().backward()
    RESULTS += [y.detach(), img.grad, *(p.grad.clone() for p in net.parameters())]
