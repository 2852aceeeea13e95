from .init import fan_in_rows


class CallbackList(list):
    def on_step_end(self, trainer, loss):
        for cb in self:
            cb.on_step_end(trainer, loss)


class DeadUnitReset:
    """Recycles hidden units that almost never fire."""

    def __init__(self, every, threshold):
        self.every, self.threshold = every, threshold
        self.recycled = 0

    def dormant(self, rate):
        idx = (rate < self.threshold).nonzero().squeeze(1)
        return idx if idx.numel() else rate.argmin().unsqueeze(0)

    def on_step_end(self, trainer, loss):
        if trainer.step % self.every:
            return
        model = trainer.model
        for i, rate in model.activity.items():
            units = self.dormant(rate)
            d_in = model.params[f"w{i}"].size(1)
            model.reset_units(i, units, fan_in_rows(len(units), d_in))
            rate[units] = 0.5
            self.recycled += len(units)


class LossPrinter:
    def __init__(self, every):
        self.every = every

    def on_step_end(self, trainer, loss):
        if trainer.step % self.every == 0:
            print(trainer.step, round(loss.item(), 4))
