import torch
import torch.nn.functional as F

from .binop import BinOp


class Trainer:
    def __init__(self, model, lr=0.01):
        self.model = model
        self.bin_op = BinOp(model)
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def forward(self, x, y):
        self.bin_op.binarize()
        out = self.model(x)
        loss = F.cross_entropy(out, y)
        self.bin_op.restore()
        return loss

    def train_step(self, x, y):
        self.opt.zero_grad()
        loss = self.forward(x, y)
        loss.backward()
        self.grads = [p.grad.clone() for p in self.model.parameters()]
        self.opt.step()
        self.bin_op.clip()
        return loss.item()
