"""Optimizers that derive from torch's, or go over `param_groups`, write the parameters that they hold (`forms`)."""

_TWICE = """
        net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
        opt = {made}
        y = net(b).sum()
        y.backward(retain_graph=True)
        {step}
        y = net(b).sum()  # good
        y.backward()
"""
_CLIMB = """
        class Climb(torch.optim.Optimizer):
            def __init__(self, params, base, rho=0.05, **kwargs):
                super().__init__(params, dict(rho=rho, **kwargs))
                self.base = base(self.param_groups, **kwargs)

            @torch.no_grad()
            def climb(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        if p.grad is not None:
                            p.add_(p.grad, alpha=group["rho"])

            @torch.no_grad()
            def step(self, closure=None):
                self.base.step()
"""
_MADE = "Climb(net.parameters(), torch.optim.SGD, lr=0.1)"

PROGRAMS = {
    "a method of its own": _CLIMB
    + _TWICE.format(made=_MADE, step="opt.climb()  # bad: IPL102\n        opt.climb()  # good"),
    "the optimizer that it is made of": _CLIMB
    + _TWICE.format(made=_MADE, step="opt.step()  # bad: IPL106\n        opt.step()  # good"),
    "inherited": "\n        class Slow(torch.optim.SGD):\n            pass\n"
    + _TWICE.format(
        made="Slow(net.parameters(), lr=0.1)", step="opt.step()  # bad: IPL106\n        opt.step()  # good"
    ),
    "by hand": _TWICE.format(
        made="torch.optim.SGD(net.parameters(), lr=0.1)",
        step="""with torch.no_grad():
            for group in opt.param_groups:
                for p in group["params"]:
                    p.sub_(p.grad)  # bad: IPL102
                    p.sub_(p.grad)  # good""",
    ),
}
