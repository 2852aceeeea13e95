import torch


class Hook:
    priority = 50

    def before_iter(self, r):
        pass

    def after_iter(self, r):
        pass


class OptimizerHook(Hook):
    def __init__(self, every, max_norm):
        self.every, self.max_norm = every, max_norm

    def after_iter(self, r):
        r.scaler.scale(r.loss / self.every).backward()
        if (r.it + 1) % self.every == 0:
            r.mw.grads_to_master()
            r.scaler.unscale_(r.mw.master)
            torch.nn.utils.clip_grad_norm_(r.mw.master, self.max_norm)
            if not r.scaler.found_inf:
                r.opt.step()
                r.mw.to_model()
            r.scaler.update()
            r.mw.zero()


class EMAHook(Hook):
    priority = 90

    def __init__(self, decay=0.9):
        self.decay, self.shadow = decay, None

    def after_iter(self, r):
        sd = r.model.state_dict()
        if self.shadow is None:
            self.shadow = {k: v.clone() for k, v in sd.items()}
        for k, v in sd.items():
            self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)


class Meter(Hook):
    def __init__(self):
        self.total = torch.zeros(())

    def after_iter(self, r):
        self.total += r.loss.detach()
