"""Slot attention: the softmax competes over slots (the query axis), then weights are renormalised over inputs."""
import torch
import torch.nn.functional as F
from torch import nn


class SlotAttention(nn.Module):
    def __init__(self, num_slots, dim, iters=3, eps=1e-8, hidden_dim=16):
        super().__init__()
        self.num_slots, self.iters, self.eps = num_slots, iters, eps
        self.scale = dim ** -0.5
        self.slots_mu = nn.Parameter(torch.randn(1, 1, dim))
        self.slots_logsigma = nn.Parameter(torch.zeros(1, 1, dim))
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.gru = nn.GRUCell(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden_dim), nn.ReLU(inplace=True), nn.Linear(hidden_dim, dim))
        self.norm_input = nn.LayerNorm(dim)
        self.norm_slots = nn.LayerNorm(dim)
        self.norm_pre_ff = nn.LayerNorm(dim)

    def forward(self, inputs, noise):
        b, n, d = inputs.shape
        slots = self.slots_mu + self.slots_logsigma.exp() * noise
        inputs = self.norm_input(inputs)
        k, v = self.to_k(inputs), self.to_v(inputs)
        for _ in range(self.iters):
            slots_prev = slots
            q = self.to_q(self.norm_slots(slots))
            dots = torch.einsum("bid,bjd->bij", q, k) * self.scale
            attn = dots.softmax(dim=1) + self.eps  # NOT
            attn = attn / attn.sum(dim=-1, keepdim=True)
            updates = torch.einsum("bjd,bij->bid", v, attn)
            slots = self.gru(updates.reshape(-1, d), slots_prev.reshape(-1, d)).reshape(b, -1, d)
            slots = slots + self.mlp(self.norm_pre_ff(slots))
        return slots


class Autoencoder(nn.Module):
    def __init__(self, ch=8, slots=3):
        super().__init__()
        self.enc = nn.Conv2d(3, ch, 3, padding=1)
        self.pos = nn.Parameter(torch.randn(1, 16, ch) * 0.1)
        self.slot_attention = SlotAttention(slots, ch)
        self.dec = nn.Linear(ch, 4)

    def forward(self, img, noise):
        x = F.relu(self.enc(img)).flatten(2).transpose(1, 2) + self.pos
        slots = self.slot_attention(x, noise)
        # broadcast decoder: masks compete over slots as well
        grid = slots[:, :, None, :] + self.pos[:, None]
        rgb, alpha = self.dec(grid).split([3, 1], dim=-1)
        recon = (rgb * alpha.softmax(dim=1)).sum(1)
        return recon, slots


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Autoencoder().eval()
    img = torch.randn(2, 3, 4, 4, requires_grad=True)
    recon, slots = net(img, torch.randn(2, 3, 8))
    (recon - img.detach().flatten(2).transpose(1, 2)).pow(2).mean().backward()
    return [recon, slots, img.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
