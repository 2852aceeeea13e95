import torch


class Blobs:
    def __init__(self, n, dim, classes, batch):
        g = torch.Generator().manual_seed(0)
        self.y = torch.randint(0, classes, (n,), generator=g)
        centers = torch.randn(classes, dim, generator=g)
        self.x = centers[self.y] + 0.3 * torch.randn(n, dim, generator=g)
        self.x -= self.x.mean(0)
        self.x /= self.x.std(0)
        self.batch = batch

    def __iter__(self):
        perm = torch.randperm(len(self.x))
        for i in range(0, len(perm), self.batch):
            j = perm[i:i + self.batch]
            yield self.x[j], self.y[j]
