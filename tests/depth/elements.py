"""Hazards of one element of a container, told apart from what happens to its others (see `forms`)."""

_PYRAMID = """
        class Neck(nn.Module):
            def __init__(self, levels):
                super().__init__()
                self.lateral = nn.ModuleList([nn.Linear(4, 4) for _ in range(levels)])
                self.smooth = nn.ModuleList([nn.Linear(4, 4) for _ in range(levels)])
"""

PROGRAMS = {
    "levels of a list": f"""{_PYRAMID}
            def forward(self, feats):
                maps = [lateral(f) for lateral, f in zip(self.lateral, feats)]
                outs = []
                for i in range(len(maps) - 1, 0, -1):
                    outs.append(self.smooth[i - 1](maps[i - 1]))  # bad
                    outs.append(self.smooth[i](maps[i]))  # good
                    maps[i - 1] += torch.softmax(maps[i], 0)  # bad: IPL102
                    maps[i - 1] += 2 * maps[i]  # good
                return sum(outs).sum()

        Neck(6)([a] * 6).backward()
    """,
    "a level that is complete before it is read": f"""{_PYRAMID}
            def forward(self, feats):
                maps = [lateral(f) for lateral, f in zip(self.lateral, feats)]
                outs = []
                for i in range(len(maps) - 1, 0, -1):
                    maps[i - 1] += 2 * maps[i]  # good
                    outs.append(self.smooth[i](maps[i]))  # both
                    maps[i] += 2 * maps[i - 1]  # bad: IPL102
                return sum(outs).sum()

        Neck(6)([a] * 6).backward()
    """,
    "levels of a dict by names": """
        from collections import OrderedDict

        class Neck(nn.Module):
            def __init__(self, levels):
                super().__init__()
                self.lateral = nn.ModuleDict({f"p{i}": nn.Linear(4, 4) for i in range(levels)})
                self.smooth = nn.Linear(4, 4)

            def forward(self, feats):
                maps = OrderedDict((name, layer(feats[name])) for name, layer in self.lateral.items())
                names = list(maps)
                outs = {}
                for upper, lower in zip(names[:0:-1], names[-2::-1]):
                    outs[lower] = self.smooth(maps[lower])  # bad
                    maps[lower] += 2 * maps[upper]  # bad: IPL102
                    maps[lower] += 2 * maps[upper]  # good
                    outs[upper] = self.smooth(maps[upper])  # good
                return sum(out.sum() for out in outs.values())

        Neck(6)({f"p{i}": a * 2 for i in range(6)}).backward()
    """,
    "all elements in one loop, and all in the next": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)

            def forward(self, feats):
                maps = {name: self.lin(f) for name, f in feats.items()}
                total = 0
                for name in maps:
                    total = total + (maps[name] ** 2).sum()  # bad
                    total = total + maps[name].sum()  # good
                for name in maps:
                    maps[name] += 1  # bad: IPL102
                    maps[name] += 1  # good
                return total

        Net()({str(i): a for i in range(6)}).backward()
    """,
    "elements at two known places": """
        class Net(nn.Module):
            def __init__(self, count):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(count)])

            def forward(self, x):
                maps = [layer(x) for layer in self.layers]
                y = maps[0] * maps[1]
                maps[1] += 1  # bad: IPL102
                maps[2] += 1  # good
                return y.sum()

        Net(6)(a).backward()
    """,
    "a cache for each layer": """
        class Cache:
            def __init__(self):
                self.k = torch.zeros(4, 4)

            def put(self, k):
                self.k[:] = k
                return self.k

        class Layer(nn.Module):
            def __init__(self):
                super().__init__()
                self.key = nn.Linear(4, 4)

            def forward(self, x, cache):
                return x @ cache.put(self.key(x)).t()

        class Net(nn.Module):
            def __init__(self, count):
                super().__init__()
                self.layers = nn.ModuleList([Layer() for _ in range(count)])
                self.count = count

            def forward(self, x):
                cache = Cache()  # bad
                caches = [Cache() for _ in range(self.count)]  # good
                for i, layer in enumerate(self.layers):
                    x = layer(x, cache)  # bad: IPL102
                    x = layer(x, caches[i])  # good
                return x.sum()

        Net(6)(torch.stack([a, a, a, a])).backward()
    """,
    "caches that go with the layers": """
        class Cache:
            def __init__(self):
                self.k = torch.zeros(4, 4)

        class Net(nn.Module):
            def __init__(self, count):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(count)])
                self.count = count

            def forward(self, x):
                caches = [Cache() for _ in range(self.count)]
                for layer, cache in zip(self.layers, caches):
                    cache.k[:] = layer(x)
                    x = x @ cache.k
                    cache.k[0] = 1  # bad: IPL102
                return x.sum()

        Net(6)(torch.stack([a, a, a, a])).backward()
    """,
    "states that may be a list or one tensor": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.cell = nn.GRUCell(4, 4)

            def forward(self, x, states=None):
                if states is None:
                    states = x.new_zeros(2, 1, 4)  # bad
                    states = list(x.new_zeros(2, 1, 4))  # good
                for i in range(2):
                    states[i] = self.cell(x, states[i])  # bad: IPL102
                    states[i] = self.cell(x, states[i])  # good
                return sum(s.sum() for s in states)  # bad
                return torch.stack(states).sum()  # good

        Net()(a[None]).backward()
    """,
    "modules by their names": """
        from collections import OrderedDict

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(
                    OrderedDict(
                        [
                            ("lin", nn.Linear(4, 4)),
                            ("squash", nn.Sigmoid()),  # bad
                            ("act", nn.ReLU(inplace=True)),
                        ]
                    )
                )

            def forward(self, x):
                return self.net(x)  # bad: IPL101
                return self.net(x)  # good

        Net()(a).sum().backward()
    """,
    "numbers of which one was replaced": """
        class Shift(nn.Module):
            def forward(self, x, steps: list[int]):
                steps = steps.copy()
                if steps[0] > 2:
                    steps[0] = 0
                y = torch.sigmoid(x)
                if sum(steps) > 0:
                    y.mul_(2)  # bad: IPL101
                    y = y.mul(2)  # good
                return y

        if __name__ == "__main__":
            Shift()(a, [1, 3]).sum().backward()
    """,
    "a view whose size is reckoned from what may be numbers": """
        class Table(nn.Module):
            def __init__(self, sizes):
                super().__init__()
                self.sizes = (sizes[0], 2)
                self.bias = nn.Parameter(torch.zeros(4, 4))

            def forward(self, heads):
                height = 2 * self.sizes[0] - 2
                part = self.bias[: heads - 2]
                part = part.reshape(2, height, 4 // (height * 1))
                part.mul_(1.5)  # bad: IPL103
                part = part.mul(1.5)  # good
                return part

        if __name__ == "__main__":
            Table([2])(4).sum().backward()
    """,
    "the last activation, put behind as many others as there are layers": """
        class Net(nn.Module):
            def __init__(self, widths, act=F.relu):
                super().__init__()
                layers = [nn.Linear(4, width) for width in widths]
                self.layers = nn.ModuleList(layers + [nn.Linear(4, 4)])
                self.acts = [act] * (len(self.layers) - 1) + [torch.sigmoid]  # bad
                self.acts = [act] * (len(self.layers) - 1) + [lambda x: x]  # good

            def forward(self, x):
                z = x
                for act, layer in zip(self.acts, self.layers):
                    z = act(layer(z))
                z += x  # bad: IPL101
                z += x  # good
                return z

        Net([4, 4])(b).sum().backward()
    """,
    "rows of layers that a comprehension makes under names": """
        class Stacks(nn.Module):
            def __init__(self, names, count=2):
                super().__init__()
                self.stacks = nn.ModuleDict(
                    {name: nn.ModuleList([nn.Linear(4, 4) for _ in range(count)]) for name in names}
                )

            def forward(self, x):
                rest, found = x.abs(), 0.0
                for name, stack in self.stacks.items():
                    for layer in stack:
                        back = layer(rest)
                        rest -= back  # bad: IPL102
                        rest = rest - back  # good
                        found = found + back
                return found

        Stacks(["trend", "season"])(b).sum().backward()
    """,
    "a row of an array that is used for each batch": """
        import numpy as np

        class Batches:
            def __init__(self, count):
                self.count, self.x = count, np.empty((2, 4), np.float32)

            def decode(self, row, start):
                np.multiply(np.arange(start, start + 4), 0.5, out=self.x[row])

            def __iter__(self):
                for i in range(self.count):
                    for row in range(2):
                        self.decode(row, i)
                    yield torch.from_numpy(self.x)  # bad
                    yield torch.from_numpy(self.x.copy())  # good

        net, losses = nn.Linear(4, 1), []
        for x in Batches(3):  # bad: IPL202
        for x in Batches(3):  # good
            losses.append(net(x).sum())
        torch.stack(losses).sum().backward()
    """,
}
