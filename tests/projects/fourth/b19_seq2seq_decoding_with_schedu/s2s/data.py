import torch

BOS = 0


class ReverseTask:
    def __init__(self, vocab, length):
        self.vocab, self.length = vocab, length

    def batches(self, n, size):
        for _ in range(n):
            src = torch.randint(1, self.vocab, (size, self.length))
            yield src, src.flip(1)
