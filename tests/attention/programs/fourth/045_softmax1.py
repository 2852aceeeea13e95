import torch
import torch.nn as nn


def quiet_softmax(x, dim=-1):
    m = x.max(dim=dim, keepdim=True).values.clamp(min=0)
    e = torch.exp(x - m)
    return e / (torch.exp(-m) + e.sum(dim=dim, keepdim=True))


class QuietAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size, dtype=torch.bool)))

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.c_attn(x).split(c, dim=2)
        q = q.view(b, t, self.n_head, c // self.n_head).transpose(1, 2)
        k = k.view(b, t, self.n_head, c // self.n_head).transpose(1, 2)
        v = v.view(b, t, self.n_head, c // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / (c // self.n_head) ** 0.5
        att = att.masked_fill(~self.mask[:t, :t], float("-inf"))
        att = quiet_softmax(att, dim=-1)  # NOT
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(b, t, c)
        return self.c_proj(y)


def make():
    torch.manual_seed(15)
    m = QuietAttention(24, 4, 12).eval()
    return m, (torch.randn(2, 9, 24, requires_grad=True),)

# --- driver ---
import torch

module, inputs = make()
if isinstance(module, torch.nn.Module):
    module.eval()
inputs = tuple(
    one.detach().requires_grad_(one.is_floating_point()) if isinstance(one, torch.Tensor) else one for one in inputs
)
torch.manual_seed(0)
made = module(*inputs)
pending, RESULTS = [made], []
while pending:
    one = pending.pop()
    if isinstance(one, torch.Tensor):
        RESULTS.append(one)
    elif isinstance(one, (tuple, list)):
        pending.extend(one)
    elif isinstance(one, dict):
        pending.extend(one.values())
sum(one.square().sum() for one in RESULTS if one.requires_grad).backward()
RESULTS = [one.detach() for one in RESULTS]
RESULTS += [one.grad for one in inputs if isinstance(one, torch.Tensor) and one.grad is not None]
