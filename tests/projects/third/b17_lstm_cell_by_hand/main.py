import torch
import torch.nn as nn
from rnn_cells import CELLS


class SeqModel(nn.Module):
    def __init__(self, cell='lstm', vocab=10, emb=8, hidden=16):
        super().__init__()
        self.kind, self.hidden = cell, hidden
        self.embed = nn.Embedding(vocab, emb)
        self.cell = CELLS[cell](emb, hidden)
        self.fc = nn.Linear(hidden, vocab)

    def init_state(self, bsz):
        h = torch.zeros(bsz, self.hidden)
        return (h, h.clone()) if self.kind == 'lstm' else h

    def forward(self, tokens):
        state = self.init_state(tokens.size(0))
        logits = []
        for t in range(tokens.size(1)):
            state = self.cell(self.embed(tokens[:, t]), state)
            h = state[0] if self.kind == 'lstm' else state
            logits.append(self.fc(h))
        return torch.stack(logits, 1)


def batches(n, bsz=8, length=7, vocab=10):
    for _ in range(n):
        start = torch.randint(0, vocab, (bsz, 1))
        x = start + torch.arange(length)
        x %= vocab
        yield x[:, :-1], x[:, 1:]


def run(cfg):
    torch.manual_seed(cfg.get('seed', 0))
    torch.set_num_threads(1)
    model = SeqModel(cell=cfg['cell'])
    opt = torch.optim.Adam(model.parameters(), lr=cfg['lr'])
    ce = nn.CrossEntropyLoss()
    for step, (x, y) in enumerate(batches(cfg['steps'])):
        opt.zero_grad()
        loss = ce(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        print(step, 'loss', round(loss.item(), 3))


if __name__ == '__main__':
    run({'cell': 'lstm', 'lr': 1e-2, 'steps': 5})
