import torch
import torch.nn.functional as F


class Engine:
    def __init__(self, model, vocab, lr):
        self.model, self.vocab = model, vocab
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.hidden = None

    def _loss(self, x, y):
        logits, self.hidden = self.model(x, self.hidden)
        return F.cross_entropy(logits.reshape(-1, self.vocab), y.reshape(-1))

    def step(self, x, y):
        loss = self._loss(x, y)
        self.opt.zero_grad()
        loss.backward(retain_graph=True)
        self.opt.step()  # BUG
        return loss.item()
