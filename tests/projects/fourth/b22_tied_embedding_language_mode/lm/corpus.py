import torch


class Corpus:
    """Noisy cycles through the vocabulary."""

    def __init__(self, vocab, context):
        self.vocab, self.context = vocab, context

    def sample(self, n, batch):
        for _ in range(n):
            start = torch.randint(0, self.vocab, (batch, 1))
            ids = start + torch.arange(self.context + 2)
            ids %= self.vocab
            noise = torch.rand(ids.shape) < 0.05
            ids[noise] = torch.randint(0, self.vocab, (int(noise.sum()),))
            yield ids
