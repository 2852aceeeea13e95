"""What is not even possible: the good forms are silent at the lowest confidence too."""

PROGRAMS = {
    "layers of several kinds in one list, by their numbers": """
        def build(widths):
            layers = []
            for width in widths:
                if width == 0:
                    layers += [nn.MaxPool1d(1)]
                else:
                    layers += [nn.Linear(4, 4), nn.ReLU(inplace=True)]
            return layers

        class Net(nn.Module):
            def __init__(self, widths):
                super().__init__()
                self.layers = nn.ModuleList(build(widths))
                self.gate = nn.Linear(4, 4)

            def forward(self, x):
                for i in range(len(self.layers)):
                    x = self.layers[i](x)
                g = self.gate(x).exp()
                g += 1  # bad: IPL101
                g = g + 1  # good
                return x * g

        if __name__ == "__main__":
            Net([4, 0, 4, 4])(torch.ones(3, 4)).sum().backward()
        """,
    "modules that a Sequential of one's own is given under names that are put together": """
        from collections import OrderedDict

        class Layer(nn.Sequential):
            def __init__(self, n):
                super().__init__(OrderedDict([("proj", nn.Linear(n, n)), ("act", nn.ReLU())]))

            def forward(self, x):
                left, right = x[0], x[1]
                for part in self:
                    left = part(left)
                return [left * right, right]  # bad
                return [0.5 * (left + right), right]  # good

        class Block(nn.Sequential):
            def __init__(self, count, n):
                super().__init__()
                for i in range(count):
                    self.add_module(f"layer{i + 1}", Layer(n))

            def forward(self, x):
                for part in self:
                    x = part(x)
                return x

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.side, self.block = nn.Linear(4, 4), nn.Linear(4, 4), Block(3, 4)

            def forward(self, x):
                side = self.side(x)
                y, _ = self.block([self.first(x), side])
                side += 1  # bad: IPL102
                side += 1  # good
                return y * 2 + side

        Net()(b).sum().backward()
    """,
    "attention whose input is turned round before it is multiplied": """
        class Pool(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.query = nn.LayerNorm(4), nn.Parameter(torch.rand(2, 2, 4))
                self.attn = nn.MultiheadAttention(4, 2)  # bad
                self.attn = nn.MultiheadAttention(4, 2, batch_first=True)  # good

            def forward(self, x):
                x = self.norm(x)
                y = self.attn(self.query, x, x, need_weights=False)[0]
                x.mul_(2)  # bad: IPL102
                x.mul_(2)  # good
                return y + x.mean()

        Pool()(torch.rand(2, 2, 4)).sum().backward()
    """,
    "what hooks kept, each taken under its own name": """
        class Tap:
            def __init__(self, model, names):
                self.values = {}
                for name in names:
                    model.get_submodule(name).register_forward_hook(self.hook(name))

            def hook(self, name):
                def keep(module, args, out):
                    self.values[name] = out.clone()
                return keep

            def take(self):
                values, self.values = self.values, {}
                return values

        class Distill(nn.Module):
            def __init__(self, teacher, student, pairs):
                super().__init__()
                self.teacher, self.student, self.pairs = teacher.requires_grad_(False), student, pairs
                self.last = nn.Linear(4, 4)
                self.theirs, self.mine = Tap(teacher, pairs.values()), Tap(student, pairs.keys())

            def forward(self, x):
                self.teacher(x), self.student(x)
                theirs, mine, loss = self.theirs.take(), self.mine.take(), 0.0
                for own, other in self.pairs.items():
                    wanted = theirs[other]
                    loss = loss + F.mse_loss(self.last(mine[own]), wanted)  # bad
                    wanted.sub_(1)  # bad: IPL102
                    wanted.sub_(1)  # good
                    loss = loss + F.mse_loss(self.last(mine[own]), wanted)  # good
                return loss

        def net():
            return nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))

        if __name__ == "__main__":
            Distill(net(), net(), {"0": "0", "2": "2"})(b).backward()
    """,
    "an object that is handed on twice where nothing is recorded alone": """
        class Cache:
            def __init__(self, layers, count):
                self.keys, self.length = torch.zeros(layers, count, 4, 4), 0

            def append(self, layer, k):
                self.keys[layer, :, self.length] = k
                return self.keys[layer, :, : self.length + 1]

            def advance(self):
                self.length += 1

        class Attention(nn.Module):
            def __init__(self, index):
                super().__init__()
                self.key, self.index = nn.Linear(4, 4), index

            def forward(self, x, cache: Cache):
                k = self.key(x)
                return (k[:, None] * cache.append(self.index, k)).sum(1)

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([Attention(0), Attention(1)])

            def forward(self, x, cache):
                for layer in self.layers:
                    x = layer(x, cache)  # bad: IPL102
                    x = layer(x, cache)  # good
                cache.advance()
                return x

            @torch.no_grad()  # good
            def generate(self, x, steps):
                cache = Cache(len(self.layers), x.size(0))
                for _ in range(steps):
                    x = self(x, cache)  # bad: IPL102
                    x = self(x, cache)  # good
                return x

        Model().generate(torch.rand(2, 4), 3).sum().backward()  # bad
        Model().generate(torch.rand(2, 4), 3)  # good
    """,
}
