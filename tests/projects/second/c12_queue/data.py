import torch


class Indexed:
    def __init__(self, n, d):
        self.x = torch.randn(n, d)

    def batches(self, k):
        for i in range(0, len(self.x), k):
            idx = torch.arange(i, min(i + k, len(self.x)))
            yield self.x[idx], idx
