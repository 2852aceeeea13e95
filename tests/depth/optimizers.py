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

_HEADS = """
        def layers():
            return nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))

        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.first = layers()
                self.heads = nn.ModuleList([layers() for _ in range(n)])

        def train(n, batches):
            net = Net(n)
{made}
            for x in batches:
                h = net.first(x)
{losses}
                for loss, opt in {each}:
                    opt.zero_grad()
                    loss.backward(retain_graph=True)
                    opt.step()  # bad: IPL106
                    opt.step()  # good

        if __name__ == "__main__":
            train(3, [torch.rand(3, 4)] * 2)
"""


def _heads(made: str, losses: str, each: str) -> str:
    indented = [text.replace("\n", "\n" + " " * deep) for text, deep in ((made, 12), (losses, 16))]
    return _HEADS.format(made=" " * 12 + indented[0], losses=" " * 16 + indented[1], each=each)


PROGRAMS = {
    "one for each head, in lists": _heads(
        "opts = [torch.optim.SGD(net.parameters(), lr=0.1) for head in net.heads]  # bad\n"
        "opts = [torch.optim.SGD(head.parameters(), lr=0.1) for head in net.heads]  # good",
        "losses = [head(h).sum() for head in net.heads]",
        "zip(losses, opts)",
    ),
    "one for each head, by its number": _heads(
        "opts = {}\n"
        "for i, head in enumerate(net.heads):\n"
        "    opts[i] = torch.optim.Adam([*net.first.parameters(), *head.parameters()])  # bad\n"
        "    opts[i] = torch.optim.Adam(head.parameters())  # good",
        "losses = {}\nfor i, head in enumerate(net.heads):\n    losses[i] = head(h).sum()",
        "((loss, opts[i]) for i, loss in losses.items())",
    ),
    "one for each of several models": _heads(
        "nets = [layers() for _ in range(n)]\n"
        "opts = [torch.optim.SGD(nets[0].parameters(), lr=0.1) for each in nets]  # bad\n"
        "opts = [torch.optim.SGD(each.parameters(), lr=0.1) for each in nets]  # good",
        "outs = [each(nets[0](x)) for each in nets]  # bad\n"
        "outs = [each(x) for each in nets]  # good\nlosses = [out.sum() for out in outs]",
        "zip(losses, opts)",
    ),
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
