import torch


class Trainer:
    def __init__(self, system, optim_cfg):
        self.system = system
        self.opts = []
        for part, cfg in optim_cfg.items():
            kw = dict(cfg)
            cls = getattr(torch.optim, kw.pop("cls"))
            self.opts.append(cls(system.net.part(part), **kw))

    def zero_grad(self):
        for o in self.opts:
            o.zero_grad(set_to_none=True)

    def clip(self, limit=1.0):
        for p in self.system.net.parameters():
            if p.grad is not None:
                n = p.grad.norm()
                if n > limit:
                    p.grad.mul_(limit / n)

    def run_video(self, frames, labels):
        self.system.load(frames, labels)
        total = torch.zeros(())
        for t in range(len(self.system)):
            loss = self.system.step_loss(t)
            self.zero_grad()
            loss.backward()
            self.clip()
            for o in self.opts:
                o.step()  # BUG
            total += loss.detach()
        return (total / len(self.system)).item()
