import torch


class CharStream:
    """Contiguous batches, so that the state can be carried from one window to the next."""

    def __init__(self, text, batch, window):
        chars = sorted(set(text))
        idx = torch.tensor([chars.index(c) for c in text])
        n = len(idx) // batch
        self.data = idx[: n * batch].view(batch, n)
        self.vocab, self.batch, self.window = len(chars), batch, window

    def __iter__(self):
        for i in range(0, self.data.size(1) - self.window - 1, self.window):
            yield self.data[:, i:i + self.window], self.data[:, i + 1:i + self.window + 1]
