import functools

import torch


def named_losses(fn):
    """Turn a method yielding (name, loss) pairs into something the learner can walk."""

    @functools.wraps(fn)
    def wrapper(self, batch):
        return dict(fn(self, batch)).items()

    return wrapper


class Agent:
    def __init__(self):
        self.optimizers = {}
        self.stats = {}

    def losses(self, batch):
        raise NotImplementedError

    def after_update(self):
        pass

    def learn(self, batch):
        for name, loss in self.losses(batch):
            opt = self.optimizers[name]
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()  # BUG
            self.stats[name] = loss.item()
        self.after_update()
        return dict(self.stats)

    @staticmethod
    @torch.no_grad()
    def polyak(src, dst, tau):
        for s, d in zip(src.parameters(), dst.parameters()):
            d.mul_(1 - tau).add_(s, alpha=tau)
