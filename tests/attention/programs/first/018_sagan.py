"""Generator/critic feature-map self attention with a zero-initialised gate."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import spectral_norm


class Self_Attn(nn.Module):
    """ Self attention Layer"""
    def __init__(self, in_dim, gate=0.0):
        super(Self_Attn, self).__init__()
        self.chanel_in = in_dim
        self.query_conv = nn.Conv2d(in_channels=in_dim, out_channels=in_dim // 4, kernel_size=1)
        self.key_conv = nn.Conv2d(in_channels=in_dim, out_channels=in_dim // 4, kernel_size=1)
        self.value_conv = nn.Conv2d(in_channels=in_dim, out_channels=in_dim, kernel_size=1)
        self.gamma = nn.Parameter(torch.full((1,), gate))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        m_batchsize, C, width, height = x.size()
        proj_query = self.query_conv(x).view(m_batchsize, -1, width * height).permute(0, 2, 1)  # B X N X C
        proj_key = self.key_conv(x).view(m_batchsize, -1, width * height)  # B X C X N
        energy = torch.bmm(proj_query, proj_key)
        attention = self.softmax(energy)  # ATTN
        proj_value = self.value_conv(x).view(m_batchsize, -1, width * height)  # B X C X N

        out = torch.bmm(proj_value, attention.permute(0, 2, 1))
        out = out.view(m_batchsize, C, width, height)
        out = self.gamma * out + x
        return out, attention


class Discriminator(nn.Module):
    def __init__(self, ch=8, gate=0.5):
        super().__init__()
        self.l1 = spectral_norm(nn.Conv2d(3, ch, 4, 2, 1))
        self.l2 = spectral_norm(nn.Conv2d(ch, ch * 2, 4, 2, 1))
        self.attn = Self_Attn(ch * 2, gate)
        self.last = spectral_norm(nn.Conv2d(ch * 2, 1, 3, 1, 1))

    def forward(self, x):
        h = F.leaky_relu(self.l1(x), 0.1)
        h = F.leaky_relu(self.l2(h), 0.1)
        h, p = self.attn(h)
        return self.last(h).mean((1, 2, 3)), p


# --- driver ---
torch.manual_seed(18)
D = Discriminator().double().eval()
RESULTS = []
for hw in ((16, 16), (12, 20)):
    D.zero_grad()
    img = torch.randn(2, 3, *hw, dtype=torch.float64, requires_grad=True)
    score, att = D(img)
    F.relu(1.0 + score).sum().backward()
    RESULTS += [score.detach(), att.detach(), img.grad]
    RESULTS += [p.grad.clone() for p in D.parameters()]
