import torch
import torch.nn.functional as F

from .functional import forward


class MAML:
    def __init__(self, params, inner, lr=1e-3):
        self.params, self.inner = params, inner
        self.opt = torch.optim.Adam(list(params.values()), lr=lr)

    def meta_step(self, tasks):
        losses = []
        for support, query in tasks:
            fast = self.inner.adapt(self.params, support)
            xq, yq = query
            losses.append(F.mse_loss(forward(fast, xq), yq))
        loss = torch.stack(losses).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
