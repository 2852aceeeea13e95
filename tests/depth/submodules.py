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
    "layers that others take the places of, as far down as they are": """
        class Workspace:
            def __init__(self):
                self.memory = torch.empty(0)

            def reserve(self, count):
                if count > self.memory.numel():
                    self.memory = torch.empty(count)

            def dense(self, codes):
                view = self.memory[: codes.numel()]  # bad
                view.copy_(codes.flatten() * 0.1)  # bad
                view = codes.flatten() * 0.1  # good
                return view.view(codes.shape)

        class Packed(nn.Module):
            def __init__(self, base, space):
                super().__init__()
                self.register_buffer("codes", base.weight.detach().round())
                self.down, self.space = nn.Linear(base.in_features, base.out_features), space
                space.reserve(base.weight.numel())

            def forward(self, x):
                return F.linear(x, self.space.dense(self.codes)) + self.down(x)

        def convert(module, space, skip=("head",)):
            for name, child in module.named_children():
                if name in skip:
                    continue
                if isinstance(child, nn.Linear):
                    setattr(module, name, Packed(child, space))
                else:
                    convert(child, space, skip)
            return module

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.up, self.back = nn.LayerNorm(4), nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x):
                return x + self.back(torch.tanh(self.up(self.norm(x))))  # bad: IPL102
                return x + self.back(torch.tanh(self.up(self.norm(x))))  # good

        class Net(nn.Module):
            def __init__(self, depth=2):
                super().__init__()
                self.blocks = nn.Sequential(*[Block() for _ in range(depth)])
                self.head = nn.Linear(4, 1)

            def forward(self, x):
                return self.head(self.blocks(x))  # bad: IPL102
                return self.head(self.blocks(x))  # good

        net = convert(Net(), Workspace())
        net(torch.rand(2, 4)).sum().backward()
    """,
}
