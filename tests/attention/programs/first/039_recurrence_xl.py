"""Segment-level recurrence with relative positions."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionalEmbedding(nn.Module):
    def __init__(self, demb):
        super().__init__()
        inv_freq = 1 / (10000 ** (torch.arange(0.0, demb, 2.0) / demb))
        self.register_buffer('inv_freq', inv_freq)

    def forward(self, pos_seq):
        sinusoid_inp = torch.outer(pos_seq, self.inv_freq)
        return torch.cat([sinusoid_inp.sin(), sinusoid_inp.cos()], dim=-1)[:, None, :]


class RelPartialLearnableMultiHeadAttn(nn.Module):
    def __init__(self, n_head, d_model, d_head, dropout, dropatt=0.0):
        super().__init__()
        self.n_head, self.d_model, self.d_head = n_head, d_model, d_head
        self.qkv_net = nn.Linear(d_model, 3 * n_head * d_head, bias=False)
        self.r_net = nn.Linear(d_model, n_head * d_head, bias=False)
        self.o_net = nn.Linear(n_head * d_head, d_model, bias=False)
        self.drop = nn.Dropout(dropout)
        self.dropatt = nn.Dropout(dropatt)
        self.layer_norm = nn.LayerNorm(d_model)
        self.scale = 1 / (d_head ** 0.5)

    def _rel_shift(self, x):
        zero_pad = torch.zeros((x.size(0), 1, *x.size()[2:]), device=x.device, dtype=x.dtype)
        x_padded = torch.cat([zero_pad, x], dim=1)
        x_padded = x_padded.view(x.size(1) + 1, x.size(0), *x.size()[2:])
        return x_padded[1:].view_as(x)

    def forward(self, w, r, r_w_bias, r_r_bias, attn_mask=None, mems=None):
        qlen, rlen, bsz = w.size(0), r.size(0), w.size(1)
        cat = w if mems is None else torch.cat([mems, w], 0)
        w_head_q, w_head_k, w_head_v = torch.chunk(self.qkv_net(cat), 3, dim=-1)
        w_head_q = w_head_q[-qlen:]
        r_head_k = self.r_net(r)
        klen = w_head_k.size(0)

        w_head_q = w_head_q.contiguous().view(qlen, bsz, self.n_head, self.d_head)
        w_head_k = w_head_k.contiguous().view(klen, bsz, self.n_head, self.d_head)
        w_head_v = w_head_v.contiguous().view(klen, bsz, self.n_head, self.d_head)
        r_head_k = r_head_k.view(rlen, self.n_head, self.d_head)

        rw_head_q = w_head_q + r_w_bias
        AC = torch.einsum('ibnd,jbnd->ijbn', (rw_head_q, w_head_k))
        rr_head_q = w_head_q + r_r_bias
        BD = torch.einsum('ibnd,jnd->ijbn', (rr_head_q, r_head_k))
        BD = self._rel_shift(BD)

        # [qlen x klen x bsz x n_head]
        attn_score = AC + BD
        attn_score.mul_(self.scale)
        if attn_mask is not None:
            attn_score = attn_score.masked_fill(attn_mask[:, :, None, None], -float('inf'))

        attn_prob = F.softmax(attn_score, dim=1)  # ATTN
        attn_prob = self.dropatt(attn_prob)

        attn_vec = torch.einsum('ijbn,jbnd->ibnd', (attn_prob, w_head_v))
        attn_vec = attn_vec.contiguous().view(qlen, bsz, self.n_head * self.d_head)
        return self.layer_norm(w + self.drop(self.o_net(attn_vec)))


class MemLM(nn.Module):
    def __init__(self, n_layer=2, n_head=3, d_model=18, d_head=6):
        super().__init__()
        self.pos_emb = PositionalEmbedding(d_model)
        self.layers = nn.ModuleList(RelPartialLearnableMultiHeadAttn(n_head, d_model, d_head, 0.1, 0.1) for _ in range(n_layer))
        self.r_w_bias = nn.Parameter(torch.randn(n_head, d_head) * 0.2)
        self.r_r_bias = nn.Parameter(torch.randn(n_head, d_head) * 0.2)

    def forward(self, h, mems=None):
        qlen = h.size(0)
        mlen = 0 if mems is None else mems[0].size(0)
        klen = qlen + mlen
        mask = torch.triu(torch.ones(qlen, klen, dtype=torch.bool), diagonal=1 + mlen)
        r = self.pos_emb(torch.arange(klen - 1, -1, -1.0, dtype=h.dtype))
        hids = []
        for i, layer in enumerate(self.layers):
            hids.append(h.detach())
            h = layer(h, r, self.r_w_bias, self.r_r_bias, mask, None if mems is None else mems[i])
        return h, hids


# --- driver ---
torch.manual_seed(39)
lm = MemLM().double().eval()
RESULTS = []
mems = None
for qlen in (8, 5):
    lm.zero_grad()
    x = torch.randn(qlen, 2, 18, dtype=torch.float64, requires_grad=True)
    y, mems = lm(x, mems)
    y.sinh().mean().backward()
    RESULTS += [y.detach(), x.grad] + [p.grad.clone() for p in lm.parameters()]
