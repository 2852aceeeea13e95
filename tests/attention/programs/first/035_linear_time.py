import torch
from torch import nn


class FactorisedAttention(nn.Module):
    """Normalises keys over positions and queries over features, then contracts k with v first."""

    def __init__(self, in_channels, key_channels, head_count, value_channels):
        super().__init__()
        self.key_channels, self.head_count, self.value_channels = key_channels, head_count, value_channels
        self.keys = nn.Conv2d(in_channels, key_channels, 1)
        self.queries = nn.Conv2d(in_channels, key_channels, 1)
        self.values = nn.Conv2d(in_channels, value_channels, 1)
        self.reprojection = nn.Conv2d(value_channels, in_channels, 1)

    def forward(self, x):
        n, _, h, w = x.size()
        heads = self.head_count
        k = self.keys(x).reshape(n, heads, self.key_channels // heads, h * w)
        q = self.queries(x).reshape(n, heads, self.key_channels // heads, h * w)
        v = self.values(x).reshape(n, heads, self.value_channels // heads, h * w)

        q = torch.exp(q - q.amax(dim=2, keepdim=True))
        q = q / q.sum(dim=2, keepdim=True)
        k = k.softmax(dim=-1)  # NOT
        context = k @ v.transpose(-2, -1)
        attended = context.transpose(-2, -1) @ q
        attended = attended.reshape(n, self.value_channels, h, w)
        return x + self.reprojection(attended)


class ConvStage(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(cout)

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)))


class SegNet(nn.Module):
    def __init__(self, classes=4, ch=12):
        super().__init__()
        self.stem = ConvStage(3, ch)
        self.attn = FactorisedAttention(ch, 8, 2, ch)
        self.mid = ConvStage(ch, ch)
        self.cls = nn.Conv2d(ch, classes, 1)

    def forward(self, img):
        return self.cls(self.mid(self.attn(self.stem(img))))


# --- driver ---
torch.manual_seed(35)
net = SegNet().double().eval()
RESULTS = []
for hw in ((7, 9), (12, 6)):
    net.zero_grad()
    img = torch.randn(2, 3, *hw, dtype=torch.float64, requires_grad=True)
    out = net(img)
    nn.functional.cross_entropy(out, torch.zeros(2, *hw, dtype=torch.long)).backward()
    RESULTS += [out.detach(), img.grad] + [p.grad.clone() for p in net.parameters()]
