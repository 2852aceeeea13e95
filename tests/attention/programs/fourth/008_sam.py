import torch
import torch.nn as nn


def get_rel_pos(size, table):
    idx = torch.arange(size)[:, None] - torch.arange(size)[None, :] + (size - 1)
    return table[idx]


class ImageAttention(nn.Module):
    """Global attention on a (B, H, W, C) map with decomposed relative positions."""

    def __init__(self, dim=24, num_heads=3, input_size=(4, 5)):
        super().__init__()
        self.num_heads = num_heads
        head_dim = dim // num_heads
        self.scale = head_dim**-0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)
        self.rel_pos_h = nn.Parameter(0.3 * torch.randn(2 * input_size[0] - 1, head_dim))
        self.rel_pos_w = nn.Parameter(0.3 * torch.randn(2 * input_size[1] - 1, head_dim))

    def add_decomposed(self, attn, q, H, W):
        B = q.shape[0]
        r_q = q.reshape(B, H, W, -1)
        rel_h = torch.einsum("bhwc,hkc->bhwk", r_q, get_rel_pos(H, self.rel_pos_h))
        rel_w = torch.einsum("bhwc,wkc->bhwk", r_q, get_rel_pos(W, self.rel_pos_w))
        attn = attn.view(B, H, W, H, W) + rel_h[:, :, :, :, None] + rel_w[:, :, :, None, :]
        return attn.view(B, H * W, H * W)

    def forward(self, x):
        B, H, W, _ = x.shape
        qkv = self.qkv(x).reshape(B, H * W, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.reshape(3, B * self.num_heads, H * W, -1).unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        attn = self.add_decomposed(attn, q, H, W)
        attn = attn.softmax(dim=-1)  # ATTN
        x = (attn @ v).view(B, self.num_heads, H, W, -1).permute(0, 2, 3, 1, 4).reshape(B, H, W, -1)
        return self.proj(x)


def make():
    torch.manual_seed(44)
    return ImageAttention().eval(), (torch.randn(2, 4, 5, 24, requires_grad=True),)
