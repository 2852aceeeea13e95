"""Hazards that a method has for a subclass alone, which inherits it and swaps what it uses (see `forms`)."""

PROGRAMS = {
    "a method that the subclass has instead": """
        class ScaleNorm(nn.Module):
            def energy(self, x):
                raise NotImplementedError

            def forward(self, x):
                return x.mul_(torch.rsqrt(self.energy(x) + 1e-6))  # bad: IPL102
                return x * torch.rsqrt(self.energy(x) + 1e-6)  # good

        class RMSNorm(ScaleNorm):
            def energy(self, x):
                return x.pow(2).mean()

        (RMSNorm()(nn.Linear(4, 4)(a))).sum().backward()
    """,
    "a hook that the subclass fills": """
        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)

            def finish(self, x):
                return x

            def forward(self, x):
                return self.finish(torch.sigmoid(self.lin(x)))  # bad: IPL101
                return self.finish(self.lin(x))  # good

        class Shifted(Base):
            def finish(self, x):
                x += 1
                return x

        Shifted()(a).sum().backward()
    """,
    "a class attribute that the subclass swaps": """
        class Block(nn.Module):
            act = nn.ReLU()

            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)

            def forward(self, x):
                return self.act(torch.tanh(self.lin(x)))  # bad: IPL101
                return self.act(self.lin(x))  # good

        class Lean(Block):
            act = nn.ReLU(inplace=True)

        Lean()(a).sum().backward()
    """,
    "a class attribute that __init__ builds from": """
        class Block(nn.Module):
            act_layer = nn.ReLU

            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)
                self.act = self.act_layer()

            def forward(self, x):
                return self.act(torch.tanh(self.lin(x)))  # bad: IPL101
                return self.act(self.lin(x))  # good

        class Lean(Block):
            act_layer = partial(nn.ReLU, inplace=True)

        Lean()(a).sum().backward()
    """,
    "a module that the subclass's __init__ puts in place of another": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)
                self.act = nn.ReLU()

            def forward(self, x):
                return self.act(torch.tanh(self.lin(x)))  # bad: IPL101
                return self.act(self.lin(x))  # good

        class Lean(Block):
            def __init__(self):
                super().__init__()
                self.act = nn.ReLU(inplace=True)

        Lean()(a).sum().backward()
    """,
    "a class attribute by which the subclass's module keeps its result": """
        class Block(nn.Module):
            act = nn.GELU

            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)
                self.after = self.act()

            def features(self, x):
                return self.after(self.lin(x))

            def forward(self, x):
                y = self.features(x)
                y += x  # bad: IPL101
                y = y + x  # good
                return y

        class Squashed(Block):
            act = nn.Sigmoid

        Squashed()(a).sum().backward()
    """,
    "a method that a base class calls, with gradients or without": """
        class Observer(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("peak", torch.zeros(()))

            def observe(self, x):
                raise NotImplementedError

            def forward(self, x):
                with torch.no_grad():  # good
                    self.observe(x)  # good
                self.observe(x)  # bad
                return x

        class Peak(Observer):
            def observe(self, x):
                torch.maximum(self.peak, x.abs().max(), out=self.peak)  # bad: IPL107
                torch.maximum(self.peak, x.abs().max(), out=self.peak)  # good

        if __name__ == "__main__":
            Peak()(a * 2).sum().backward()
    """,
}
