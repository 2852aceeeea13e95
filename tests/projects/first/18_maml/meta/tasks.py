import math

import torch


class Sinusoid:
    def __init__(self):
        self.amp = 0.1 + 4.9 * torch.rand(1)
        self.phase = math.pi * torch.rand(1)

    def draw(self, k):
        x = torch.rand(k, 1) * 10 - 5
        return x, self.amp * torch.sin(x - self.phase)


def task_batch(n, k):
    out = []
    for _ in range(n):
        s = Sinusoid()
        out.append((s.draw(k), s.draw(k)))
    return out
