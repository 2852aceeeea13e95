"""Where a gradient is likely to come; which paths there are, of words, flags and layers; who calls (`forms`)."""

PROGRAMS = {
    "a module's input is data, what its layer returned is not": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj, self.head = nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                x = self.proj(x)  # bad
                x = x - x.mean(1, keepdim=True)
                spread = x.std(dim=1, keepdim=True)
                x /= spread  # bad: IPL102
                x /= spread  # good
                return self.head(x)

        if __name__ == "__main__":
            Net()(torch.rand(3, 4)).sum().backward()
    """,
    "what a batch is made of is data where a model is trained": """
        def train(model, batches):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x in batches:
                spread = x.std(0)
                x = x / spread.clamp_(min=1e-3)
                out = model(x).tanh()
                out.mul_(2)  # bad: IPL101
                loss = (out * out).sum()
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            train(nn.Linear(4, 1), [torch.rand(3, 4)])
    """,
    "what an object was built with is a number": """
        class Prior(nn.Module):
            def __init__(self, tau):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.tau = tau

            def forward(self, x):
                scores = F.log_softmax(self.proj(x) / self.tau, dim=-1)  # bad
                scores = F.log_softmax(x.detach() / self.tau, dim=-1)  # good
                scores[:, 0] -= 20  # bad: IPL101
                scores[:, 0] -= 20  # good
                return (self.proj(x) * scores).sum()

        if __name__ == "__main__":
            Prior(2.0)(torch.rand(3, 4)).backward()
    """,
    "a flag that is off by default": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x, in_place=True):  # bad
            def forward(self, x, in_place=False):  # good
                x = self.proj(x).exp()
                if in_place:
                    x *= 2  # bad: IPL101
                    x *= 2  # good
                return x

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a number that is another one only where somebody asks for it": """
        class Gated(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x, scale=2.0, power: int = 1):  # bad
            def forward(self, x, scale=1.0, power: int = 2):  # good
                gate = torch.sigmoid(self.proj(x))
                if scale != 1.0:
                    gate /= scale  # bad: IPL101
                    gate /= scale  # good
                if power == 1:
                    gate += 1  # bad: IPL101
                    gate += 1  # good
                return gate

        if __name__ == "__main__":
            Gated()(b).sum().backward()
    """,
    "what is made of data is put into an object that is not known": """
        from types import SimpleNamespace

        def scaled(x):
            spread = x.std(dim=0)
            spread[spread < 0.1] = 1.0  # bad: IPL101
            spread[spread < 0.1] = 1.0  # good
            return x / spread  # bad
            return SimpleNamespace(spread=spread)  # good

        if __name__ == "__main__":
            rows = torch.rand(3, 4)
            scaled(rows.requires_grad_()).sum().backward()  # bad
            scaled(rows)  # good
    """,
    "one word decides on the activation and on the gate": """
        KINDS = {"relu": F.relu, "silu": F.silu}

        class Gated(nn.Module):
            def __init__(self, kind="relu"):
                super().__init__()
                self.proj, self.kind = nn.Linear(4, 4), KINDS[kind]
                self.gate = nn.Linear(4, 4) if kind != "silu" else None  # bad
                self.gate = nn.Linear(4, 4) if kind == "silu" else None  # good

            def forward(self, x):
                h = self.kind(self.proj(x))
                if self.gate is not None:
                    h.mul_(self.gate(x))  # bad: IPL101
                    h.mul_(self.gate(x))  # good
                return h

        if __name__ == "__main__":
            for kind in KINDS:
                Gated(kind)(b).sum().backward()
    """,
    "a loop over words meets each but once": """
        class Steps(nn.Module):
            def __init__(self, order="proj_act"):
                super().__init__()
                self.order = order
                self.proj, self.act = nn.Linear(4, 4), nn.ReLU(inplace=True)

            def forward(self, x):
                for step in self.order.split("_"):
                    if step == "act":
                        x = self.act(x)
                        x += 1  # bad: IPL101
                        x = x + 1  # good
                    elif step == "proj":
                        x = self.proj(x)
                return x

        if __name__ == "__main__":
            Steps()(b).sum().backward()
    """,
    "layers of which some are put into a list by a condition": """
        def projection(i, o):
            return nn.utils.parametrizations.weight_norm(nn.Linear(i, o))

        class Encoder(nn.Module):
            def __init__(self, first=4, sizes=(8, 8, 16)):
                super().__init__()
                self.steps = nn.ModuleList()
                for size in sizes:
                    if first != size:
                        self.steps.append(projection(first, size))
                        self.steps.append(nn.ReLU(inplace=True))
                        first = size
                    self.steps.append(nn.Tanh())
                self.steps.append(projection(first, 2))

            def forward(self, x):
                for step in self.steps:
                    x = step(x)
                    x *= 2  # bad: IPL101
                    x = x * 2  # good
                return x

        if __name__ == "__main__":
            Encoder()(torch.rand(3, 4)).sum().backward()
    """,
    "parameters that no longer require grad, after branches": """
        class Agent:
            def __init__(self):
                self.net, self.target = nn.Linear(4, 4), nn.Linear(4, 4)

            def follow(self, target, net):
                for old, new in zip(target.parameters(), net.parameters()):
                    old.detach_()  # good
                    old.copy_(old * 0.5 + new * 0.5)  # bad: IPL103
                    old.copy_(old * 0.5 + new.detach() * 0.5)  # good

            def step(self, x, seen, warm, ends):
                if seen is None:
                    x = x * 2
                if seen < warm and ends:
                    x = x + 1
                elif not ends or warm:
                    x = x - 1
                if not ends and seen > 3:
                    return
                self.net(x).sum().backward()
                self.follow(self.target, self.net)

        if __name__ == "__main__":
            agent = Agent()
            agent.step(b, 1, 2, True)
            agent.net(b).sum().backward()
    """,
    "weights that only somebody else loads, or that building loads": """
        class Unit(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.load(torch.zeros(4, 4))  # bad

            def load(self, weights):
                self.proj.weight.copy_(weights)  # bad: IPL103
                self.proj.weight.copy_(weights)  # good

        if __name__ == "__main__":
            unit = Unit()
            with torch.no_grad():
                unit.load(torch.zeros(4, 4))
            unit.proj(b).sum().backward()
    """,
    "an initialiser that a subclass calls, quietly or not": """
        class Mixer(nn.Module):
            def __init__(self):
                super().__init__()
                self.rate = nn.Parameter(torch.ones(4))

            def begin(self):
                self.rate.uniform_(0, 2)  # bad: IPL103
                self.rate.uniform_(0, 2)  # good

        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([Mixer() for _ in range(2)])

            def begin(self):
                for layer in self.layers:
                    layer.begin()

        class Model(Base):
            def __init__(self):
                super().__init__()
                self.begin()  # bad

            @torch.no_grad()  # good
            def begin(self):
                super().begin()

            def forward(self, x):
                return sum(layer.rate * x for layer in self.layers)

        if __name__ == "__main__":
            model = Model()
            model.begin()
            model(b).sum().backward()
    """,
    "a method that only evaluation calls": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                return self.proj(x)  # good
                return self.chances(x)  # bad

            def validate(self, x):
                with torch.no_grad():
                    return self.chances(x).log()

            def chances(self, x):
                p = self.proj(x).softmax(-1)
                p[0] = 1  # bad: IPL101
                p[0] = 1  # good
                return p

        if __name__ == "__main__":
            model = Model()
            model(b).sum().backward()
            model.validate(b)
    """,
    "what was computed before the last step is returned, or goes backward": """
        def adapt(model, x, y):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(2):
                out = model(x)
                opt.zero_grad()
                F.mse_loss(out, y).backward(retain_graph=True)  # bad
                F.mse_loss(out, y).backward()  # good
                first = model(x)
                opt.step()  # bad: IPL106
                opt.step()  # good
                first.sum().backward()  # bad
            return first

        if __name__ == "__main__":
            net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
            adapt(net, b, b).argmax()
    """,
    "a piece of each bias of a layer that is given": """
        def begin(rnn, bias):
            for name, p in rnn.named_parameters():
                if name.startswith("bias"):
                    h = p.shape[0] // 4
                    p[h : 2 * h] = bias  # bad: IPL103
                    p.data[h : 2 * h] = bias  # good

        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(4, 4)
                begin(self.rnn, 1.0)

            def forward(self, x):
                return self.rnn(x)[0]

        if __name__ == "__main__":
            Tagger()(torch.rand(2, 4)).sum().backward()
    """,
    "a copy of a given model whose weights were frozen at once": """
        import copy

        def train(build, batches):
            net = build()
            mean = copy.deepcopy(net).eval()  # bad
            mean = copy.deepcopy(net).eval().requires_grad_(False)  # good
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x in batches:
                opt.zero_grad()
                net(x).sum().backward()
                opt.step()
                for old, new in zip(mean.parameters(), net.parameters()):
                    old.copy_(new.detach().lerp(old, 0.5))  # bad: IPL103
                    old.copy_(new.detach().lerp(old, 0.5))  # good

        if __name__ == "__main__":
            train(lambda: nn.Linear(4, 1), [b])
    """,
}
