# decoder mid-block of an image autoencoder
import torch
import torch.nn as nn


def nonlinearity(x):
    # swish
    return x * torch.sigmoid(x)


def Normalize(in_channels, num_groups=4):
    return torch.nn.GroupNorm(num_groups=num_groups, num_channels=in_channels, eps=1e-6, affine=True)


class ResnetBlock(nn.Module):
    def __init__(self, channels, dropout):
        super().__init__()
        self.norm1 = Normalize(channels)
        self.conv1 = torch.nn.Conv2d(channels, channels, kernel_size=3, stride=1, padding=1)
        self.norm2 = Normalize(channels)
        self.dropout = torch.nn.Dropout(dropout)
        self.conv2 = torch.nn.Conv2d(channels, channels, kernel_size=3, stride=1, padding=1)

    def forward(self, x):
        h = self.conv1(nonlinearity(self.norm1(x)))
        h = self.conv2(self.dropout(nonlinearity(self.norm2(h))))
        return x + h


class AttnBlock(nn.Module):
    def __init__(self, in_channels):
        super().__init__()
        self.in_channels = in_channels

        self.norm = Normalize(in_channels)
        self.q = torch.nn.Conv2d(in_channels, in_channels, kernel_size=1, stride=1, padding=0)
        self.k = torch.nn.Conv2d(in_channels, in_channels, kernel_size=1, stride=1, padding=0)
        self.v = torch.nn.Conv2d(in_channels, in_channels, kernel_size=1, stride=1, padding=0)
        self.proj_out = torch.nn.Conv2d(in_channels, in_channels, kernel_size=1, stride=1, padding=0)

    def forward(self, x):
        h_ = x
        h_ = self.norm(h_)
        q = self.q(h_)
        k = self.k(h_)
        v = self.v(h_)

        # compute attention
        b, c, h, w = q.shape
        q = q.reshape(b, c, h * w)
        q = q.permute(0, 2, 1)      # b,hw,c
        k = k.reshape(b, c, h * w)  # b,c,hw
        w_ = torch.bmm(q, k)        # b,hw,hw    w[b,i,j]=sum_c q[b,i,c]k[b,c,j]
        w_ = w_ * (int(c) ** (-0.5))
        w_ = torch.nn.functional.softmax(w_, dim=2)  # ATTN

        # attend to values
        v = v.reshape(b, c, h * w)
        w_ = w_.permute(0, 2, 1)    # b,hw,hw (first hw of k, second of q)
        h_ = torch.bmm(v, w_)       # b, c,hw (hw of q) h_[b,c,j] = sum_i v[b,c,i] w_[b,i,j]
        h_ = h_.reshape(b, c, h, w)

        h_ = self.proj_out(h_)
        return x + h_


class Mid(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.block_1 = ResnetBlock(ch, 0.0)
        self.attn_1 = AttnBlock(ch)
        self.block_2 = ResnetBlock(ch, 0.0)

    def forward(self, z):
        return self.block_2(self.attn_1(self.block_1(z)))


# --- driver ---
torch.manual_seed(20)
mid = Mid(12).double().eval()
RESULTS = []
for h, w in [(5, 7), (8, 8)]:
    mid.zero_grad(set_to_none=True)
    z = torch.randn(2, 12, h, w, dtype=torch.float64, requires_grad=True)
    out = mid(z)
    nonlinearity(out).sum().backward()
    RESULTS.extend([out.detach(), z.grad])
    RESULTS.extend(p.grad for p in mid.parameters())
