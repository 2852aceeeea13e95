"""Weights are binarised for the forward pass (BinaryConnect)."""
import torch


class BinOp:
    def __init__(self, model):
        self.target_modules = []
        self.saved_params = []
        for m in model.modules():
            if getattr(m, "quantised", False):
                self.target_modules.append(m.weight)
                self.saved_params.append(m.weight.data.clone())

    def save_params(self):
        for i, w in enumerate(self.target_modules):
            self.saved_params[i].copy_(w.data)

    def binarize(self):
        self.save_params()
        for w in self.target_modules:
            alpha = w.data.abs().mean()
            w.data.copy_(torch.sign(w.data) * alpha)

    def restore(self):
        for i, w in enumerate(self.target_modules):
            w.data.copy_(self.saved_params[i])  # BUG

    def clip(self):
        for w in self.target_modules:
            w.data.clamp_(-1.0, 1.0)
