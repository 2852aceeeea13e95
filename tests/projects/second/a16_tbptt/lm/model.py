from torch import nn


class LM(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, tok, h=None):
        y, h = self.rnn(self.emb(tok), h)
        return self.out(y), h
