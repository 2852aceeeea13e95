import torch
import torch.nn.functional as F


class Architect(object):
    """First-order architecture optimiser."""

    def __init__(self, model, args):
        self.model = model
        self.optimizer = torch.optim.Adam(self.model.arch_parameters(), lr=args.arch_learning_rate,
                                          betas=(0.5, 0.999), weight_decay=1e-3)

    def step(self, input_valid, target_valid):
        self.optimizer.zero_grad()
        self._backward_step(input_valid, target_valid)
        self.optimizer.step()  # BUG

    def _backward_step(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        # only the alphas are trained here
        for p in self.model.weight_parameters():
            if p.grad is not None:
                p.grad.zero_()
