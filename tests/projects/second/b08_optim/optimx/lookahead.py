import torch


class Lookahead:
    def __init__(self, base, k=5, alpha=0.5):
        self.base, self.k, self.alpha, self.t = base, k, alpha, 0
        self.slow = [[p.detach().clone() for p in g["params"]] for g in base.param_groups]

    @torch.no_grad()
    def step(self):
        self.base.step()
        self.t += 1
        if self.t % self.k == 0:
            for g, slow in zip(self.base.param_groups, self.slow):
                for p, s in zip(g["params"], slow):
                    s.lerp_(p, self.alpha)
                    p.copy_(s)
