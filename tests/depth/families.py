"""Hazards spread over files, factories and families of classes: each holds a bad and a good form (see `forms`)."""

PROGRAMS = {
    "a writer of another file, called where nothing else is written": """
        from cleaning import blank

        class Scores(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)

            def forward(self, x):
                s = torch.tanh(self.lin(x))
                blank(s, x)  # bad: IPL101
                s = self.lin(s)
                blank(s, x)  # good
                return s

        Scores()(a).sum().backward()
        # file: cleaning.py
        def blank(t, x):
            t.masked_fill_(x > 0, 0.0)
    """,
    "a method of another file's class, called where nothing else is written": """
        from memory import Memory

        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.memory = Memory()

            def forward(self, x):
                out = self.memory(x)  # bad
                self.memory.keep(x)  # bad: IPL102
                self.memory.keep(x)  # good
                out = self.memory(x)  # good
                return out

        Reader()(a).sum().backward()
        # file: memory.py
        import torch
        from torch import nn

        class Memory(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("rows", torch.ones(4))

            def forward(self, x):
                return x * self.rows

            @torch.no_grad()
            def keep(self, x):
                self.rows.lerp_(x, 0.5)
    """,
    "a factory that is told by name what to build": """
        def squash(name, inplace=False):
            name = name.strip().lower()
            if name.startswith("sig"):
                return nn.Sigmoid()
            if name == "leaky":
                return nn.LeakyReLU(0.1, inplace=inplace)
            return nn.Tanh()

        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)
                self.act = squash("Sigmoid ")  # bad
                self.act = squash("Leaky ")  # good

            def forward(self, x):
                y = self.act(self.lin(x))
                y -= 0.5  # bad: IPL101
                y -= 0.5  # good
                return y

        Head()(a).sum().backward()
    """,
    "a class that is torch's Sequential": """
        class Squash(nn.Sequential):
            def __init__(self, dim):
                super().__init__(nn.Linear(dim, dim), nn.Sigmoid())

        class Plain(nn.Sequential):
            def __init__(self, dim):
                layers = [nn.Linear(dim, dim), nn.GELU()]
                super(Plain, self).__init__(*layers)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = Squash(4)  # bad
                self.first = Plain(4)  # good

            def forward(self, x):
                y = self.first(x)
                y += x  # bad: IPL101
                y += x  # good
                return y

        Net()(a).sum().backward()
    """,
    "a Sequential that runs its own modules": """
        class Stack(nn.Sequential):
            def __init__(self):
                super().__init__()
                self.add_module("lin", nn.Linear(4, 4))
                self.act = nn.Tanh()  # bad
                self.act = nn.SiLU()  # good

            def forward(self, x):
                for module in self:
                    x = module(x)
                y = super().forward(x)
                y *= 2  # bad: IPL101
                y *= 2  # good
                return y

        Stack()(a).sum().backward()
    """,
    "the weight of a class that is torch's Linear": """
        class Clipped(nn.Linear):
            @torch.no_grad()  # good
            def clip(self):
                self.weight.clamp_(-1, 1)  # bad: IPL103
                self.weight.clamp_(-1, 1)  # good

        layer = Clipped(4, 4)
        layer.clip()
        layer(a).sum().backward()
    """,
    "what a class that is torch's Sigmoid returns": """
        class Gate(nn.Sigmoid):
            def forward(self, x):
                y = super().forward(x)  # bad
                y = x - 0.5  # good
                y += 1  # bad: IPL101
                y += 1  # good
                return y

        Gate()(a * 2).sum().backward()
    """,
    "a hook that the module itself registers": """
        class Tower(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)
                self.act = nn.Sigmoid()
                self.act.register_forward_hook(self.damp)  # bad
                self.lin.register_forward_hook(self.damp)  # good

            @staticmethod
            def damp(module, given, result):
                result.mul_(0.5)

            def forward(self, x):
                return self.act(self.lin(x)).sum()  # bad: IPL101
                return self.act(self.lin(x)).sum()  # good

        Tower()(a).backward()
    """,
    "an array attribute that a tensor shares": """
        import numpy

        class Replay:
            def __init__(self):
                self.rows = numpy.ones(4, dtype=numpy.float32)

            def learn(self, weight, row):
                seen = torch.from_numpy(self.rows)  # bad
                seen = torch.from_numpy(self.rows.copy())  # good
                loss = (seen * weight).sum()
                self.rows[0] = row  # bad: IPL202
                self.rows[0] = row  # good
                loss.backward()

        Replay().learn(a, 3.0)
    """,
    "loading between a forward and its backward": """
        def probe(model, x):
            kept = {name: value.clone() for name, value in model.state_dict().items()}
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model(x).sum().backward()
            optimizer.step()
            loss = model(x).sum()
            model.load_state_dict(kept)  # bad: IPL106
            loss.backward()
            model.load_state_dict(kept)  # good

        probe(nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)), a)
    """,
    "parameters replaced by a vector's pieces": """
        from torch.nn.utils import parameters_to_vector, vector_to_parameters

        def shake(model, x):
            loss = model(x).sum()
            flat = parameters_to_vector(model.parameters()).detach()
            loss.backward()  # good
            vector_to_parameters(flat + 0.5, model.parameters())  # bad: IPL201
            vector_to_parameters(flat + 0.5, model.parameters())  # good
            loss.backward()  # bad

        shake(nn.Sequential(nn.Conv1d(4, 2, 1), nn.Tanh(), nn.Conv1d(2, 1, 1)), a.reshape(1, 4, 1))
    """,
    "what is made a leaf of a copy of an argument": """
        def optimise(start, steps):
            image = start.clone().requires_grad_(True)
            optimizer = torch.optim.SGD([image], lr=0.1)
            for _ in range(steps):
                with torch.no_grad():  # good
                    image.clamp_(0, 1)  # good
                image.clamp_(0, 1)  # bad: IPL103
                loss = (image * b).sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return image

        optimise(torch.ones(4), 2)
        a.sum().backward()
    """,
    "the last of a list of modules that a loop fills": """
        class Decoder(nn.Module):
            def __init__(self, sizes):
                super().__init__()
                layers = []
                for size in sizes:
                    layers.append(nn.Linear(4, 4))
                    layers.append(nn.ReLU())
                layers.append(nn.Sigmoid())  # bad
                layers.append(nn.Linear(4, 4))  # good
                self.net = nn.Sequential(*layers)

            def forward(self, x):
                y = self.net(x)
                y *= 2  # bad: IPL101
                y *= 2  # good
                return y

        Decoder([4, 4])(a).sum().backward()
    """,
    "a list of modules that grows by pairs": """
        class Stack(nn.Sequential):
            def __init__(self, sizes):
                layers = []
                for i, size in enumerate(sizes):
                    layers += [nn.Linear(4, size), nn.Tanh()]  # bad
                    layers += [nn.Linear(4, size), nn.GELU()]  # good
                super().__init__(*layers)

        class Net(nn.Module):
            def __init__(self, sizes):
                super().__init__()
                self.stack = Stack(sizes)

            def forward(self, x):
                y = self.stack(x)
                y += x  # bad: IPL101
                y += x  # good
                return y

        Net([4, 4])(a).sum().backward()
    """,
    "a Sequential whose first module works in place": """
        class Late(nn.Sequential):
            def __init__(self):
                super().__init__()
                self.add_module("act", nn.ReLU(inplace=True))
                self.add_module("lin", nn.Linear(4, 4))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)
                self.late = Late()

            def forward(self, x):
                gate = torch.sigmoid(self.lin(x))  # bad
                gate = self.lin(x)  # good
                return self.late(gate)  # bad: IPL101
                return self.late(gate)  # good

        Net()(a).sum().backward()
    """,
    "a tensor given to a module that is an argument": """
        def step(model, x):
            loss = model(x).sum()
            x.sub_(0.5)  # bad: IPL102
            loss.backward()
            x.sub_(0.5)  # good

        step(nn.Linear(4, 1), torch.ones(4))
        a.sum().backward()
    """,
    "values that a fused kernel reads as they lie": """
        class Attend(nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv = nn.Linear(16, 48)

            def forward(self, x):
                qkv = self.qkv(x).reshape(2, 5, 3, 2, 8).permute(2, 0, 3, 1, 4)
                q, k, v = qkv[0], qkv[1], qkv[2]
                y = F.scaled_dot_product_attention(q, k, v)
                v.mul_(2)  # bad: IPL102
                v = v.mul(2)  # good
                return y

        Attend()(torch.ones(2, 5, 16)).sum().backward()
    """,
}
