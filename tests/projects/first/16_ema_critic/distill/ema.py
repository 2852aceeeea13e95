import copy

import torch


class ModelEMA:
    def __init__(self, model, decay=0.99, warmup=10):
        self.module = copy.deepcopy(model).eval()
        self.decay, self.warmup, self.n = decay, warmup, 0
        for p in self.module.parameters():
            p.requires_grad_(False)

    def rate(self):
        return min(self.decay, (1 + self.n) / (self.warmup + self.n))

    @torch.no_grad()
    def update(self, model):
        self.n += 1
        d = self.rate()
        msd = model.state_dict()
        for k, v in self.module.state_dict().items():
            if v.dtype.is_floating_point:
                v.lerp_(msd[k], 1 - d)  # BUG

    def __call__(self, *a, **k):
        return self.module(*a, **k)
