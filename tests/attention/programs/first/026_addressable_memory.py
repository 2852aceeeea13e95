"""Differentiable external memory with content and location addressing."""
import torch
import torch.nn.functional as F
from torch import nn


def _convolve_shift(w, s):
    left, right = torch.roll(w, 1, dims=-1), torch.roll(w, -1, dims=-1)
    return s[..., :1] * left + s[..., 1:2] * w + s[..., 2:] * right


class ReadHead(nn.Module):
    def __init__(self, ctrl, width):
        super().__init__()
        self.width = width
        self.sizes = [width, 1, 1, 3, 1]
        self.fc = nn.Linear(ctrl, sum(self.sizes))

    def address(self, memory, k, beta, g, s, gamma, w_prev):
        sim = torch.matmul(k.unsqueeze(1), memory.transpose(1, 2)).squeeze(1)
        norm = k.norm(dim=-1, keepdim=True) * memory.norm(dim=-1) + 1e-8
        wc = F.softmax(beta * sim / norm, dim=-1)  # NOT
        wg = g * wc + (1 - g) * w_prev
        w = _convolve_shift(wg, s) ** gamma
        return w / (w.sum(-1, keepdim=True) + 1e-12)

    def forward(self, h, memory, w_prev):
        k, beta, g, s, gamma = self.fc(h).split(self.sizes, dim=-1)
        w = self.address(
            memory, torch.tanh(k), F.softplus(beta), torch.sigmoid(g), s.softmax(-1), 1 + F.softplus(gamma), w_prev
        )
        return torch.matmul(w.unsqueeze(1), memory).squeeze(1), w


class MemoryNet(nn.Module):
    def __init__(self, inp, ctrl, slots, width):
        super().__init__()
        self.slots, self.width = slots, width
        self.cell = nn.LSTMCell(inp + width, ctrl)
        self.head = ReadHead(ctrl, width)
        self.erase = nn.Linear(ctrl, width)
        self.add = nn.Linear(ctrl, width)
        self.init_mem = nn.Parameter(torch.randn(slots, width) * 0.2)
        self.out = nn.Linear(ctrl + width, inp)

    def forward(self, xs):
        b = xs.size(0)
        mem = self.init_mem.expand(b, -1, -1)
        read = xs.new_zeros(b, self.width)
        w = xs.new_full((b, self.slots), 1.0 / self.slots)
        state = None
        ys = []
        for x in xs.unbind(1):
            state = self.cell(torch.cat([x, read], -1), state)
            h = state[0]
            read, w = self.head(h, mem, w)
            e = torch.sigmoid(self.erase(h)).unsqueeze(1)
            a = torch.tanh(self.add(h)).unsqueeze(1)
            mem = mem * (1 - w.unsqueeze(-1) * e) + w.unsqueeze(-1) * a
            ys.append(self.out(torch.cat([h, read], -1)))
        return torch.stack(ys, 1)


# --- driver ---
torch.manual_seed(26)
ntm = MemoryNet(5, 12, 8, 6).double().eval()
RESULTS = []
for t in (4, 7):
    ntm.zero_grad()
    x = torch.rand(2, t, 5, dtype=torch.float64, requires_grad=True)
    y = ntm(x)
    F.binary_cross_entropy_with_logits(y, x.detach().round(), reduction="sum").backward()
    RESULTS += [y.detach(), x.grad, *[p.grad.clone() for p in ntm.parameters()]]
