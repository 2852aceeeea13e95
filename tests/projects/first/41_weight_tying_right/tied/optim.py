import torch


class LARS(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum=0.9, wd=1e-4, eta=0.01):
        super().__init__(params, dict(lr=lr, momentum=momentum, wd=wd, eta=eta))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for g in self.param_groups:
            for p in g["params"]:
                d = p.grad
                if d is None:
                    continue
                if p.ndim > 1:
                    d = d.add(p, alpha=g["wd"])
                    pn, dn = p.norm(), d.norm()
                    one = torch.ones_like(pn)
                    q = torch.where(pn > 0, torch.where(dn > 0, g["eta"] * pn / dn, one), one)
                    d = d.mul(q)
                st = self.state[p]
                if "mu" not in st:
                    st["mu"] = torch.zeros_like(p)
                mu = st["mu"]
                mu.mul_(g["momentum"]).add_(d)
                p.add_(mu, alpha=-g["lr"])
        return loss
