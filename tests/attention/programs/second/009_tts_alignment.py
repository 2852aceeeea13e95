import torch
from torch import nn
from torch.nn import functional as F


class LinearNorm(nn.Module):
    def __init__(self, in_dim, out_dim, bias=True, w_init_gain='linear'):
        super().__init__()
        self.linear_layer = nn.Linear(in_dim, out_dim, bias=bias)
        nn.init.xavier_uniform_(self.linear_layer.weight, gain=nn.init.calculate_gain(w_init_gain))

    def forward(self, x):
        return self.linear_layer(x)


class LocationLayer(nn.Module):
    def __init__(self, n_filters, kernel, attention_dim):
        super().__init__()
        self.location_conv = nn.Conv1d(2, n_filters, kernel, padding=(kernel - 1) // 2, bias=False)
        self.location_dense = LinearNorm(n_filters, attention_dim, bias=False, w_init_gain='tanh')

    def forward(self, cat):
        return self.location_dense(self.location_conv(cat).transpose(1, 2))


class Attention(nn.Module):
    def __init__(self, rnn_dim, embedding_dim, attention_dim, n_filters=4, kernel=5):
        super().__init__()
        self.query_layer = LinearNorm(rnn_dim, attention_dim, bias=False, w_init_gain='tanh')
        self.memory_layer = LinearNorm(embedding_dim, attention_dim, bias=False, w_init_gain='tanh')
        self.v = LinearNorm(attention_dim, 1, bias=False)
        self.location_layer = LocationLayer(n_filters, kernel, attention_dim)
        self.score_mask_value = -float("inf")

    def get_alignment_energies(self, query, processed_memory, cat):
        pq = self.query_layer(query.unsqueeze(1))
        pa = self.location_layer(cat)
        return self.v(torch.tanh(pq + pa + processed_memory)).squeeze(-1)

    def forward(self, hidden, memory, processed_memory, cat, mask):
        alignment = self.get_alignment_energies(hidden, processed_memory, cat)
        if mask is not None:
            alignment = alignment.masked_fill(mask, self.score_mask_value)
        attention_weights = F.softmax(alignment, dim=1)  # NOT
        context = torch.bmm(attention_weights.unsqueeze(1), memory)
        return context.squeeze(1), attention_weights


class MelDecoder(nn.Module):
    def __init__(self, emb=10, rnn=12, att=8, mels=6):
        super().__init__()
        self.rnn, self.emb, self.mels = rnn, emb, mels
        self.cell = nn.LSTMCell(mels + emb, rnn)
        self.attention = Attention(rnn, emb, att)
        self.proj = nn.Linear(rnn + emb, mels)

    def forward(self, memory, frames, mask=None):
        B, T, _ = memory.shape
        h = memory.new_zeros(B, self.rnn)
        c = memory.new_zeros(B, self.rnn)
        ctx = memory.new_zeros(B, self.emb)
        w = cum = memory.new_zeros(B, T)
        mel = memory.new_zeros(B, self.mels)
        pm = self.attention.memory_layer(memory)
        outs, aligns = [], []
        for _ in range(frames):
            h, c = self.cell(torch.cat((mel, ctx), -1), (h, c))
            ctx, w = self.attention(h, memory, pm, torch.stack((w, cum), 1), mask)
            cum = cum + w
            mel = self.proj(torch.cat((h, ctx), -1))
            outs.append(mel)
            aligns.append(w)
        return torch.stack(outs, 1), torch.stack(aligns, 1)


# --- driver ---
torch.manual_seed(9)
dec = MelDecoder().double().eval()
RESULTS = []
for T, masked in ((7, False), (9, True)):
    mem = torch.randn(2, T, 10, dtype=torch.float64, requires_grad=True)
    mask = (torch.arange(T) >= torch.tensor([[T], [T - 3]])) if masked else None
    dec.zero_grad()
    mel, al = dec(mem, 5, mask)
    mel.cos().sum().backward()
    RESULTS.extend([mel.detach(), al.detach(), mem.grad])
    RESULTS.extend(p.grad.clone() for p in dec.parameters())
