class Callback:
    def on_batch_begin(self, t):
        pass

    def on_loss(self, t):
        pass

    def on_batch_end(self, t):
        pass


class BankUpdate(Callback):
    def __init__(self, bank):
        self.bank = bank

    def on_loss(self, t):
        # bank was read through index_select, so this is fine before the backward as well
        self.bank.update(t.features.detach(), t.index)


class LRWarmup(Callback):
    def __init__(self, steps):
        self.steps, self.i = steps, 0

    def on_batch_begin(self, t):
        self.i += 1
        for g in t.opt.param_groups:
            g["lr"] = t.base_lr * min(1.0, self.i / self.steps)
