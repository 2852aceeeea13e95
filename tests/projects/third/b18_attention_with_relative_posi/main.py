import torch
import torch.nn as nn
from relattn import EncoderLayer


class Tagger(nn.Module):
    def __init__(self, vocab=12, d=16, n_tags=3, n_layers=2, pad_idx=0):
        super().__init__()
        self.pad_idx = pad_idx
        self.emb = nn.Embedding(vocab, d, padding_idx=pad_idx)
        self.layers = nn.ModuleList(EncoderLayer(d, 2, 32) for _ in range(n_layers))
        self.out = nn.Linear(d, n_tags)

    def forward(self, tok):
        pad = tok.eq(self.pad_idx)
        x = self.emb(tok)
        for l in self.layers:
            x = l(x, pad)
        return self.out(x)


def batch(bsz=6, T=8):
    tok = torch.randint(1, 12, (bsz, T))
    tags = tok % 3
    for row, tag, n in zip(tok, tags, torch.randint(4, T + 1, (bsz,))):
        row[n:] = 0
        tag[n:] = -100
    return tok, tags


if __name__ == '__main__':
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Tagger()
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    crit = nn.CrossEntropyLoss(ignore_index=-100)
    for i in range(5):
        tok, tags = batch()
        loss = crit(net(tok).transpose(1, 2), tags)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(i, loss.item())
