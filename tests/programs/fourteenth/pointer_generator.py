"""Seq2seq summariser with a copy mechanism, coverage, and a beam search at test time."""
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS, UNK = range(4)


def to_extended(source, vocab):
    """Gives the out-of-vocabulary tokens of every source temporary ids from `vocab` on."""
    extended, extra = source.clone(), 0
    for row, ext in zip(source, extended):
        oov = {}
        for j, token in enumerate(row.tolist()):
            if token >= vocab:
                ext[j] = vocab + oov.setdefault(token, len(oov))
        extra = max(extra, len(oov))
    inside = source.masked_fill(source >= vocab, UNK)
    return inside, extended, extra


class CoverageAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.h, self.s = nn.Linear(2 * dim, dim, bias=False), nn.Linear(dim, dim)
        self.c, self.v = nn.Linear(1, dim, bias=False), nn.Linear(dim, 1, bias=False)

    def forward(self, memory, state, coverage, pad):
        e = self.v(torch.tanh(self.h(memory) + self.s(state).unsqueeze(1) + self.c(coverage.unsqueeze(2)))).squeeze(2)
        e.masked_fill_(pad, float("-inf"))
        return e.softmax(1)


class PointerGenerator(nn.Module):
    def __init__(self, vocab, dim=20):
        super().__init__()
        self.vocab = vocab
        self.embed = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.encoder = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * dim, dim)
        self.cell = nn.GRUCell(3 * dim, dim)
        self.attend = CoverageAttention(dim)
        self.out, self.switch = nn.Linear(3 * dim, vocab), nn.Linear(4 * dim, 1)

    def encode(self, inside):
        memory, last = self.encoder(self.embed(inside))
        return memory, torch.tanh(self.bridge(torch.cat([last[0], last[1]], 1)))

    def step(self, token, state, context, coverage, memory, pad, extended, extra):
        x = self.embed(token.masked_fill(token >= self.vocab, UNK))
        state = self.cell(torch.cat([x, context], 1), state)
        attention = self.attend(memory, state, coverage, pad)
        context = (attention.unsqueeze(2) * memory).sum(1)
        p_gen = torch.sigmoid(self.switch(torch.cat([state, context, x], 1)))
        words = F.softmax(self.out(torch.cat([state, context], 1)), dim=1)
        final = F.pad(p_gen * words, (0, extra))
        final.scatter_add_(1, extended, (1 - p_gen) * attention)
        return final, state, context, attention

    def forward(self, inside, extended, extra, target, cov_weight=0.5):
        memory, state = self.encode(inside)
        pad, context = inside.eq(PAD), memory.new_zeros(memory.size(0), memory.size(2))
        coverage = memory.new_zeros(inside.shape)
        token, losses = torch.full_like(target[:, 0], BOS), []
        for gold in target.unbind(1):
            final, state, context, att = self.step(token, state, context, coverage, memory, pad, extended, extra)
            nll = -final.gather(1, gold.unsqueeze(1)).squeeze(1).clamp_min(1e-9).log()
            overlap = torch.minimum(att, coverage).sum(1)
            term = nll + cov_weight * overlap
            term[gold == PAD] = 0.0
            losses.append(term)
            coverage = coverage + att
            token = gold
        return torch.stack(losses, 1).sum() / target.ne(PAD).sum()

    @torch.no_grad()
    def beam(self, inside, extended, extra, width=3, steps=6):
        k = width
        memory, state = (t.repeat_interleave(k, 0) for t in self.encode(inside[:1]))
        ext, pad = extended[:1].expand(k, -1), inside[:1].eq(PAD).expand(k, -1)
        score, tokens = torch.full((k,), -1e9), torch.full((k, steps + 1), BOS)
        score[0] = 0.0
        context, coverage = memory.new_zeros(k, memory.size(2)), memory.new_zeros(k, inside.size(1))
        for t in range(steps):
            final, state, context, att = self.step(tokens[:, t], state, context, coverage, memory, pad, ext, extra)
            coverage += att
            total = (final + 1e-9).log_().add_(score.unsqueeze(1))
            score, flat = total.flatten().topk(k)
            parent = flat // final.size(1)
            tokens = tokens[parent]
            tokens[:, t + 1] = flat % final.size(1)
            state, context, coverage = state[parent], context[parent], coverage[parent]
        return tokens[0, 1:]


# --- driver ---
torch.manual_seed(11)
model = PointerGenerator(vocab=16)
opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
for _ in range(3):
    source = torch.randint(4, 20, (4, 9))
    source[0, 6:] = PAD
    inside, extended, extra = to_extended(source, 16)
    loss = model(inside, extended, extra, extended[:, :4])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
print(model.beam(inside, extended, extra))
