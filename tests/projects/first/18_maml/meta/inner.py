import torch
import torch.nn.functional as F

from .functional import forward


class InnerLoop:
    def __init__(self, lr=0.05, steps=2, first_order=False):
        self.lr, self.steps, self.first_order = lr, steps, first_order

    def fast_weights(self, params):
        return {k: v.clone() for k, v in params.items()}

    def adapt(self, params, support):
        x, y = support
        fast = self.fast_weights(params)
        for _ in range(self.steps):
            loss = F.mse_loss(forward(fast, x), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            for (k, w), g in zip(fast.items(), grads):
                w.sub_(self.lr * g)  # BUG
        return fast
