import torch


class Hook:
    def before_iter(self, runner):
        pass

    def after_iter(self, runner):
        pass


class LrHook(Hook):
    def __init__(self, warmup):
        self.warmup = warmup

    def before_iter(self, runner):
        f = min(1.0, (runner.iter + 1) / self.warmup)
        for g in runner.opt.param_groups:
            g["lr"] = runner.cfg["lr"] * f


class EMAHook(Hook):
    def __init__(self, decay):
        self.decay, self.shadow = decay, {}

    @torch.no_grad()
    def after_iter(self, runner):
        for n, p in runner.model.named_parameters():
            if n not in self.shadow:
                self.shadow[n] = p.clone()
            self.shadow[n].lerp_(p, 1 - self.decay)
