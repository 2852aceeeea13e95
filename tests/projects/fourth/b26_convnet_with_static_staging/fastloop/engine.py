import torch
import torch.nn.functional as F

from .loader import Prefetcher


class Tally:
    def __init__(self):
        self.loss = torch.zeros(())
        self.correct = torch.zeros(())
        self.seen = 0

    def add(self, loss, out, y):
        self.loss += loss.detach() * len(y)
        self.correct += (out.argmax(1) == y).sum()
        self.seen += len(y)

    def result(self):
        return {"loss": (self.loss / self.seen).item(), "acc": (self.correct / self.seen).item()}


def train_one_epoch(model, loader, opt):
    model.train()
    fetch = Prefetcher(loader)
    tally = Tally()
    while fetch.batch is not None:
        x, y = fetch.batch
        out = model(x)
        loss = F.cross_entropy(out, y)
        tally.add(loss, out, y)
        # overlap host work for the next batch with the backward pass
        fetch.advance()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    return tally.result()
