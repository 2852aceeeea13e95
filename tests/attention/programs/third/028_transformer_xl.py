"""Transformer-XL relative attention with memory: content term AC plus shifted position term BD."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionalEmbedding(nn.Module):
    def __init__(self, demb):
        super().__init__()
        self.register_buffer("inv_freq", 1 / (10000 ** (torch.arange(0.0, demb, 2.0) / demb)))

    def forward(self, pos_seq):
        sinusoid_inp = torch.outer(pos_seq, self.inv_freq)
        return torch.cat([sinusoid_inp.sin(), sinusoid_inp.cos()], dim=-1)[:, None, :]


class RelPartialLearnableMultiHeadAttn(nn.Module):
    def __init__(self, n_head, d_model, d_head, dropatt=0.1, pre_lnorm=False):
        super().__init__()
        self.n_head, self.d_model, self.d_head = n_head, d_model, d_head
        self.qkv_net = nn.Linear(d_model, 3 * n_head * d_head, bias=False)
        self.dropatt = nn.Dropout(dropatt)
        self.o_net = nn.Linear(n_head * d_head, d_model, bias=False)
        self.layer_norm = nn.LayerNorm(d_model)
        self.scale = 1 / (d_head ** 0.5)
        self.pre_lnorm = pre_lnorm
        self.r_net = nn.Linear(d_model, n_head * d_head, bias=False)

    def _rel_shift(self, x):
        zero_pad = torch.zeros((x.size(0), 1, *x.size()[2:]), dtype=x.dtype)
        x_padded = torch.cat([zero_pad, x], dim=1)
        x_padded = x_padded.view(x.size(1) + 1, x.size(0), *x.size()[2:])
        return x_padded[1:].view_as(x)

    def forward(self, w, r, r_w_bias, r_r_bias, attn_mask=None, mems=None):
        qlen, rlen, bsz = w.size(0), r.size(0), w.size(1)
        cat = torch.cat([mems, w], 0) if mems is not None else w
        w_heads = self.qkv_net(self.layer_norm(cat) if self.pre_lnorm else cat)
        r_head_k = self.r_net(r)
        w_head_q, w_head_k, w_head_v = torch.chunk(w_heads, 3, dim=-1)
        w_head_q = w_head_q[-qlen:]
        klen = w_head_k.size(0)

        w_head_q = w_head_q.view(qlen, bsz, self.n_head, self.d_head)
        w_head_k = w_head_k.view(klen, bsz, self.n_head, self.d_head)
        w_head_v = w_head_v.view(klen, bsz, self.n_head, self.d_head)
        r_head_k = r_head_k.view(rlen, self.n_head, self.d_head)

        rw_head_q = w_head_q + r_w_bias
        AC = torch.einsum('ibnd,jbnd->ijbn', (rw_head_q, w_head_k))  # qlen x klen x bsz x n_head
        rr_head_q = w_head_q + r_r_bias
        BD = torch.einsum('ibnd,jnd->ijbn', (rr_head_q, r_head_k))
        BD = self._rel_shift(BD)

        # [qlen x klen x bsz x n_head]
        attn_score = AC + BD
        attn_score.mul_(self.scale)
        if attn_mask is not None and attn_mask.any().item():
            attn_score = attn_score.float().masked_fill(
                attn_mask[:, :, None, None], -float('inf')).type_as(attn_score)

        attn_prob = F.softmax(attn_score, dim=1)  # ATTN
        attn_prob = self.dropatt(attn_prob)
        attn_vec = torch.einsum('ijbn,jbnd->ibnd', (attn_prob, w_head_v))
        attn_vec = attn_vec.contiguous().view(attn_vec.size(0), attn_vec.size(1), self.n_head * self.d_head)
        attn_out = self.o_net(attn_vec)
        return w + attn_out if self.pre_lnorm else self.layer_norm(w + attn_out)


class MemTransformer(nn.Module):
    def __init__(self, vocab=14, n_layer=2, n_head=2, d_model=12, d_head=6, mem_len=4):
        super().__init__()
        self.mem_len = mem_len
        self.word_emb = nn.Embedding(vocab, d_model)
        self.pos_emb = PositionalEmbedding(d_model)
        self.r_w_bias = nn.Parameter(torch.randn(n_head, d_head) * 0.1)
        self.r_r_bias = nn.Parameter(torch.randn(n_head, d_head) * 0.1)
        self.layers = nn.ModuleList(
            RelPartialLearnableMultiHeadAttn(n_head, d_model, d_head, pre_lnorm=i % 2 == 0) for i in range(n_layer))
        self.out = nn.Linear(d_model, vocab)

    def forward(self, ids, mems=None):
        x = self.word_emb(ids)
        qlen = ids.size(0)
        mlen = mems[0].size(0) if mems is not None else 0
        klen = mlen + qlen
        mask = torch.triu(torch.ones(qlen, klen), diagonal=1 + mlen).bool()
        r = self.pos_emb(torch.arange(klen - 1, -1, -1.0))[:, 0]
        hids = []
        for i, layer in enumerate(self.layers):
            hids.append(x[-self.mem_len:].detach())
            x = layer(x, r, self.r_w_bias, self.r_r_bias, attn_mask=mask, mems=None if mems is None else mems[i])
        return self.out(x), hids


# --- driver ---
def main():
    torch.manual_seed(0)
    model = MemTransformer().eval()
    ids = torch.randint(0, 14, (10, 2))
    total, mems, outs = 0.0, None, []
    for seg in ids.split(5):
        logits, mems = model(seg, mems)
        outs.append(logits)
        total = total + F.cross_entropy(logits[:-1].flatten(0, 1), seg[1:].flatten())
    total.backward()
    return outs + [p.grad for p in model.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
