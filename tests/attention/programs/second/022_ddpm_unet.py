import math

import torch as th
import torch.nn as nn


def conv_nd(dims, *args, **kwargs):
    return {1: nn.Conv1d, 2: nn.Conv2d}[dims](*args, **kwargs)


def timestep_embedding(timesteps, dim, max_period=10000):
    half = dim // 2
    freqs = th.exp(-math.log(max_period) * th.arange(half, dtype=th.float64) / half)
    args = timesteps[:, None].double() * freqs[None]
    return th.cat([th.cos(args), th.sin(args)], dim=-1)


class QKVAttentionLegacy(nn.Module):
    """
    A module which performs QKV attention. Matches legacy input/output heads shaping.
    """

    def __init__(self, n_heads):
        super().__init__()
        self.n_heads = n_heads

    def forward(self, qkv):
        """
        :param qkv: an [N x (H * 3 * C) x T] tensor of Qs, Ks, and Vs.
        :return: an [N x (H * C) x T] tensor after attention.
        """
        bs, width, length = qkv.shape
        assert width % (3 * self.n_heads) == 0
        ch = width // (3 * self.n_heads)
        q, k, v = qkv.reshape(bs * self.n_heads, ch * 3, length).split(ch, dim=1)
        scale = 1 / math.sqrt(math.sqrt(ch))
        weight = th.einsum(
            "bct,bcs->bts", q * scale, k * scale
        )  # More stable with f16 than dividing afterwards
        weight = th.softmax(weight, dim=-1).type(weight.dtype)  # ATTN
        a = th.einsum("bts,bcs->bct", weight, v)
        return a.reshape(bs, -1, length)


class AttentionBlock(nn.Module):
    def __init__(self, channels, num_heads=1):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.qkv = conv_nd(1, channels, channels * 3, 1)
        self.attention = QKVAttentionLegacy(num_heads)
        self.proj_out = conv_nd(1, channels, channels, 1)

    def forward(self, x):
        b, c, *spatial = x.shape
        x = x.reshape(b, c, -1)
        qkv = self.qkv(self.norm(x))
        h = self.attention(qkv)
        h = self.proj_out(h)
        return (x + h).reshape(b, c, *spatial)


class ResBlock(nn.Module):
    def __init__(self, ch, emb):
        super().__init__()
        self.in_layers = nn.Sequential(nn.GroupNorm(4, ch), nn.SiLU(), conv_nd(2, ch, ch, 3, padding=1))
        self.emb_layer = nn.Linear(emb, ch)

    def forward(self, x, emb):
        return x + self.in_layers(x) + self.emb_layer(emb)[:, :, None, None]


class TinyUNet(nn.Module):
    def __init__(self, ch=16, emb=8):
        super().__init__()
        self.emb = emb
        self.stem = conv_nd(2, 3, ch, 3, stride=2, padding=1)
        self.res = ResBlock(ch, emb)
        self.mid = AttentionBlock(ch, num_heads=2)
        self.up = nn.ConvTranspose2d(ch, 3, 4, stride=2, padding=1)

    def forward(self, x, t):
        emb = timestep_embedding(t, self.emb)
        h = self.res(self.stem(x), emb)
        return self.up(self.mid(h))


# --- driver ---
th.manual_seed(22)
unet = TinyUNet().eval().double()
RESULTS = []
for hw in ((8, 8), (12, 6)):
    x = th.randn(2, 3, *hw, dtype=th.float64, requires_grad=True)
    unet.zero_grad()
    eps = unet(x, th.tensor([3, 77]))
    eps.pow(2).mean().backward()
    RESULTS += [eps.detach(), x.grad]
    RESULTS += [p.grad.clone() for p in unet.parameters()]
