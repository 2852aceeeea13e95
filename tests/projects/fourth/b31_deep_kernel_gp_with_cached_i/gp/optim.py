import torch


class OptimizerBundle:
    """Several optimizers behind one zero_grad/step."""

    def __init__(self, groups):
        self.opts = {name: torch.optim.Adam(ps, lr=lr) for name, (ps, lr) in groups.items()}

    def __getattr__(self, name):
        opts = self.__dict__.get("opts", {})
        if name in opts:
            return opts[name]
        raise AttributeError(name)

    def zero_grad(self):
        for o in self.opts.values():
            o.zero_grad()

    def step(self):
        for o in self.opts.values():
            o.step()  # BUG

    def params(self):
        return [p for o in self.opts.values() for g in o.param_groups for p in g["params"]]
