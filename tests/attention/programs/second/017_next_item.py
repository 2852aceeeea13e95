import torch


class TimeAwareFree_MHA(torch.nn.Module):
    """sequential recommendation; port of the TF code, heads stacked along the batch"""

    def __init__(self, hidden_size, head_num, dropout_rate):
        super(TimeAwareFree_MHA, self).__init__()
        self.Q_w = torch.nn.Linear(hidden_size, hidden_size)
        self.K_w = torch.nn.Linear(hidden_size, hidden_size)
        self.V_w = torch.nn.Linear(hidden_size, hidden_size)

        self.dropout = torch.nn.Dropout(p=dropout_rate)
        self.softmax = torch.nn.Softmax(dim=-1)

        self.hidden_size = hidden_size
        self.head_num = head_num
        self.head_size = hidden_size // head_num

    def forward(self, queries, keys, time_mask, attn_mask):
        Q, K, V = self.Q_w(queries), self.K_w(keys), self.V_w(keys)

        # head dim * batch dim for parallelization (h*N, T, C/h)
        Q_ = torch.cat(torch.split(Q, self.head_size, dim=2), dim=0)
        K_ = torch.cat(torch.split(K, self.head_size, dim=2), dim=0)
        V_ = torch.cat(torch.split(V, self.head_size, dim=2), dim=0)

        attn_weights = Q_.matmul(torch.transpose(K_, 1, 2))
        attn_weights = attn_weights / (K_.shape[-1] ** 0.5)

        # padding rows get uniform weights, they are cut away later
        time_mask = time_mask.unsqueeze(-1).repeat(self.head_num, 1, 1)
        time_mask = time_mask.expand(-1, -1, attn_weights.shape[-1])
        attn_mask = attn_mask.unsqueeze(0)
        attn_mask = attn_mask.expand(attn_weights.shape[0], -1, -1)
        paddings = torch.ones(attn_weights.shape, dtype=attn_weights.dtype) * (-2 ** 32 + 1)
        attn_weights = torch.where(time_mask, paddings, attn_weights)
        attn_weights = torch.where(attn_mask, paddings, attn_weights)

        attn_weights = self.softmax(attn_weights)  # ATTN
        attn_weights = self.dropout(attn_weights)
        outputs = attn_weights.matmul(V_)

        outputs = torch.cat(torch.split(outputs, Q.shape[0], dim=0), dim=2)
        return outputs


class SASRec(torch.nn.Module):
    def __init__(self, item_num, hidden=16, maxlen=30, heads=2):
        super().__init__()
        self.item_emb = torch.nn.Embedding(item_num + 1, hidden, padding_idx=0)
        self.pos_emb = torch.nn.Embedding(maxlen, hidden)
        self.attn_ln = torch.nn.LayerNorm(hidden, eps=1e-8)
        self.attn = TimeAwareFree_MHA(hidden, heads, 0.2)
        self.last_ln = torch.nn.LayerNorm(hidden, eps=1e-8)

    def log2feats(self, seqs):
        x = self.item_emb(seqs) * self.item_emb.embedding_dim ** 0.5
        x = x + self.pos_emb(torch.arange(seqs.shape[1]))
        pad = seqs == 0
        x = x * ~pad.unsqueeze(-1)
        tl = seqs.shape[1]
        causal = ~torch.tril(torch.ones((tl, tl), dtype=torch.bool))
        x = x + self.attn(self.attn_ln(x), x, pad, causal)
        return self.last_ln(x * ~pad.unsqueeze(-1))

    def forward(self, seqs, pos, neg):
        feats = self.log2feats(seqs)
        return (feats * self.item_emb(pos)).sum(-1), (feats * self.item_emb(neg)).sum(-1)


# --- driver ---
torch.manual_seed(17)
rec = SASRec(40).double().eval()
RESULTS = []
for T, npad in ((8, 0), (12, 3)):
    seqs = torch.randint(1, 41, (3, T))
    seqs[1, :npad] = 0
    pos, neg = torch.randint(1, 41, (3, T)), torch.randint(1, 41, (3, T))
    rec.zero_grad()
    a, b = rec(seqs, pos, neg)
    (-(a - b).sigmoid().log()).mean().backward()
    RESULTS += [a.detach(), b.detach()]
    RESULTS += [p.grad.clone() for p in rec.parameters()]
