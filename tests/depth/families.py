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
}
