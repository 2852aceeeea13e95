import torch


class Callback:
    def on_train_start(self, trainer): ...
    def on_loss(self, trainer, loss): ...
    def on_step_end(self, trainer): ...


class MeanTeacherUpdate(Callback):
    def __init__(self, decay=0.99):
        self.decay = decay

    def _update(self, trainer):
        d = min(self.decay, 1 - 1 / (trainer.global_step + 1))
        with torch.no_grad():
            for t, s in zip(trainer.teacher.parameters(), trainer.student.parameters()):
                t.mul_(d).add_(s, alpha=1 - d)  # BUG

    def on_loss(self, trainer, loss):
        self._update(trainer)


class History(Callback):
    def __init__(self):
        self.values = []

    def on_loss(self, trainer, loss):
        self.values.append(loss.item())
