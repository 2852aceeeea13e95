"""Hazards spread over functions, classes, hooks and files: each program holds a bad and a good form (see `forms`)."""

PROGRAMS = {
    "argument written by a helper": """
        def shift(t):
            t.add_(1)  # both

        h = torch.sigmoid(a)
        shift(h)  # bad: IPL101
        shift(h.clone())  # good
        h.sum().backward()
    """,
    "argument saved by a helper": """
        def gate(t, w):
            return torch.sigmoid(t * w)

        h = a * 2
        y = gate(h, a)
        h += 1  # bad: IPL102
        h = h + 1  # good
        (y.sum() + h.sum()).backward()
    """,
    "argument returned by a helper": """
        def same(t):
            return t

        h = torch.tanh(a)
        g = same(h)
        g.mul_(2)  # bad: IPL101
        g = g.mul(2)  # good
        (h.sum() + g.sum()).backward()
    """,
    "view returned by a helper": """
        def first(t):
            return t[0]

        h = torch.exp(a)
        first(h).zero_()  # bad: IPL101
        g = h.clone()  # good
        first(g).zero_()  # good
        h.sum().backward()
    """,
    "a helper that records nothing": """
        @torch.no_grad()
        def statistics(t):
            return torch.sigmoid(t)

        def statistics_with_graph(t):
            return torch.sigmoid(t)

        s = statistics_with_graph(a)  # bad
        s = statistics(a)  # good
        s += 1  # bad: IPL101
        s += 1  # good
        (s.sum() + a.sum()).backward()
    """,
    "a private helper that is only called under no_grad": """
        def _renorm(t):
            s = torch.sigmoid(t)
            s += 1  # bad: IPL101
            s += 1  # good
            return s

        with torch.no_grad():  # good
            r = _renorm(a)  # good
        r = _renorm(a)  # bad
        (a * r).sum().backward()
    """,
    "a method under no_grad that writes what forward saved": """
        class Memory(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("bank", torch.ones(4))

            def forward(self, x):
                return x * self.bank

            @torch.no_grad()
            def update(self, x):
                self.bank.mul_(0.9).add_(x, alpha=0.1)

        memory = Memory()
        loss = memory(a).sum()
        loss.backward()  # good
        memory.update(b)  # bad: IPL102
        memory.update(b)  # good
        loss.backward()  # bad
    """,
    "an attribute touched by another method": """
        class Net(nn.Module):
            def encode(self, x):
                self.hidden = torch.sigmoid(x)
                return self.hidden

            def bump(self):
                self.hidden += 1  # both

            def forward(self, x):
                y = self.encode(x)
                self.bump()  # bad: IPL101
                return y

        Net()(a * 1).sum().backward()
    """,
    "a method of the base class": """
        class Base(nn.Module):
            def _finish(self, x):
                x.mul_(2)  # both
                return x

        class Net(Base):
            def forward(self, x):
                y = torch.sigmoid(x)
                return self._finish(y)  # bad: IPL101
                return self._finish(y.clone())  # good

        Net()(a * 1).sum().backward()
    """,
    "super()": """
        class Base(nn.Module):
            def forward(self, x):
                return torch.sigmoid(x)

        class Net(Base):
            def forward(self, x):
                y = super().forward(x)
                y += 1  # bad: IPL101
                y = y + 1  # good
                return y

        Net()(a * 1).sum().backward()
    """,
    "a property": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))

            @property
            def scale(self):
                return torch.exp(self.weight)

            def forward(self, x):
                s = self.scale
                s += 1  # bad: IPL101
                s = s + 1  # good
                return x * s

        Net()(b).sum().backward()
    """,
    "a module's call runs its forward": """
        class Gate(nn.Module):
            def forward(self, x):
                return torch.sigmoid(x)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.gate = Gate()

            def forward(self, x):
                g = self.gate(x)
                g *= 2  # bad: IPL101
                g = g * 2  # good
                return g

        Net()(a * 1).sum().backward()
    """,
    "contents of a Sequential": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.ReLU(inplace=True))  # bad
                self.body = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.ReLU(inplace=True))  # good

            def forward(self, x):
                return self.body(x)  # bad: IPL101
                return self.body(x)  # good

        Net()(b).sum().backward()
    """,
    "contents of a ModuleList": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
                self.act = nn.Sigmoid()  # bad
                self.act = nn.GELU()  # good

            def forward(self, x):
                for layer in self.layers:
                    x = self.act(layer(x))
                    x += 1  # bad: IPL101
                    x += 1  # good
                return x

        Net()(b).sum().backward()
    """,
    "an activation class as an argument": """
        class Block(nn.Module):
            def __init__(self, act_layer=nn.SiLU):
                super().__init__()
                self.act = act_layer()

            def forward(self, x):
                y = self.act(x)
                y += 1  # bad: IPL101
                y += 1  # good
                return y

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)
                self.block = Block(nn.Sigmoid)  # bad
                self.block = Block(nn.GELU)  # good

            def forward(self, x):
                return self.block(self.fc(x))

        Net()(b).sum().backward()
    """,
    "a partial that works in place": """
        class Block(nn.Module):
            def __init__(self, act_layer):
                super().__init__()
                self.act = act_layer()

            def forward(self, x):
                g = torch.sigmoid(x)
                return self.act(g)  # bad: IPL101
                return self.act(g)  # good

        relu = partial(nn.ReLU, inplace=True)  # bad
        relu = partial(nn.ReLU, inplace=False)  # good
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = Block(relu)

            def forward(self, x):
                return self.block(x)

        Net()(a * 1).sum().backward()
    """,
    "a factory with a flag": """
        def activation(inplace):
            return nn.ReLU(inplace=inplace)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.act = activation(True)  # bad
                self.act = activation(False)  # good

            def forward(self, x):
                g = torch.sigmoid(x)
                return self.act(g)  # bad: IPL101
                return self.act(g)  # good

        Net()(a * 1).sum().backward()
    """,
    "a factory by name": """
        def activation(name):
            if name == "sigmoid":
                return nn.Sigmoid()
            return nn.GELU()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.act = activation("sigmoid")  # bad
                self.act = activation("gelu")  # good

            def forward(self, x):
                y = self.act(x)
                y += 1  # bad: IPL101
                y += 1  # good
                return y

        Net()(a * 1).sum().backward()
    """,
    "a forward hook that writes the output": """
        def double(module, args, output):
            output.mul_(2)  # bad
            return output * 2  # good

        act = nn.Sigmoid()
        act.register_forward_hook(double)
        y = act(a * 1)  # bad: IPL101
        y = act(a * 1)  # good
        y.sum().backward()
    """,
    "a closure": """
        def train(x):
            y = torch.sigmoid(x)

            def bump():
                y.add_(1)  # both

            bump()  # bad: IPL101
            return y

        train(a * 1).sum().backward()
    """,
    "a lambda": """
        bump = lambda t: t.add_(1)  # both
        y = torch.sigmoid(a)
        bump(y)  # bad: IPL101
        bump(y.clone())  # good
        y.sum().backward()
    """,
    "a list of results": """
        outs = [torch.sigmoid(a), torch.tanh(a)]
        for out in outs:
            out.mul_(2)  # bad: IPL101
            out = out.mul(2)  # good
        sum(o.sum() for o in outs).backward()
    """,
    "a dictionary of results": """
        outs = {"gate": torch.sigmoid(a)}
        outs["gate"].mul_(2)  # bad: IPL101
        outs["gate"] = outs["gate"].mul(2)  # good
        outs["gate"].sum().backward()
    """,
    "another file, of which only the caller is named": """
        from helpers import Scale, normalise

        h = torch.sigmoid(a)
        normalise(h)  # bad: IPL101
        normalise(h.clone())  # good
        Scale()(h).sum().backward()
        # file: helpers.py
        import torch
        from torch import nn

        def normalise(t):
            t.div_(2)

        class Scale(nn.Module):
            def forward(self, x):
                return x * 2
    """,
    "a base class in another file": """
        from bases import Base

        class Net(Base):
            def forward(self, x):
                y = self.squash(x)
                y += 1  # bad: IPL101
                y = y + 1  # good
                return y

        Net()(a * 1).sum().backward()
        # file: bases.py
        import torch
        from torch import nn

        class Base(nn.Module):
            def squash(self, x):
                return torch.sigmoid(x)
    """,
    "a constant switches gradients off in another file": """
        from modes import evaluate

        y = evaluate(a)  # good
        y = torch.sigmoid(a)  # bad
        y += 1  # bad: IPL101
        y += 1  # good
        (y.sum() + a.sum()).backward()
        # file: modes.py
        import torch

        @torch.no_grad()
        def evaluate(t):
            return torch.sigmoid(t)
    """,
}
