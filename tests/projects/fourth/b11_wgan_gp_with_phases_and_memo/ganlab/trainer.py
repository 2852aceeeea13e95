import torch

from .context import StepContext


class GanTrainer:
    def __init__(self, cfg, nets, phases):
        self.cfg, self.nets, self.phases = cfg, nets, phases
        self.opts = {k: torch.optim.Adam(n.parameters(), lr=cfg.lr, betas=(0.5, 0.9)) for k, n in nets.items()}
        self.ema = {k: v.detach().clone() for k, v in nets["gen"].named_parameters()}
        self.log = {}

    def real(self):
        theta = torch.rand(self.cfg.batch) * 6.283
        x = torch.stack([theta.cos(), theta.sin()], 1)
        x.add_(torch.randn_like(x), alpha=0.02)
        return x

    def run(self):
        for _ in range(self.cfg.iters):
            ctx = StepContext(self.nets, self.real(), torch.randn(self.cfg.batch, self.cfg.z_dim))
            for ph in self.phases:
                loss = ph.loss(ctx)
                opt = self.opts[ph.target]
                opt.zero_grad(set_to_none=True)
                loss.backward()
                opt.step()  # BUG
                ph.finish(ctx)
                self.log[ph.target] = loss.item()
            self.update_ema()

    @torch.no_grad()
    def update_ema(self, decay=0.95):
        for k, v in self.nets["gen"].named_parameters():
            self.ema[k].mul_(decay).add_(v, alpha=1 - decay)
