import torch


class MasterWeights:
    """Half model, float32 master copies."""

    def __init__(self, model):
        self.model_params = [p for p in model.parameters()]
        self.master = [p.detach().clone().float().requires_grad_() for p in self.model_params]

    def grads_to_master(self):
        for p, m in zip(self.model_params, self.master):
            if p.grad is None:
                m.grad = None
                continue
            if m.grad is None:
                m.grad = torch.empty_like(m)
            m.grad.copy_(p.grad)

    def to_model(self):
        for p, m in zip(self.model_params, self.master):
            p.data.copy_(m.data)

    def zero(self):
        for p in self.model_params:
            p.grad = None
