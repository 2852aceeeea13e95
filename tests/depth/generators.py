"""What a generator of the project hands on, and what an object does around a block (see `forms`)."""

_NET = """
        import itertools
        from contextlib import contextmanager

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                return self.last(torch.tanh(self.first(x)))

            def layers(self):
                for module in self.modules():
                    if isinstance(module, nn.Linear):
                        yield module

            def weights(self):
                for layer in self.layers():
                    yield layer.weight

            def both(self):
                yield from self.last.parameters()
                yield from self.first.parameters()

        net = Net()
"""
_STEP = """
        loss = net(b).sum()
        CHANGE  # bad
        loss.backward()
        CHANGE  # good
"""


def _around(change: str, used: str) -> str:
    """A program that makes a change after a forward, before its backward or behind it."""
    return _NET + change + _STEP.replace("CHANGE  # bad", f"{used}  # bad: IPL102").replace("CHANGE", used)


PROGRAMS = {
    "layers that a method yields": _around(
        """
        @torch.no_grad()
        def clip():
            for layer in net.layers():
                layer.weight.clamp_(-1, 1)
        """,
        "clip()",
    ),
    "weights that a method yields of what another yields": _around(
        """
        @torch.no_grad()
        def clip():
            for number, weight in enumerate(net.weights()):
                weight.mul_(0.9)
        """,
        "clip()",
    ),
    "weights that come from two others, in a list": _around(
        """
        every = list(net.both())

        @torch.no_grad()
        def clip():
            for weight in every:
                weight.mul_(0.9)
        """,
        "clip()",
    ),
    "an optimizer of what a method yields": _NET
    + """
        value = nn.Linear(4, 1)
        first = torch.optim.SGD(net.both(), lr=0.1)
        one, other = net(b).sum(), net(b).pow(2).sum()
        one.backward()
        first.step()  # bad: IPL106
        other.backward()
        first.step()  # good
    """,
    "an optimizer of several, chained": _NET
    + """
        first = torch.optim.SGD(itertools.chain(net.first.parameters(), net.last.parameters()), lr=0.1)
        first = torch.optim.SGD(itertools.chain(net.first.parameters()), lr=0.1)  # good
        one, other = net(b).sum(), net(b).pow(2).sum()
        one.backward()
        first.step()  # bad: IPL106
        other.backward()
    """,
    "an optimizer of those of which something is true": _NET
    + """
        first = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
        one, other = net(b).sum(), net(b).pow(2).sum()
        one.backward()
        first.step()  # bad: IPL106
        other.backward()
        first.step()  # good
    """,
    "what stands under a with, given by a generator that writes nothing": """
        from contextlib import contextmanager

        w = nn.Parameter(torch.ones(4))

        @contextmanager
        def copied():
            fast = {"w": w.clone()}
            yield fast
            fast.clear()

        with copied() as fast:
            h = a * fast["w"]
            fast["w"].mul_(2)  # bad: IPL102
            fast["w"] = fast["w"] * 2  # good
        h.sum().backward()
    """,
    "what an object does where a block ends": """
        class Halved:
            def __init__(self, layer):
                self.layer = layer

            def __enter__(self):
                with torch.no_grad():
                    self.layer.weight.mul_(0.5)
                return self

            def __exit__(self, *error):
                with torch.no_grad():
                    self.layer.weight.mul_(2.0)

        layer = nn.Linear(4, 4)
        x = a * 1
        with Halved(layer):  # bad: IPL102
            loss = layer(x).sum()  # bad
        loss.backward()  # bad
        with Halved(layer):  # good
            layer(x).sum().backward()  # good
    """,
    "what is done in a loop over batches that a function draws": """
        layer = nn.Linear(4, 4)

        def batches(count):
            for _ in range(count):
                yield torch.rand(2, 4)

        for batch in batches(2):
            loss = layer(batch.requires_grad_()).sum()
            with torch.no_grad():
                layer.weight.mul_(0.9)  # bad: IPL102
                layer.weight * 0.9  # good
            loss.backward()
    """,
}
