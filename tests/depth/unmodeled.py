"""Hazards of tensors that flow through what the analysis has no model of before they are returned (see `forms`).

`operator`, `types` and the like stand for any installed package. That nothing is known of what they return says
nothing about whether a backward comes from there.
"""

PROGRAMS = {
    "a part of what something unknown returns": """
        import operator

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.LayerNorm(4)
                self.proj = nn.Linear(4, 8)

            def forward(self, x):
                x = self.norm(x)
                y = self.proj(x)
                x.relu_()  # bad: IPL102
                x = x.relu()  # good
                pair = operator.itemgetter(slice(0, 4), slice(4, 8))(y)
                first, second = pair
                return first.sum() + second.sum() + x.sum()

        Net()(a).backward()
    """,
    "an attribute of an object of a library": """
        from types import SimpleNamespace

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Linear(4, 4)
                self.gate = nn.Linear(4, 4)

            def forward(self, x):
                h = self.embed(x)
                state = SimpleNamespace(gate=torch.sigmoid(self.gate(h)))
                h.mul_(0.5)  # bad: IPL102
                h = h * 0.5  # good
                return state.gate.sum() + h.sum()

        Net()(a).backward()
    """,
    "a choice among more things than are told apart": """
        import operator

        class Net(nn.Module):
            def __init__(self, kind):
                super().__init__()
                self.kind = kind
                self.embed = nn.Linear(4, 4)

            def forward(self, x):
                h = self.embed(x)
                y = h.sigmoid() + h.exp() * h
                h += 1  # bad: IPL102
                h = h + 1  # good
                y = operator.attrgetter(self.kind)(y)
                return getattr(y, self.kind)

        Net("T")(a[None]).sum().backward()
    """,
    "a list of numbers that came from outside and was changed in one place": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x, shifts: list[int]):
                shifts = shifts.copy()
                if x.shape[0] > 8:
                    shifts[0] = 0
                y = torch.sigmoid(self.proj(x))
                if sum(shifts) > 0:
                    y += 1  # bad: IPL101
                    y = y + 1  # good
                return y

        Net()(a, [1, 2]).sum().backward()
    """,
}
