import torch
from torch import nn
import torch.nn.functional as F


class SoftPositionEmbed(nn.Module):
    def __init__(self, dim, res):
        super().__init__()
        r = torch.linspace(0, 1, res)
        y, x = torch.meshgrid(r, r, indexing="ij")
        self.register_buffer("grid", torch.stack([y, x, 1 - y, 1 - x], -1))
        self.proj = nn.Linear(4, dim)

    def forward(self, x):
        return x + self.proj(self.grid)


class SlotAttention(nn.Module):
    def __init__(self, dim, n_slots, iters=3, hidden=32, eps=1e-8):
        super().__init__()
        self.n_slots, self.iters, self.eps, self.scale = n_slots, iters, eps, dim ** -0.5
        self.mu = nn.Parameter(torch.randn(1, 1, dim) * 0.1)
        self.log_sigma = nn.Parameter(torch.zeros(1, 1, dim))
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.gru = nn.GRUCell(dim, dim)
        self.norm_in, self.norm_slot, self.norm_ff = (nn.LayerNorm(dim) for _ in range(3))
        self.ff = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, dim))

    def init_slots(self, b):
        noise = torch.randn(b, self.n_slots, self.mu.shape[-1])
        return self.mu + self.log_sigma.exp() * noise

    def refine(self, slots, k, v):
        logits = self.q(self.norm_slot(slots)) @ k.transpose(1, 2) * self.scale
        attn = logits.softmax(1) + self.eps
        updates = (attn / attn.sum(-1, keepdim=True)) @ v
        b, n, d = slots.shape
        new = self.gru(updates.reshape(-1, d), slots.reshape(-1, d)).view(b, n, d)
        new += self.ff(self.norm_ff(new))  # BUG
        return new, attn

    def forward(self, x):
        x = self.norm_in(x)
        k, v = self.k(x), self.v(x)
        slots = self.init_slots(len(x))
        for _ in range(self.iters):
            slots, attn = self.refine(slots, k, v)
        return slots, attn


class BroadcastDecoder(nn.Module):
    def __init__(self, dim, res):
        super().__init__()
        self.res = res
        self.pos = SoftPositionEmbed(dim, res)
        self.net = nn.Sequential(nn.Conv2d(dim, 16, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(16, 4, 3, padding=1))

    def forward(self, slots):
        b, n, d = slots.shape
        z = slots.reshape(b * n, 1, 1, d).expand(-1, self.res, self.res, -1)
        out = self.net(self.pos(z).permute(0, 3, 1, 2)).view(b, n, 4, self.res, self.res)
        rgb, mask = out[:, :, :3], out[:, :, 3:].softmax(1)
        return (rgb * mask).sum(1), mask


class SlotAE(nn.Module):
    def __init__(self, dim=16, n_slots=4, res=8):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(3, dim, 5, padding=2), nn.ReLU(inplace=True), nn.Conv2d(dim, dim, 5, padding=2))
        self.pos = SoftPositionEmbed(dim, res)
        self.slots = SlotAttention(dim, n_slots)
        self.dec = BroadcastDecoder(dim, res)

    def forward(self, img):
        f = self.pos(self.cnn(img).permute(0, 2, 3, 1)).flatten(1, 2)
        s, attn = self.slots(f)
        rec, mask = self.dec(s)
        return rec, mask


def squares(n, res):
    img = torch.zeros(n, 3, res, res)
    for i in range(n):
        for c in range(3):
            y, x = torch.randint(0, res - 2, (2,)).tolist()
            img[i, c, y:y + 3, x:x + 3] = 1
    return img


# --- driver ---
torch.manual_seed(0)
ae = SlotAE()
opt = torch.optim.Adam(ae.parameters(), lr=4e-4)
for i in range(2):
    img = squares(4, 8)
    rec, _ = ae(img)
    loss = F.mse_loss(rec, img)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item())
