from contextlib import contextmanager

import torch


class Averager:
    def __init__(self, model):
        self.model = model
        self.avg = {n: p.detach().clone() for n, p in model.named_parameters()}
        self.n = 1

    @torch.no_grad()
    def update(self):
        self.n += 1
        for n, p in self.model.named_parameters():
            self.avg[n] += (p - self.avg[n]) / self.n

    @contextmanager
    def applied(self):
        saved = {n: p.detach().clone() for n, p in self.model.named_parameters()}
        with torch.no_grad():
            for n, p in self.model.named_parameters():
                p.copy_(self.avg[n])
        try:
            yield self.model
        finally:
            with torch.no_grad():
                for n, p in self.model.named_parameters():
                    p.copy_(saved[n])
