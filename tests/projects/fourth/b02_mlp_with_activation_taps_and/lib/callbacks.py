import torch


class TapStats:
    """Tracks how saturated each layer is (mean of clipped activations)."""

    def __init__(self, cfg):
        self.limit = cfg.tap_limit
        self.means = {}
        self.saturated = {}

    def on_forward_end(self, trainer, output):
        for name, act in trainer.model.taps.items():
            self.saturated[name] = (act > self.limit).float().mean().item()
            clipped = act.clamp_(max=self.limit)  # BUG
            m = self.means.setdefault(name, torch.zeros(()))
            m.mul_(0.9).add_(clipped.mean(), alpha=0.1)

    def on_epoch_end(self, trainer):
        trainer.model.taps.clear()


class GradClip:
    def __init__(self, cfg, max_norm=1.0):
        self.max_norm = max_norm

    def on_backward_end(self, trainer):
        grads = [p.grad for p in trainer.model.parameters() if p.grad is not None]
        total = torch.stack([g.norm() for g in grads]).norm()
        scale = (self.max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(scale)


class Logger:
    def __init__(self, cfg):
        pass

    def on_epoch_end(self, trainer):
        print(f"epoch {trainer.state.epoch} loss {trainer.state.loss:.4f}")


CALLBACKS = {"tap_stats": TapStats, "grad_clip": GradClip, "logger": Logger}


def build_callbacks(cfg):
    return [CALLBACKS[n](cfg) for n in cfg.callbacks]
