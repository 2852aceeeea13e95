"""Audio + pixels into a latent array, in the manner of the Perceiver family."""
import torch
from torch import nn


class AttentionCore(nn.Module):
    """Holds the projections; subclasses say who reads from whom."""

    def __init__(self, q_dim, kv_dim, qk_channels, v_channels, num_heads, out_dim=None):
        super().__init__()
        self.num_heads = num_heads
        self.qk_per_head = qk_channels // num_heads
        self.v_per_head = v_channels // num_heads
        self.norm_q = nn.LayerNorm(q_dim)
        self.norm_kv = nn.LayerNorm(kv_dim)
        self.to_q = nn.Linear(q_dim, qk_channels)
        self.to_k = nn.Linear(kv_dim, qk_channels)
        self.to_v = nn.Linear(kv_dim, v_channels)
        self.final = nn.Linear(v_channels, out_dim or q_dim)

    def project(self, x_q, x_kv):
        x_q, x_kv = self.norm_q(x_q), self.norm_kv(x_kv)
        return self.to_q(x_q), self.to_k(x_kv), self.to_v(x_kv)


class Read(AttentionCore):
    def forward(self, x_q, x_kv, kv_mask=None):
        q, k, v = self.project(x_q, x_kv)
        b, t, _ = q.shape
        s = k.shape[1]
        q = q.reshape(b, t, self.num_heads, self.qk_per_head)
        k = k.reshape(b, s, self.num_heads, self.qk_per_head)
        v = v.reshape(b, s, self.num_heads, self.v_per_head)

        attn = torch.einsum("bthd,bThd->bhtT", q, k)
        attn = attn * (1.0 / self.qk_per_head ** 0.5)
        if kv_mask is not None:
            large_k = torch.tensor(1e4 if attn.dtype == torch.float16 else 1e30, dtype=attn.dtype)
            attn = torch.where(kv_mask[:, None, None, :], attn, -large_k)
        normalized = nn.functional.softmax(attn, dim=-1)  # ATTN
        summed = torch.einsum("bhtT,bThd->bthd", normalized, v)
        summed = summed.reshape(b, t, self.num_heads * self.v_per_head)
        return self.final(summed)


class SelfRead(Read):
    def __init__(self, dim, num_heads):
        super().__init__(dim, dim, dim, dim, num_heads)

    def forward(self, x, kv_mask=None):
        return super().forward(x, x, kv_mask)


class Perceiver(nn.Module):
    def __init__(self, audio=5, pixel=7, d=14, n_latents=6, latent=16, classes=3):
        super().__init__()
        self.pad_audio = nn.Parameter(torch.randn(d - audio))
        self.pad_pixel = nn.Parameter(torch.randn(d - pixel))
        self.latents = nn.Parameter(torch.randn(n_latents, latent) * 0.2)
        self.read = Read(latent, d, 8, 12, 2)
        self.think = nn.ModuleList(SelfRead(latent, 4) for _ in range(2))
        self.query = nn.Parameter(torch.randn(2, 9))
        self.write = Read(9, latent, 6, 6, 1, out_dim=classes)

    def forward(self, audio, pixels, kv_mask=None):
        b = audio.shape[0]
        a = torch.cat([audio, self.pad_audio.expand(b, audio.shape[1], -1)], -1)
        p = torch.cat([pixels, self.pad_pixel.expand(b, pixels.shape[1], -1)], -1)
        z = self.latents.expand(b, -1, -1)
        z = z + self.read(z, torch.cat([a, p], 1), kv_mask)
        for block in self.think:
            z = z + block(z)
        return self.write(self.query.expand(b, -1, -1), z)


# --- driver ---
torch.manual_seed(47)
net = Perceiver().double().eval()
RESULTS = []
for na, np_, masked in ((5, 8, True), (9, 4, False)):
    a = torch.randn(2, na, 5, dtype=torch.float64, requires_grad=True)
    p = torch.randn(2, np_, 7, dtype=torch.float64, requires_grad=True)
    m = torch.ones(2, na + np_, dtype=torch.bool)
    m[0, :3] = False
    net.zero_grad()
    y = net(a, p, m if masked else None)
    y.logsumexp(-1).square().sum().backward()
    RESULTS += [y.detach(), a.grad, p.grad] + [w.grad.clone() for w in net.parameters()]
