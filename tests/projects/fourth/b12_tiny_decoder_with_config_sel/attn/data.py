import torch


class CopyTask:
    """First half random, second half repeats it."""

    def __init__(self, vocab, length, batch):
        self.vocab, self.length, self.batch = vocab, length, batch

    def __iter__(self):
        half = self.length // 2
        while True:
            ids = torch.empty(self.batch, self.length, dtype=torch.long)
            ids[:, :half].random_(0, self.vocab)
            ids[:, half:] = ids[:, :half]
            yield ids
