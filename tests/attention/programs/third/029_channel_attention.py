"""DANet channel attention module: the affinity is between channels, not positions."""
import torch
import torch.nn as nn


class CAM_Module(nn.Module):
    """Channel attention module."""

    def __init__(self, in_dim):
        super().__init__()
        self.chanel_in = in_dim
        self.gamma = nn.Parameter(torch.full((1,), 0.4))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        m_batchsize, C, height, width = x.size()
        proj_query = x.view(m_batchsize, C, -1)
        proj_key = x.view(m_batchsize, C, -1).permute(0, 2, 1)
        energy = torch.bmm(proj_query, proj_key)
        energy_new = torch.max(energy, -1, keepdim=True)[0].expand_as(energy) - energy
        attention = self.softmax(energy_new)  # NOT
        proj_value = x.view(m_batchsize, C, -1)
        out = torch.bmm(attention, proj_value)
        out = out.view(m_batchsize, C, height, width)
        return self.gamma * out + x


class SEGate(nn.Module):
    def __init__(self, ch, r=2):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(ch, ch // r), nn.ReLU(), nn.Linear(ch // r, ch))

    def forward(self, x):
        w = self.fc(x.mean((2, 3))).softmax(dim=-1)
        return x * w[:, :, None, None] * x.size(1)


class SegHead(nn.Module):
    def __init__(self, in_ch=3, ch=6, classes=4):
        super().__init__()
        self.conv_a = nn.Sequential(nn.Conv2d(in_ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch), nn.ReLU())
        self.ca = CAM_Module(ch)
        self.se = SEGate(ch)
        self.cls = nn.Conv2d(ch, classes, 1)

    def forward(self, x):
        return self.cls(self.se(self.ca(self.conv_a(x) * 0.2)))


# --- driver ---
def main():
    torch.manual_seed(0)
    net = SegHead().eval()
    x = torch.randn(2, 3, 5, 5, requires_grad=True)
    y = net(x)
    nn.functional.cross_entropy(y, torch.randint(0, 4, (2, 5, 5))).backward()
    return [y, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
