import torch


class BaseModel:
    def __init__(self):
        self.optimizers, self.loss_names = [], []

    def set_requires_grad(self, nets, flag):
        for net in nets:
            for p in net.parameters():
                p.requires_grad = flag

    def get_current_losses(self):
        return {n: float(getattr(self, "loss_" + n)) for n in self.loss_names}
