import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, callbacks=()):
        self.model = model
        self.callbacks = list(callbacks)
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)
        self.step = 0

    def call(self, event):
        for cb in self.callbacks:
            getattr(cb, event)(self)

    def fit(self, data):
        for x, y in data:
            loss = F.mse_loss(self.model(x), y)
            self.call("on_forward_end")
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.call("on_step_end")
            self.step += 1
