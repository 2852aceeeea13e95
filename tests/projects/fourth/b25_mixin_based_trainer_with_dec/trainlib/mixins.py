import torch


class WarmupMixin:
    def before_iter(self):
        super().before_iter()
        f = min(1.0, (self.iteration + 1) / self.args.warmup)
        for g in self.opt.param_groups:
            g["lr"] = self.args.lr * f


class GradNoiseMixin:
    def after_backward(self):
        super().after_backward()
        for p in self.model.parameters():
            p.grad.add_(torch.randn_like(p.grad), alpha=1e-4)


class DecoupledDecayMixin:
    """AdamW-like decay for optimizers that do not have it."""

    def decayed(self):
        return (p for p in self.model.parameters() if p.dim() > 1)

    def after_forward(self, out):
        factor = 1 - self.current_lr * self.args.decay
        with torch.no_grad():
            for p in self.decayed():
                p.mul_(factor)  # BUG
        return super().after_forward(out)


class LogitClampMixin:
    def after_forward(self, out):
        return super().after_forward(out).clamp(-10, 10)


class WeightClipMixin:
    def after_iter(self):
        super().after_iter()
        with torch.no_grad():
            for p in self.model.parameters():
                p.clamp_(-3, 3)
