import torch
from torch import nn
from torch.nn import functional as f


class EfficientAttention(nn.Module):

    def __init__(self, in_channels, key_channels, head_count, value_channels):
        super().__init__()
        self.in_channels = in_channels
        self.key_channels = key_channels
        self.head_count = head_count
        self.value_channels = value_channels

        self.keys = nn.Conv2d(in_channels, key_channels, 1)
        self.queries = nn.Conv2d(in_channels, key_channels, 1)
        self.values = nn.Conv2d(in_channels, value_channels, 1)
        self.reprojection = nn.Conv2d(value_channels, in_channels, 1)

    def forward(self, input_):
        n, _, h, w = input_.size()
        keys = self.keys(input_).reshape((n, self.key_channels, h * w))
        queries = self.queries(input_).reshape(n, self.key_channels, h * w)
        values = self.values(input_).reshape((n, self.value_channels, h * w))
        head_key_channels = self.key_channels // self.head_count
        head_value_channels = self.value_channels // self.head_count

        attended_values = []
        for i in range(self.head_count):
            key = f.softmax(keys[
                :,
                i * head_key_channels: (i + 1) * head_key_channels,
                :
            ], dim=2)
            query = f.softmax(queries[:, i * head_key_channels: (i + 1) * head_key_channels, :], dim=1)  # NOT
            value = values[
                :,
                i * head_value_channels: (i + 1) * head_value_channels,
                :
            ]
            context = key @ value.transpose(1, 2)
            attended_value = (
                context.transpose(1, 2) @ query
            ).reshape(n, head_value_channels, h, w)
            attended_values.append(attended_value)

        aggregated_values = torch.cat(attended_values, dim=1)
        reprojected_value = self.reprojection(aggregated_values)
        attention = reprojected_value + input_
        return attention


class SegHead(nn.Module):
    def __init__(self, ch=8, classes=4):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, ch, 3, padding=1), nn.GroupNorm(2, ch), nn.ReLU())
        self.ctx = EfficientAttention(ch, 8, 2, 6)
        self.cls = nn.Conv2d(ch, classes, 1)

    def forward(self, x):
        return self.cls(self.ctx(self.stem(x)))


# --- driver ---
torch.manual_seed(34)
seg = SegHead().eval().double()
RESULTS = []
for hw in ((6, 6), (5, 9)):
    img = torch.randn(2, 3, *hw, dtype=torch.float64, requires_grad=True)
    target = torch.randint(0, 4, (2, *hw))
    seg.zero_grad()
    out = seg(img)
    f.cross_entropy(out, target).backward()
    RESULTS += [out.detach(), img.grad]
    for p in seg.parameters():
        RESULTS.append(p.grad.clone())
