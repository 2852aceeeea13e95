"""Hazards behind a call that is not written as one, or that changes what its object holds (see `forms`)."""

PROGRAMS = {
    "a method that keeps its state, called twice": """
        class Scorer(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.register_buffer("last", torch.zeros(4))

            def score(self, x):
                self.last.copy_(x.detach())  # bad
                last = x.detach().clone()  # good
                last = self.last  # bad
                return (self.proj(x) * last).sum()

            def forward(self, x, y):
                return self.score(x) + self.score(y)  # bad: IPL102
                return self.score(x) + self.score(y)  # good

        if __name__ == "__main__":
            Scorer()(b, b * 2).backward()
    """,
    "a plain object that is called": """
        class Clip:
            def __init__(self, limit):
                self.limit = limit

            def __call__(self, h):
                h.clamp_(max=self.limit)  # bad
                h = h.clamp(max=self.limit)  # good
                return h

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.clip = Clip(0.4)

            def forward(self, x):
                return self.clip(torch.sigmoid(self.proj(x)))  # bad: IPL101
                return self.clip(torch.sigmoid(self.proj(x)))  # good

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
    "a write in a method of another object": """
        class Monitor:
            def __init__(self):
                self.total = 0

            def record(self, h):
                self.total += 1
                h.mul_(0.5)  # bad
                self.kept = h * 0.5  # good

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.monitor = Monitor()

            def forward(self, x):
                h = torch.sigmoid(self.proj(x))
                self.monitor.record(h)  # bad: IPL101
                self.monitor.record(h)  # good
                return h

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
    "a decorator that wraps": """
        import functools

        def logged(fn):
            @functools.wraps(fn)
            def wrapper(*args, **kwargs):
                return fn(*args, **kwargs)

            return wrapper

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            @logged
            def forward(self, x):
                h = torch.sigmoid(self.proj(x))
                h += 1  # bad: IPL101
                h = h + 1  # good
                return h

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
    "a context manager that swaps parameters": """
        from contextlib import contextmanager

        @contextmanager
        def averaged(net, others):
            with torch.no_grad():
                for p, other in zip(net.parameters(), others):
                    p.copy_(other)
            yield

        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        others = [p.detach() * 0.9 for p in net.parameters()]
        loss = net(b).sum()
        loss.backward()  # good
        with averaged(net, others):  # bad: IPL102
        with averaged(net, others):  # good
            held = net(b).sum().detach()
        loss.backward()  # bad
    """,
    "weights clipped between forward and backward": """
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            loss = net(b).sum()
            opt.zero_grad()
            loss.backward()  # good
            for p in net.parameters():
                p.data.clamp_(-0.1, 0.1)  # bad: IPL201
                p.data.clamp_(-0.1, 0.1)  # good
            loss.backward()  # bad
            opt.step()
    """,
    "a generator that refills a buffer": """
        def batches():
            buffer = torch.zeros(4)
            for i in range(3):
                buffer.fill_(i + 1.0)  # bad
                buffer = torch.full((4,), i + 1.0)  # good
                yield buffer

        total = 0
        for x in batches():  # bad: IPL102
        for x in batches():  # good
            total = total + (a * x).sum()
        total.backward()
    """,
    "a field of a dataclass": """
        from dataclasses import dataclass

        @dataclass
        class State:
            hidden: torch.Tensor
            count: int = 0

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                state = State(hidden=torch.sigmoid(self.proj(x)))
                state.hidden += 1  # bad: IPL101
                state.hidden = state.hidden + 1  # good
                return state.hidden

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
    "a sibling closure": """
        def train(x):
            def scale(h):
                return h.mul_(2)  # bad
                return h * 2  # good

            def forward(h):
                h = torch.sigmoid(h)
                return scale(h)  # bad: IPL101
                return scale(h)  # good

            return forward(x).sum()

        train(a).backward()
    """,
    "a helper that returns several tables": """
        class Rotary(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def tables(self, x):
                cos, sin = torch.cos(x), torch.sin(x)
                return cos, sin

            def forward(self, x):
                h = self.proj(x)
                cos, sin = self.tables(h)
                out = h * cos
                cos += sin  # bad: IPL102
                cos = cos + sin  # good
                return out * sin

        if __name__ == "__main__":
            Rotary()(b).sum().backward()
    """,
    "a sum that only `+=` proves": """
        class Pool(nn.Module):
            def __init__(self, parts):
                super().__init__()
                self.parts = nn.ModuleList(nn.Linear(4, 4) for _ in range(parts))

            def forward(self, x):
                acc = 0
                for part in self.parts:
                    f = torch.sigmoid(part(x))
                    acc += f
                out = acc * acc
                acc += 1  # bad: IPL102
                acc = acc + 1  # good
                return out * acc

        if __name__ == "__main__":
            Pool(2)(b).sum().backward()
    """,
    "a write in a property": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.hidden = None

            @property
            def normed(self):
                self.hidden /= 2  # bad
                self.hidden = self.hidden / 2  # good
                return self.hidden

            def forward(self, x):
                self.hidden = torch.sigmoid(self.proj(x))
                return self.normed * 2  # bad: IPL101
                return self.normed * 2  # good

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
    "a function that is applied to each module": """
        def shrink(module):
            if isinstance(module, nn.Linear):
                module.weight.data.mul_(0.5)

        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        loss = net(b).sum()
        loss.backward()  # good
        net.apply(shrink)  # bad: IPL201
        net.apply(shrink)  # good
        loss.backward()  # bad
    """,
    "a hook that is an object": """
        class Halve:
            def __call__(self, module, args, output):
                output.mul_(0.5)  # bad
                return output * 0.5  # good

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj, self.gate = nn.Linear(4, 4), nn.Sigmoid()
                self.gate.register_forward_hook(Halve())

            def forward(self, x):
                return self.gate(self.proj(x))  # bad: IPL101
                return self.gate(self.proj(x))  # good

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
    "a decorator with options that wraps": """
        from functools import wraps

        def logged(level):
            def decorate(fn):
                @wraps(fn)
                def wrapper(*args, **kwargs):
                    if level > 1:
                        print(level)
                    return fn(*args, **kwargs)

                return wrapper

            return decorate

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            @logged(level=1)
            def forward(self, x):
                h = torch.sigmoid(self.proj(x))
                h += 1  # bad: IPL101
                h = h + 1  # good
                return h

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
    "a decorator that switches gradients off": """
        from functools import wraps

        def plain(fn):
            @wraps(fn)
            def wrapper(*args, **kwargs):
                with torch.no_grad():  # good
                if True:  # bad
                    return fn(*args, **kwargs)

            return wrapper

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            @plain
            def features(self, x):
                h = torch.sigmoid(self.proj(x))
                h += 1  # bad: IPL101
                h += 1  # good
                return h

            def forward(self, x):
                return self.proj(self.features(x))

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
}
