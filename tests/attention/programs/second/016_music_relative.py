"""Relative global attention for symbolic music, with the memory-efficient skew."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RelativeGlobalAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_len=64, dropout=0.1):
        super().__init__()
        d_head, remainder = divmod(d_model, num_heads)
        if remainder:
            raise ValueError("incompatible `d_model` and `num_heads`")
        self.max_len = max_len
        self.d_model = d_model
        self.num_heads = num_heads
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.query = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.Er = nn.Parameter(torch.randn(max_len, d_head))
        self.register_buffer("mask", torch.tril(torch.ones(max_len, max_len)).unsqueeze(0).unsqueeze(0))

    def forward(self, x):
        batch_size, seq_len, _ = x.shape
        if seq_len > self.max_len:
            raise ValueError("sequence length exceeds model capacity")

        k_t = self.key(x).reshape(batch_size, seq_len, self.num_heads, -1).permute(0, 2, 3, 1)
        # k_t.shape = (batch_size, num_heads, d_head, seq_len)
        v = self.value(x).reshape(batch_size, seq_len, self.num_heads, -1).transpose(1, 2)
        q = self.query(x).reshape(batch_size, seq_len, self.num_heads, -1).transpose(1, 2)

        start = self.max_len - seq_len
        Er_t = self.Er[start:, :].transpose(0, 1)
        QEr = torch.matmul(q, Er_t)
        Srel = self.skew(QEr)

        QK_t = torch.matmul(q, k_t)
        attn = (QK_t + Srel) / math.sqrt(q.size(-1))
        mask = self.mask[:, :, :seq_len, :seq_len]
        attn = attn.masked_fill(mask == 0, float("-inf"))
        attn = F.softmax(attn, dim=-1)  # ATTN
        out = torch.matmul(attn, v)
        out = out.transpose(1, 2)
        out = out.reshape(batch_size, seq_len, -1)
        return self.dropout(out)

    def skew(self, QEr):
        padded = F.pad(QEr, (1, 0))
        batch_size, num_heads, num_rows, num_cols = padded.shape
        reshaped = padded.reshape(batch_size, num_heads, num_cols, num_rows)
        return reshaped[:, :, 1:, :]


class EventModel(nn.Module):
    def __init__(self, n_events=30, d=20):
        super().__init__()
        self.emb = nn.Embedding(n_events, d)
        self.rga = RelativeGlobalAttention(d, 4)
        self.ln = nn.LayerNorm(d)
        self.out = nn.Linear(d, n_events)

    def forward(self, ev):
        x = self.emb(ev) * math.sqrt(self.emb.embedding_dim)
        return self.out(self.ln(x + self.rga(x)))


# --- driver ---
torch.manual_seed(16)
RESULTS = []
model = EventModel()
model.double().eval()
for n in (12, 20):
    ev = torch.randint(0, 30, (2, n))
    model.zero_grad()
    lg = model(ev)
    nll = F.cross_entropy(lg.transpose(1, 2), ev.roll(-1, 1))
    nll.backward()
    RESULTS.append(lg.detach())
    for name, p in model.named_parameters():
        RESULTS.append(p.grad.clone())
