import torch

TEXT = """the quick brown fox jumps over the lazy dog while the slow red hen
runs under the busy cat and the dog sleeps near the brown hen all day""".split()


class CBOW:
    def __init__(self, window=2):
        self.itos = sorted(set(TEXT))
        stoi = {w: i for i, w in enumerate(self.itos)}
        ids = [stoi[w] for w in TEXT]
        self.pairs = [
            (ids[i - window:i] + ids[i + 1:i + 1 + window], ids[i])
            for i in range(window, len(ids) - window)
        ]

    def __len__(self):
        return len(self.itos)

    def batches(self, bs):
        perm = torch.randperm(len(self.pairs)).tolist()
        for k in range(0, len(perm), bs):
            rows = [self.pairs[j] for j in perm[k:k + bs]]
            yield torch.tensor([r[0] for r in rows]), torch.tensor([r[1] for r in rows])
