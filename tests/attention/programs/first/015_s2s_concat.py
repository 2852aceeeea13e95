"""GRU encoder-decoder translation model."""
import torch
from torch import nn


class AlignmentModel(nn.Module):
    def __init__(self, enc_dim, dec_dim, hidden):
        super().__init__()
        self.query_layer = nn.Linear(dec_dim, hidden, bias=False)
        self.key_layer = nn.Linear(enc_dim, hidden, bias=False)
        self.energy_layer = nn.Linear(hidden, 1, bias=False)

    def forward(self, query, keys, values, mask=None):
        # query: B x T x D, keys: B x S x D'
        q = self.query_layer(query).unsqueeze(2)
        k = self.key_layer(keys).unsqueeze(1)
        scores = self.energy_layer(torch.tanh(q + k)).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(1), -float("inf"))
        alphas = torch.softmax(scores, dim=-1)  # NOT
        return torch.bmm(alphas, values), alphas


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, hid, batch_first=True, bidirectional=True)

    def forward(self, src):
        out, h = self.rnn(self.emb(src))
        return out, torch.cat([h[0], h[1]], dim=-1)


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.bridge = nn.Linear(2 * hid, hid)
        self.rnn = nn.GRU(emb, hid, batch_first=True)
        self.attention = AlignmentModel(2 * hid, hid, hid)
        self.out = nn.Linear(3 * hid, vocab)

    def forward(self, tgt, memory, final, mask=None):
        h0 = torch.tanh(self.bridge(final)).unsqueeze(0)
        states, _ = self.rnn(self.emb(tgt), h0)
        ctx, _ = self.attention(states, memory, memory, mask)
        return self.out(torch.cat([states, ctx], dim=-1))


class Seq2Seq(nn.Module):
    def __init__(self, vocab=23, emb=10, hid=12):
        super().__init__()
        self.encoder = Encoder(vocab, emb, hid)
        self.decoder = Decoder(vocab, emb, hid)

    def forward(self, src, tgt, mask=None):
        memory, final = self.encoder(src)
        return self.decoder(tgt, memory, final, mask)


# --- driver ---
torch.manual_seed(15)
model = Seq2Seq().double().eval()
RESULTS = []
for S, T, masked in ((8, 6, True), (5, 9, False)):
    model.zero_grad()
    src = torch.randint(0, 23, (3, S))
    tgt = torch.randint(0, 23, (3, T))
    mask = torch.arange(S)[None] < torch.tensor([[S], [S - 3], [2]]) if masked else None
    logits = model(src, tgt, mask)
    logits.logsumexp(-1).sum().backward()
    RESULTS.append(logits.detach())
    RESULTS.extend(p.grad.clone() for p in model.parameters())
