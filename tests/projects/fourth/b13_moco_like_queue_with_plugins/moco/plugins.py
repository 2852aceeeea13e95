import torch


class Plugin:
    def attach(self, learner):
        self.learner = learner
        return self

    def before_loss(self):
        pass

    def after_loss(self):
        pass

    def after_optim(self):
        pass


class TemperatureRamp(Plugin):
    def __init__(self, start, end, steps):
        self.start, self.end, self.steps, self.i = start, end, steps, 0

    def before_loss(self):
        f = min(1.0, self.i / self.steps)
        self.learner.temperature = self.start + f * (self.end - self.start)
        self.i += 1


class BankWriter(Plugin):
    def __init__(self, bank):
        self.bank = bank

    def after_loss(self):
        self.bank.push(self.learner.last_keys)


class MomentumCopy(Plugin):
    def __init__(self, m):
        self.m = m

    @torch.no_grad()
    def after_optim(self):
        lr = self.learner
        for pq, pk in zip(lr.encoder_q.parameters(), lr.encoder_k.parameters()):
            pk.lerp_(pq, 1 - self.m)
