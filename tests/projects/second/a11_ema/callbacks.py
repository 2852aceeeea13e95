class Callback:
    def on_forward_end(self, trainer):
        pass

    def on_step_end(self, trainer):
        pass


class EMACallback(Callback):
    def __init__(self, ema, sync_every=2):
        self.ema = ema
        self.sync_every = sync_every

    def on_step_end(self, trainer):
        self.ema.update(trainer.model)

    def on_forward_end(self, trainer):
        if trainer.step and trainer.step % self.sync_every == 0:
            self.ema.copy_to(trainer.model)
