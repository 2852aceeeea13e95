"""Hazards that hang on what a value is: None, a number, an object of some class, a module as told (see `forms`)."""

PROGRAMS = {
    "what is None where it is asked": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x, mask=None):
                h = torch.relu(self.proj(x))
                if mask is not None:
                    h = h * mask
                mask = mask.squeeze(-1)  # good
                h += 1  # bad: IPL101
                h += 1  # good
                return h

        if __name__ == "__main__":
            Block()(b).sum().backward()  # bad
            Block()(b, torch.ones(4)).sum().backward()  # good
    """,
    "what is None where it is indexed": """
        def pooled(h, bias=None):
            h = torch.sigmoid(h * 2)
            if bias is not None:
                h = h.clone()
            h[0] = bias[0]  # good
            h[0] = 1  # bad: IPL101
            return h

        if __name__ == "__main__":
            pooled(a).sum().backward()  # bad
            pooled(a, b).sum().backward()  # good
    """,
    "what is None where it is called": """
        class Block(nn.Module):
            def __init__(self, norm=False):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.norm = nn.LayerNorm(4) if norm else None

            def forward(self, x):
                h = torch.sigmoid(self.proj(x))
                if self.norm is not None:
                    h = h * 2
                out = self.norm(x)  # good
                h += 1  # bad: IPL101
                h += 1  # good
                return h

        if __name__ == "__main__":
            Block()(b).sum().backward()  # bad
            Block(norm=True)(b).sum().backward()  # good
    """,
    "a subclass of a module of torch that passes its flag on": """
        class Noise(nn.Dropout):
            def forward(self, x):
                return F.dropout(x, self.p, True, self.inplace)

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.drop = Noise(0.5, inplace=True)  # bad
                self.drop = Noise(p=0.5)  # good

            def forward(self, x):
                return self.drop(torch.sigmoid(self.proj(x)))  # bad: IPL101
                return self.drop(torch.sigmoid(self.proj(x)))  # good

        Block()(b).sum().backward()
    """,
    "a class told by its instances": """
        class Plain(nn.Linear):
            pass

        class Gated(nn.Linear):
            pass

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = Gated(4, 4)  # bad
                self.proj = Plain(4, 4)  # good

            def forward(self, x):
                h = torch.sigmoid(self.proj(x))
                if isinstance(self.proj, (Gated, nn.Conv2d)):
                    h += 1  # bad: IPL101
                    h += 1  # good
                return h

        Block()(b).sum().backward()
    """,
    "a module that is told to work in place later": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj, self.act = nn.Linear(4, 4), nn.ReLU()

            def forward(self, x):
                return self.act(torch.sigmoid(self.proj(x)))  # bad: IPL101
                return self.act(torch.sigmoid(self.proj(x)))  # good

        net = Block()
        net.act.inplace = True  # bad
        net.act.inplace = False  # good
        net(b).sum().backward()
    """,
    "a module that is told not to work in place": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj, self.act = nn.Linear(4, 4), nn.ReLU(inplace=True)

            def forward(self, x):
                if self.act.inplace:
                    h = torch.sigmoid(self.proj(x))  # bad
                    h = self.proj(x)  # good
                else:
                    h = torch.sigmoid(self.proj(x))
                return self.act(h)  # bad: IPL101
                return self.act(h)  # good

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a module told by its type": """
        class Gate(nn.Sigmoid):
            pass

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(4, 4), Gate(), nn.ReLU()])

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                    if type(layer) is Gate:  # bad
                    if type(layer) is nn.Sigmoid:  # good
                        x += 1  # bad: IPL101
                        x += 1  # good
                    elif isinstance(layer, nn.modules.conv._ConvNd) or issubclass(type(layer), nn.Tanh):
                        x *= 2
                return x

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a tensor told from those of a class of one's own": """
        class Shared(torch.Tensor):
            pass

        def shared(given, value):
            if isinstance(given, Shared):
                result = given
            else:
                result = given.clone()
            return result.add_(value)

        h = torch.zeros(()).expand(4)
        h.add_(1)  # bad: IPL105
        h = shared(h, 1.0)  # good
        (a * h).sum().backward()
    """,
    "a power whose exponent may be a number": """
        class Weighing(nn.Module):
            def __init__(self, p):
                super().__init__()
                self.p, self.proj = p, nn.Linear(4, 4)

            def forward(self, x):
                h = torch.relu(self.proj(x))
                w = torch.pow(h, 1 - 0.5 * self.p)
                h += 1  # bad: IPL101
                w[w < 0.1] = 0.1  # good
                return w

        if __name__ == "__main__":
            Weighing(0.5)(b).sum().backward()
    """,
    "an activation given by name, as a maker or as a class": """
        import inspect
        import types

        def made(activation):
            if inspect.isfunction(activation):
                return activation()
            elif inspect.isclass(activation):
                return activation(1)
            elif isinstance(activation, str):
                return nn.ReLU()
            else:
                return nn.Sigmoid() if callable(activation) else nn.Identity()

        class Block(nn.Module):
            def __init__(self, maker=lambda: nn.PReLU(), name="relu"):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.first = made(name)  # bad
                self.first = made(maker)  # good
                self.second = made(nn.ReLU())  # bad
                self.second = made(nn.PReLU)  # good
                self.third = made(None)

            def forward(self, x):
                h = self.first(self.proj(x))
                h += 1  # bad: IPL101
                h += 1  # good
                if not isinstance(self.second, types.FunctionType):
                    x = self.third(self.second(self.proj(x)))
                x *= 2  # bad: IPL101
                x *= 2  # good
                return h + x

        Block()(b).sum().backward()
    """,
    "an activation that has another name by default, or has to be named": """
        def made(name):
            if name is None:
                return nn.Identity()
            if name == "sigmoid":
                return nn.Sigmoid()
            elif name == "silu":
                return nn.SiLU()
            return nn.Softplus()

        class Block(nn.Module):
            def __init__(self, last, first="sigmoid", second="sigmoid"):  # bad
            def __init__(self, last, first="silu", second=None):  # good
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.first, self.second, self.last = made(first), made(second), made(last)

            def forward(self, x):
                h = self.first(self.proj(x))
                h += 1  # bad: IPL101
                h += 1  # good
                y = self.second(self.proj(x))
                y *= 2  # bad: IPL101
                y *= 2  # good
                z = self.last(self.proj(x))
                z -= 3
                return h + y + z

        if __name__ == "__main__":
            Block("silu")(b).sum().backward()
    """,
    "what counts elements needs no gradient": """
        class Hold(nn.Module):
            def forward(self, lengths: torch.Tensor, total: torch.Tensor, x):
                lengths = lengths.relu()
                lengths[0] = total  # bad: IPL101
                lengths[0] = total  # good
                return x * lengths.max()  # bad
                return x[: lengths.max()]  # good

        if __name__ == "__main__":
            Hold()(b * a, torch.tensor(2.0), a).sum().backward()  # bad
            Hold()(torch.tensor([2, 1]), torch.tensor(2), a).sum().backward()  # good
    """,
    "what a loop counts to needs no gradient": """
        class Repeat(nn.Module):
            def forward(self, count: torch.Tensor, x):
                count = count.relu()
                count -= 1  # bad: IPL101
                count -= 1  # good
                out = x * count
                for _ in range(count):  # good
                    out = out * 2  # good
                return out

        if __name__ == "__main__":
            Repeat()(a.sum() * 2, a).sum().backward()  # bad
            Repeat()(torch.tensor(3), a).sum().backward()  # good
    """,
    "a pair, where an option asks for one": """
        class Net(nn.Module):
            def __init__(self, both):
                super().__init__()
                self.both, self.lin = both, nn.Linear(4, 4)

            def step(self, x):
                h = self.lin(x)
                if self.both:
                    return h, h.exp()  # bad
                    return h, h * 2  # good
                return h

            def forward(self, x):
                first, second = self.step(x)
                second += 1  # bad: IPL101
                second += 1  # good
                return first + second

        if __name__ == "__main__":
            Net(True)(b).sum().backward()
    """,
    "lists that a cache holds, under a name that is put together": """
        def kept(cache, name):
            key = "{}.{}".format("net", name)
            if cache is None or key not in cache:
                return None
            return cache[key]

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.cell, self.act = nn.LSTMCell(4, 4), nn.Linear(4, 4)

            def forward(self, x, encoded, cache=None):
                found = kept(cache, "states")
                if found is not None:
                    hidden, cells = found
                else:
                    hidden, cells = [encoded[i] for i in range(2)], [encoded[i] for i in range(2)]
                given = self.act(x)
                for i in range(2):
                    out, cell = self.cell(given.sin(), (hidden[i], cells[i]))
                    given += 1  # bad: IPL102
                    given = given + 1  # good
                    hidden[i], cells[i] = out, cell
                if cache is not None:
                    cache["net.states"] = hidden, cells
                return hidden[0] + cells[1] + given

        if __name__ == "__main__":
            net, cache = Net(), {}
            net(torch.rand(2, 4), torch.rand(2, 2, 4), cache).sum().backward()
            net(torch.rand(2, 4), None, {"net.states": cache["net.states"]})
    """,
}
