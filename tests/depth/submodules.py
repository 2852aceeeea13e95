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
    "a hook that a context manager hangs on and takes off again": """
        from contextlib import contextmanager

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.up, self.act, self.down = nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)

            def forward(self, x):
                return self.down(self.act(self.up(x)))  # bad: IPL101
                return self.down(self.act(self.up(x)))  # good

        def scale(factor):
            def hook(module, args, output):
                output.mul_(factor)
                return output
            return hook

        @contextmanager
        def attached(sites, factor):
            handles = [site.register_forward_hook(scale(factor)) for site in sites.values()]
            try:
                yield
            finally:
                for handle in handles:
                    handle.remove()

        net = Net()
        with attached({"act": net.act}, 2):
            loss = net(torch.rand(3, 4)).sum()  # bad
            net(torch.rand(3, 4)).sum()  # good
        loss = net(torch.rand(3, 4)).sum()  # good
        loss.backward()
    """,
    "a hook on a module that is asked for by its path": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.up, self.act, self.down = nn.Linear(4, 4), nn.Sigmoid(), nn.Linear(4, 4)

            def forward(self, x):
                return self.down(self.act(self.up(x)))  # bad: IPL101
                return self.down(self.act(self.up(x)))  # good

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.block, self.head = Block(), nn.Linear(4, 1)

            def forward(self, x):
                return self.head(self.block(x))

        def silence(module, args, output):
            output[:, 0] = 0

        net = Net()
        net.get_submodule("block.act").register_forward_hook(silence)  # bad
        net.get_submodule("block.up").register_forward_hook(silence)  # good
        net(torch.rand(3, 4)).sum().backward()
    """,
}
