"""Hazards behind a form of Python: how its names, classes, calls and loops run (see `forms`)."""

PROGRAMS = {
    "behind a loop that counts": """
        k = 0
        while k < 3:
            k += 1
        h = torch.sigmoid(a)
        h.zero_()  # bad: IPL101
        h = h * 0  # good
        h.sum().backward()
    """,
    "behind a loop that counts down and builds": """
        layers, left = [], 2
        while left > 0:
            layers.append(nn.Linear(4, 4))
            left -= 1
        net = nn.Sequential(*layers)
        h = torch.tanh(net(b))
        h += 1  # bad: IPL101
        h = h + 1  # good
        h.sum().backward()
    """,
    "in a loop that counts": """
        h, k = a, 0
        while k < 3:
            h = torch.sigmoid(h)
            h.mul_(2)  # bad: IPL101
            h = h.mul(2)  # good
            k += 1
        h.sum().backward()
    """,
    "where a count of rounds has grown": """
        k, h = 0, torch.sigmoid(a)
        for _ in range(9):
            k += 1
        if k > 5:
            h.zero_()  # bad: IPL101
            h = h * 0  # good
        h.sum().backward()
    """,
    "a receiver of another name": """
        class Block(nn.Module):
            def __init__(this):
                super().__init__()
                this.proj = nn.Linear(4, 4)
                this.gate = nn.Sigmoid()
                this.act = nn.ReLU(inplace=True)  # bad
                this.act = nn.ReLU()  # good

            def forward(this, x):
                return this.act(this.gate(this.proj(x)))  # bad: IPL101
                return this.act(this.gate(this.proj(x)))  # good

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a receiver of another name, modules in a list": """
        class Block(nn.Module):
            def __init__(me):
                super().__init__()
                me.layers = nn.ModuleList()
                me.layers.append(nn.Linear(4, 4))
                me.layers.append(nn.Sigmoid())
                me.layers.append(nn.ReLU(inplace=True))  # bad
                me.layers.append(nn.ReLU())  # good

            def forward(me, x):
                for layer in me.layers:
                    x = layer(x)  # bad: IPL101
                    x = layer(x)  # good
                return x

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a diamond, one side works in place": """
        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def finish(self, h):
                return h + 1

        class Left(Base):
            def forward(self, x):
                return self.finish(torch.sigmoid(self.proj(x)))  # bad: IPL101
                return self.finish(torch.sigmoid(self.proj(x)))  # good

        class Right(Base):
            def finish(self, h):
                return h.add_(1)

        class Both(Left, Right):  # bad
        class Both(Left, Base):  # good
            pass

        if __name__ == "__main__":
            Both()(b).sum().backward()
    """,
    "a diamond whose super() goes sideways": """
        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def act(self, h):
                return h

        class Left(Base):
            def act(self, h):
                return super().act(torch.sigmoid(h))  # bad: IPL101
                return super().act(torch.sigmoid(h))  # good

        class Right(Base):
            def act(self, h):
                h += 1  # bad
                h = h + 1  # good
                return super().act(h)

        class Both(Left, Right):
            def forward(self, x):
                return self.act(self.proj(x))

        Both()(b).sum().backward()
    """,
    "a diamond whose attribute of the class differs": """
        class Base(nn.Module):
            inplace = False  # bad
            inplace = True  # good

            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.act = nn.ReLU(self.inplace)

            def forward(self, x):
                return self.act(torch.sigmoid(self.proj(x)))  # bad: IPL101
                return self.act(torch.sigmoid(self.proj(x)))  # good

        class Left(Base):
            pass

        class Right(Base):
            inplace = True  # bad
            inplace = False  # good

        class Both(Left, Right):
            pass

        Both()(b).sum().backward()
    """,
}
