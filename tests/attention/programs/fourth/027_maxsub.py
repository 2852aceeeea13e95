import torch
import torch.nn as nn


class GPTNeoBlockAttention(nn.Module):
    def __init__(self, hidden, heads, max_pos=32, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.hd = hidden // heads
        self.q_proj = nn.Linear(hidden, hidden, bias=False)
        self.k_proj = nn.Linear(hidden, hidden, bias=False)
        self.v_proj = nn.Linear(hidden, hidden, bias=False)
        self.out_proj = nn.Linear(hidden, hidden)
        self.attn_dropout = nn.Dropout(float(dropout))
        mask = torch.tril(torch.ones(max_pos, max_pos, dtype=torch.uint8)).bool()
        self.register_buffer("mask", mask[None, None])

    def shape(self, t):
        return t.view(t.size(0), t.size(1), self.heads, self.hd).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = self.shape(self.q_proj(x)), self.shape(self.k_proj(x)), self.shape(self.v_proj(x))
        t = x.size(1)
        logits = torch.matmul(q, k.transpose(-1, -2))
        logits = logits.masked_fill(~self.mask[:, :, :t, :t], -1e4)
        # avoids overflow in half precision
        logits = logits - logits.max(dim=-1, keepdim=True)[0].detach()
        probs = nn.functional.softmax(logits, dim=-1)  # ATTN
        probs = self.attn_dropout(probs.type(v.dtype))
        ctx = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
        return self.out_proj(ctx.view(x.size(0), t, -1))


def make():
    torch.manual_seed(32)
    m = GPTNeoBlockAttention(28, 4).eval()
    return m, (torch.randn(2, 9, 28).requires_grad_(),)
