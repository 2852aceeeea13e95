"""Networks that are told what to build their layers of, and outputs that are records (see `forms`)."""

PROGRAMS = {
    "a network whose blocks the file's builders choose": """
        class Plain(nn.Module):
            widen = 1

            def __init__(self, width):
                super().__init__()
                self.lin = nn.Linear(width, width)
                self.act = nn.ReLU(inplace=True)

            def forward(self, x):
                return self.act(self.lin(x) + x)

        class Gated(nn.Module):
            widen = 2

            def __init__(self, width):
                super().__init__()
                self.lin, self.gate = nn.Linear(width, width), nn.Linear(width, width)

            def forward(self, x):
                return self.lin(x) * torch.sigmoid(self.gate(x))

        class Net(nn.Module):
            def __init__(self, block, depths, width=4):
                super().__init__()
                self.first = self._stage(block, depths[0], width)
                self.second = self._stage(block, depths[1], width)

            def _stage(self, block, depth, width):
                layers = [block(width)]
                for _ in range(1, depth):
                    layers.append(block(width))
                return nn.Sequential(*layers)

            def forward(self, x):
                x = self.first(x)
                x.masked_fill_(x > 0.5, 0.0)  # bad: IPL101
                x = x.masked_fill(x > 0.5, 0.0)  # good
                return self.second(x)

        def _net(block, depths, **kwargs):
            return Net(block, depths, **kwargs)

        def plain4(**kwargs):
            return _net(Plain, [2, 2], **kwargs)

        def gated6(**kwargs):
            return _net(Gated, [3, 3], **kwargs)

        if __name__ == "__main__":
            plain4()(torch.rand(2, 4)).sum().backward()
    """,
    "blocks that stand in a dictionary of options": """
        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.lin = nn.Linear(width, width)

            def forward(self, x):
                return torch.tanh(self.lin(x))

        class Net(nn.Module):
            def __init__(self, block, width):
                super().__init__()
                self.body = block(width)

            def forward(self, x):
                x = self.body(x)
                x += 1  # bad: IPL101
                x = x + 1  # good
                return x

        def create(options):
            return Net(**options)

        def small(**kwargs):
            return create({**dict(block=Block, width=4), **kwargs})

        if __name__ == "__main__":
            small()(torch.rand(2, 4)).sum().backward()
    """,
    "a record that a decorator makes of a class below one with a constructor": """
        from collections import OrderedDict
        from dataclasses import dataclass, fields

        class Outputs(OrderedDict):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                if not fields(self):
                    raise TypeError("no fields")

            def to_tuple(self):
                return tuple(getattr(self, one.name) for one in fields(self))

        @dataclass
        class Hidden(Outputs):
            last: torch.Tensor = None
            pooled: torch.Tensor = None

        class Body(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(8, 4)

            def forward(self, ids):
                h = self.embed(ids)
                return Hidden(last=h, pooled=h.mean(1))

        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = Body()
                self.out = nn.Linear(4, 8)

            def forward(self, ids):
                found = self.body(ids)
                hidden = found.last
                logits = self.out(hidden)
                hidden[..., 0] = 0.0  # bad: IPL102
                hidden = hidden.clone()  # good
                hidden[..., 0] = 0.0  # good
                return logits, hidden

        if __name__ == "__main__":
            sum(one.sum() for one in Head()(torch.zeros(2, 3, dtype=torch.long))).backward()
    """,
}
