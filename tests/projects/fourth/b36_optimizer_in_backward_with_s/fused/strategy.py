import torch

STRATEGIES = {}


class Strategy:
    def __init__(self, opt):
        self.opt = opt
        self.running = {}

    def __init_subclass__(cls, key, **kw):
        super().__init_subclass__(**kw)
        STRATEGIES[key] = cls

    def backward(self, terms):
        raise NotImplementedError

    def apply(self, terms):
        self.opt.zero_grad()
        self.backward(terms)
        self.opt.step()
        for k, v in terms.items():
            r = self.running.setdefault(k, torch.zeros(()))
            r.lerp_(v.detach(), 0.2)
        return {k: v.item() for k, v in self.running.items()}


class Summed(Strategy, key="summed"):
    def backward(self, terms):
        sum(terms.values()).backward()


class Separate(Strategy, key="separate"):
    """One backward per term keeps peak memory of the term graphs low."""

    def backward(self, terms):
        left = len(terms)
        for loss in terms.values():
            left -= 1
            loss.backward(retain_graph=left > 0)
