import torch
import torch.nn.functional as F

from .data import windows


class Engine:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.optim = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9)

    def loss(self, x, y):
        logits = self.model(x)
        return F.cross_entropy(logits.flatten(0, 1), y.flatten())

    def apply_gradients(self):
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip)
        self.optim.step()  # BUG
        self.optim.zero_grad()

    def epoch(self, src):
        self.model.train()
        self.model.reset()
        total = 0.0
        for x, y in windows(src, self.cfg.bptt):
            loss = self.loss(x, y)
            loss.backward(retain_graph=self.cfg.retain_graph)
            self.apply_gradients()
            total += loss.item()
        return total
