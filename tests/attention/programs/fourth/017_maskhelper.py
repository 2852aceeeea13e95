import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0


def make_pad_mask(q_ids, k_ids):
    return (k_ids != PAD).unsqueeze(1).unsqueeze(2).expand(-1, 1, q_ids.size(1), -1)


def make_no_peek_mask(n):
    return torch.tril(torch.ones(n, n)).type(torch.BoolTensor)


def make_trg_mask(ids):
    return make_pad_mask(ids, ids) & make_no_peek_mask(ids.size(1))


class ScaleDotProductAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, q, k, v, mask=None, e=1e12):
        batch_size, head, length, d_tensor = k.size()
        k_t = k.transpose(2, 3)
        score = (q @ k_t) / (d_tensor ** 0.5)
        if mask is not None:
            score = score.masked_fill(mask == 0, -e)
        score = self.softmax(score)  # ATTN
        v = score @ v
        return v, score


class Decoder(nn.Module):
    def __init__(self, vocab=30, d_model=32, n_head=4):
        super().__init__()
        self.n_head = n_head
        self.tok = nn.Embedding(vocab, d_model, padding_idx=PAD)
        self.attention = ScaleDotProductAttention()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_concat = nn.Linear(d_model, d_model)

    def split(self, t):
        b, n, d = t.size()
        return t.view(b, n, self.n_head, d // self.n_head).transpose(1, 2)

    def forward(self, ids):
        mask = make_trg_mask(ids)
        x = self.tok(ids)
        q, k, v = self.split(self.w_q(x)), self.split(self.w_k(x)), self.split(self.w_v(x))
        out, attention = self.attention(q, k, v, mask=mask)
        b, h, n, d = out.size()
        out = out.transpose(1, 2).contiguous().view(b, n, h * d)
        return F.relu(self.w_concat(out)) + x


def make():
    torch.manual_seed(90)
    model = Decoder().train()
    ids = torch.randint(1, 30, (3, 7))
    ids[1, 4:] = PAD
    ids[2, 6:] = PAD
    return model, (ids,)
