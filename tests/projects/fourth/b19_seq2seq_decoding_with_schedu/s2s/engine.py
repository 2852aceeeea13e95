import torch
import torch.nn.functional as F


class Average:
    def __init__(self):
        self.sum = torch.zeros(())
        self.n = 0

    def update(self, v):
        self.sum += v.detach()
        self.n += 1

    @property
    def value(self):
        return (self.sum / max(1, self.n)).item()


def train_one_epoch(model, decoder, loader, opt):
    model.train()
    avg = Average()
    for src, tgt in loader:
        logits, _ = decoder.run(model, src, tgt)
        loss = F.cross_entropy(logits.transpose(1, 2), tgt, label_smoothing=0.05)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        avg.update(loss)
    return avg.value


@torch.no_grad()
def evaluate(model, decoder, loader):
    model.eval()
    avg = Average()
    for src, tgt in loader:
        _, tokens = decoder.run(model, src, tgt)
        hit = (tokens == tgt).float()
        hit.mul_(100.0)
        avg.update(hit.mean())
    return avg.value
