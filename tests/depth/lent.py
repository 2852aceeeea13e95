"""Hazards of what an object holds that a function returned, or that is lent to another function (see `forms`)."""

PROGRAMS = {
    "a method with a tensor method's name, of an object that a forward returns": """
        from dataclasses import dataclass

        @dataclass
        class Rates:
            gamma: torch.Tensor
            signal: torch.Tensor

            def clip(self, low):
                self.signal.clamp_(min=low)  # bad
                self.gamma.clamp_(min=low)  # good
                return self

        class Schedule(nn.Module):
            def __init__(self):
                super().__init__()
                self.low = nn.Parameter(torch.zeros(4))

            def forward(self, t):
                gamma = self.low + t
                return Rates(gamma, torch.sigmoid(gamma))  # bad
                return Rates(gamma, gamma * 2)  # good

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.schedule = Schedule()

            def forward(self, t):
                rates = self.schedule(t).clip(0.1)  # bad: IPL101
                rates = self.schedule(t).clip(0.1)  # good
                return rates.signal.sum()

        Net()(a).backward()
    """,
    "a state that a class method made": """
        from dataclasses import dataclass

        @dataclass
        class State:
            hidden: torch.Tensor
            steps: int = 0

            @classmethod
            def zeros(cls, size):
                return cls(torch.zeros(size))

            def forget(self, keep):
                self.hidden.mul_(keep)  # bad
                self.hidden = self.hidden * keep  # good

        class Policy(nn.Module):
            def __init__(self):
                super().__init__()
                self.core = nn.Linear(4, 4)
                self.value = nn.Linear(4, 1)

            def forward(self, xs):
                state = State.zeros(4)
                values = []
                for x in xs:
                    state.hidden = self.core(x + state.hidden)
                    values.append(self.value(state.hidden))
                    state.forget(0.5)  # bad: IPL102
                    state.forget(0.5)  # good
                return torch.cat(values).sum()

        Policy()([a, a]).backward()
    """,
    "a cache that is handed to a layer": """
        class Cache:
            def __init__(self, length):
                self.keys = torch.zeros(length, 4)
                self.used = 0

            def append(self, k):
                self.keys[self.used] = k  # bad
                self.keys = torch.cat([self.keys[: self.used], k[None]])  # good
                self.used += 1
                return self.keys[: self.used]

        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.key = nn.Linear(4, 4)

            def forward(self, x, cache):
                return cache.append(self.key(x)) @ x

        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = Attention()

            def forward(self, xs):
                cache = Cache(len(xs))
                scores = []
                for x in xs:
                    scores.append(self.attention(x, cache).sum())  # bad: IPL102
                    scores.append(self.attention(x, cache).sum())  # good
                return sum(scores)

        Decoder()([a, a, a]).backward()
    """,
    "a cache of another file, handed to a layer of a third": """
        from caches import Cache
        from layers import Attention

        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = Attention()

            def forward(self, xs):
                cache = Cache(len(xs))
                scores = []
                for x in xs:
                    cache = Cache(len(xs))  # good
                    scores.append(self.attention(x, cache).sum())  # bad: IPL102
                    scores.append(self.attention(x, cache).sum())  # good
                return sum(scores)

        Decoder()([a, a, a]).backward()
        # file: caches.py
        import torch

        class Cache:
            def __init__(self, length):
                self.keys = torch.zeros(length, 4)
                self.used = 0

            def put(self, k):
                self.keys[self.used] = k
                self.used += 1
                return self.keys[: self.used]
        # file: layers.py
        from torch import nn

        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.key = nn.Linear(4, 4)

            def forward(self, x, cache):
                return cache.put(self.key(x)) @ x
    """,
    "a part that works in place, given to a module that is only built": """
        class Gated(nn.Module):
            def __init__(self, act=nn.GELU):
                super().__init__()
                self.lin = nn.Linear(4, 4)
                self.act = act()

            def forward(self, x):
                gate = torch.tanh(self.lin(x))
                h = self.act(gate)  # bad: IPL101
                h = self.act(gate.clone())  # good
                return h * x

        def build():
            act = partial(nn.ReLU, inplace=True)
            return nn.Sequential(nn.LayerNorm(4), Gated(act=act))

        build()(a).sum().backward()
    """,
    "a module that works in place, given to one that is only built": """
        class Residual(nn.Module):
            def __init__(self, act):
                super().__init__()
                self.lin = nn.Linear(4, 4)
                self.act = act

            def forward(self, x):
                return x + self.act(torch.sigmoid(self.lin(x)))  # bad: IPL101
                return x + self.act(self.lin(x))  # good

        def build():
            return nn.Sequential(*[Residual(nn.ReLU(True)) for _ in range(2)])

        build()(a).sum().backward()
    """,
    "a helper that moves weights, called while gradients are recorded or not": """
        def follow(source, target):
            for s, t in zip(source.parameters(), target.parameters()):
                t.copy_(t * 0.9 + s * 0.1)  # bad: IPL103
                t.copy_(t * 0.9 + s * 0.1)  # good

        class Agent:
            def __init__(self):
                self.net, self.target = nn.Linear(4, 4), nn.Linear(4, 4)

            def learn(self, x):
                self.net(x).sum().backward()
                with torch.no_grad():  # good
                    follow(self.net, self.target)  # good
                follow(self.net, self.target)  # bad

        if __name__ == "__main__":
            Agent().learn(b)
    """,
}
