import torch


class Shapes:
    """Small images with a bar or a square."""

    classes = 3

    def __init__(self, n, size):
        self.x = torch.zeros(n, 1, size, size)
        self.y = torch.randint(0, self.classes, (n,))
        for i, y in enumerate(self.y.tolist()):
            c = int(torch.randint(1, size - 2, (1,)))
            if y == 0:
                self.x[i, 0, c] = 1.0
            elif y == 1:
                self.x[i, 0, :, c] = 1.0
            else:
                self.x[i, 0, c:c + 2, c:c + 2] = 1.0
        self.x += 0.1 * torch.randn_like(self.x)

    def __len__(self):
        return len(self.y)

    def get(self, idx):
        return self.x[idx], self.y[idx]
