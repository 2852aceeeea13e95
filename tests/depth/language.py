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

        class Left(Base):
            pass

        class Right(Base):
            inplace = True  # bad
            inplace = False  # good

        class Both(Left, Right):
            def forward(self, x):
                return self.act(torch.sigmoid(self.proj(x)))  # bad: IPL101
                return self.act(torch.sigmoid(self.proj(x)))  # good

        Both()(b).sum().backward()
    """,
    "a class method whose class has another name": """
        class Block(nn.Module):
            def __init__(self, act):
                super().__init__()
                self.proj, self.act = nn.Linear(4, 4), act

            @classmethod
            def make(kind):
                return kind(nn.ReLU(inplace=True))  # bad
                return kind(nn.ReLU())  # good

            @staticmethod
            def squash(self):
                return torch.sigmoid(self)

            def forward(self, x):
                return self.act(self.squash(self.proj(x)))  # bad: IPL101
                return self.act(self.squash(self.proj(x)))  # good

        Block.make()(b).sum().backward()
    """,
    "a context that marks what it writes": """
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)
                return x.mul_(2)

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        h = torch.sigmoid(a)  # bad
        h = torch.neg(a)  # good
        y = Twice.apply(h)  # bad: IPL101
        y = Twice.apply(h)  # good
        y.sum().backward()
    """,
    "behind a context that marks what it writes": """
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.mul_(2)
                ctx.mark_dirty(x)
                return x

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        h = torch.neg(a)
        y = torch.sigmoid(Twice.apply(h))
        y += 1  # bad: IPL101
        y = y + 1  # good
        y.sum().backward()
    """,
    "a head tied to an embedding": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.emb = nn.Embedding(8, 4)
                self.head = nn.Linear(4, 8, bias=False)
                self.head.weight = self.emb.weight

            def forward(self, ids):
                return self.head(self.emb(ids))

        model = Model()
        out = model(torch.tensor([1, 2]))
        with torch.no_grad():
            model.emb.weight.mul_(2)  # bad: IPL102
            model.emb.weight.mul(2)  # good
        out.sum().backward()
    """,
    "a closure that is called again after each step": """
        net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        opt = torch.optim.LBFGS(net.parameters(), max_iter=4)
        target = net(b)  # bad
        target = net(b).detach()  # good

        def closure():
            opt.zero_grad()
            loss = (net(b) - target).square().sum() + net(b * 2).square().sum()
            loss.backward(retain_graph=True)
            return loss

        opt.step(closure)  # bad: IPL106
        opt.step(closure)  # good
    """,
    "a sequence of modules with names": """
        from collections import OrderedDict

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(OrderedDict(
                    proj=nn.Linear(4, 4),
                    gate=nn.Sigmoid(),
                    act=nn.ReLU(inplace=True),  # bad
                    act=nn.ReLU(),  # good
                ))

            def forward(self, x):
                return self.net(x)  # bad: IPL101
                return self.net(x)  # good

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a sequence of modules with names, in pairs": """
        from collections import OrderedDict

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(OrderedDict([
                    ("proj", nn.Linear(4, 4)),
                    ("gate", nn.Sigmoid()),
                    ("act", nn.ReLU(inplace=True)),  # bad
                    ("act", nn.ReLU()),  # good
                ]))

            def forward(self, x):
                return self.net(x)  # bad: IPL101
                return self.net(x)  # good

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a sequence of modules with names, one by one": """
        import collections

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                layers = collections.OrderedDict()
                layers["proj"] = nn.Linear(4, 4)
                layers["gate"] = nn.Sigmoid()
                layers["act"] = nn.ReLU(inplace=True)  # bad
                layers["act"] = nn.ReLU()  # good
                self.net = nn.Sequential(layers)

            def forward(self, x):
                return self.net(x)  # bad: IPL101
                return self.net(x)  # good

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a module of a sequence by its name": """
        from collections import OrderedDict

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(OrderedDict(proj=nn.Linear(4, 4), gate=nn.Sigmoid()))

            def forward(self, x):
                h = self.net.gate(self.net.proj(x))
                h += 1  # bad: IPL101
                h = h + 1  # good
                return h

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a module added with a comma left over": """
        class Norm(nn.Module):
            def __init__(self):
                super().__init__()
                self.add_module("norm", nn.BatchNorm1d(4)),
                self.add_module("proj", nn.Linear(4, 4)),

            def forward(self, xs):
                h = torch.cat(xs)
                y = self.proj(self.norm(h))
                h.clamp_(min=0)  # bad: IPL102
                h = h.clamp(min=0)  # good
                return y

        if __name__ == "__main__":
            Norm()([torch.stack([a, b])]).sum().backward()
    """,
}
