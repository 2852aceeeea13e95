import torch
import torch.nn.functional as F


class Engine:
    def __init__(self, model, cfg, callbacks):
        self.model, self.callbacks = model, callbacks
        self.accumulate = cfg["accumulate"]
        self.opt = torch.optim.SGD(model.parameters(), **cfg["optim"])
        self.pending = []
        self.batch_idx = self.step_idx = 0
        self.last_loss = 0.0

    def fire(self, event):
        for cb in self.callbacks:
            getattr(cb, event)(self)

    def flush(self):
        """One optimizer step for all batches since the previous one, weighted by difficulty."""
        losses = torch.stack(self.pending)
        weight = losses.detach().softmax(0)
        total = (losses * weight).sum()
        self.opt.zero_grad()
        total.backward()
        self.fire("on_backward_end")
        self.opt.step()
        self.pending.clear()
        self.last_loss = total.item()
        self.step_idx += 1
        self.fire("on_step_end")

    def run(self, loader):
        for self.batch_idx, (x, y) in enumerate(loader):
            self.pending.append(F.cross_entropy(self.model(x), y))
            if len(self.pending) == self.accumulate:
                self.flush()
            self.fire("on_batch_end")
