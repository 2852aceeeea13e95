class Callback:
    def on_forward_end(self, trainer):
        pass

    def on_step_end(self, trainer):
        pass


class WeightClip(Callback):
    def __init__(self, c=0.01):
        self.c = c

    def on_forward_end(self, trainer):
        for p in trainer.D.parameters():
            p.data.clamp_(-self.c, self.c)  # BUG


class History(Callback):
    def __init__(self):
        self.values = []

    def on_step_end(self, trainer):
        self.values.append(trainer.last)


class CallbackList:
    def __init__(self, cbs):
        self.cbs = list(cbs)

    def fire(self, name, trainer):
        for cb in self.cbs:
            getattr(cb, name)(trainer)
