"""Writes by what goes over the modules in a module: `modules`, `children` and their named kin (`forms`)."""

_NET = """
        class Scaled(nn.Linear):
            def merge(self):
                with torch.no_grad():
                    self.weight.mul_(2)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.act, self.last = Scaled(4, 4), nn.Tanh(), Scaled(4, 2)
                self.more = [Scaled(4, 4)]  # which is no module of it

            def forward(self, x):
                return self.last(self.act(self.first(x)))

            def scaled(self):
                return [m for m in self.modules() if isinstance(m, Scaled)]

        net = Net()
"""


def _over(modules: str) -> str:
    return f"""{_NET}
        y = net(b)  # bad
        for m in {modules}:
            m.merge()  # bad: IPL102
            m.merge()  # good
        y = net(b)  # good
        y.sum().backward()
    """


PROGRAMS = {
    "every module that is of a class": _over("net.scaled()"),
    "direct children": _over("[c for c in net.children() if isinstance(c, Scaled)]"),
    "by name": _over("[m for name, m in net.named_modules() if isinstance(m, Scaled) and name]"),
    "modules in a list that is no module, and those of another class": f"""{_NET}
        y = net(b)
        for m in net.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.zeros_(m.weight)
        for m in net.more:
            m.merge()
        net.last.merge()  # bad: IPL102
        y.sum().backward()
    """,
}
