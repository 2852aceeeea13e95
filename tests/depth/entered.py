"""Files of models without a loop that trains: what they return is for the loop of another file (see `forms`)."""

PROGRAMS = {
    "a rollout that is given the policy and its memory": """
        class State:
            def __init__(self, n, size):
                self.h = torch.zeros(n, size)

            def forget(self, done):
                self.h[done] = 0.0  # bad
                self.h = self.h.masked_fill(done[:, None], 0.0)  # good

        class Policy(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.cell, self.value = nn.GRUCell(size, size), nn.Linear(size, 1)

            def forward(self, x, state):
                state.h = self.cell(x, state.h)
                return self.value(state.h)

        def rollout(policy, state, frames):
            values = []
            for x in frames:
                values.append(policy(x, state))
                done = x[:, 0] > 0.5
                state.forget(done)  # bad: IPL102
                state.forget(done)  # good
            return torch.stack(values)

        if __name__ == "__main__":
            rollout(Policy(4), State(3, 4), torch.rand(3, 3, 4)).sum().backward()
    """,
    "a model that others hand an augmentation to": """
        class Erase:
            def __init__(self, width=2):
                self.width = width

            def __call__(self, x):
                x[:, : self.width] = 0.0  # bad
                x = torch.cat([torch.zeros_like(x[:, : self.width]), x[:, self.width :]], 1)  # good
                return x

        class Net(nn.Module):
            def __init__(self, size, erase=None):
                super().__init__()
                self.first, self.head = nn.Linear(size, size), nn.Linear(size, 1)
                self.erase = erase

            def features(self, x):
                h = torch.sigmoid(self.first(x))
                if self.erase is not None:
                    h = self.erase(h)  # bad: IPL101
                    h = self.erase(h)  # good
                return h

            def forward(self, x):
                return self.head(self.features(x))

        if __name__ == "__main__":
            Net(4, Erase())(torch.rand(3, 4)).sum().backward()
    """,
    "two models of one class, of which one is asked for more": """
        class Encoder(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.proj = nn.Linear(size, size)
                self.seen = None

            def forward(self, x):
                self.seen = self.proj(x).softmax(-1)
                return self.seen @ x

            def maps(self, keep):
                self.seen.mul_(keep)  # bad
                self.seen = self.seen * keep  # good
                return self.seen

        class Pair(nn.Module):
            def __init__(self, teacher, student):
                super().__init__()
                self.teacher, self.student = teacher.requires_grad_(False), student

            def forward(self, x):
                keep = (x > 0).float()
                with torch.no_grad():
                    self.teacher(x)
                    wanted = self.teacher.maps(keep)
                out = self.student(x)
                maps = self.student.maps(keep)  # bad: IPL101
                maps = self.student.maps(keep)  # good
                return out.mean() + F.mse_loss(maps, wanted)

        if __name__ == "__main__":
            Pair(Encoder(4), Encoder(4))(torch.randn(4, 4)).backward()
    """,
    "blocks that keep what they have seen, begun anew by the model": """
        class Window(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.proj = nn.Linear(size, size)
                self.kept = None

            def begin(self, n, size):
                self.kept = torch.zeros(n, size)

            def push(self, x):
                self.kept.copy_(0.5 * self.kept + x)  # bad
                self.kept = 0.5 * self.kept + x  # good
                return self.kept

            def forward(self, x):
                return self.proj(self.push(x))

        class Block(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.window = Window(size)

            def forward(self, x):
                return x + torch.tanh(self.window(x))

        class Stream(nn.Module):
            def __init__(self, size=4, depth=2):
                super().__init__()
                self.blocks = nn.ModuleList(Block(size) for _ in range(depth))

            def begin(self, n, size):
                for m in self.modules():
                    if isinstance(m, Window):
                        m.begin(n, size)

            def step(self, x):
                for block in self.blocks:
                    x = block(x)
                return x

            def forward(self, frames):
                self.begin(frames.shape[1], frames.shape[2])
                return torch.stack([self.step(x) for x in frames])  # bad: IPL102
                return torch.stack([self.step(x) for x in frames])  # good

        if __name__ == "__main__":
            Stream()(torch.rand(3, 2, 4)).sum().backward()
    """,
    "what one evaluates with others train with as well": """
        class Cache:
            def __init__(self, n, size):
                self.keys = torch.zeros(n, size)
                self.at = 0

            def put(self, k):
                self.keys[self.at] = k  # both
                self.at += 1
                return self.keys

        class Layer(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.key = nn.Linear(size, size)

            def forward(self, x, cache):
                keys = cache.put(self.key(x))
                return (keys @ x).softmax(0) @ keys

        @torch.no_grad()  # good
        def decode(layer: Layer, x, steps: int):
            cache = Cache(8, x.shape[-1])
            for _ in range(steps):
                x = layer(x, cache)  # bad: IPL102
                x = layer(x, cache)  # good
            return x

        if __name__ == "__main__":
            out = decode(Layer(4), torch.rand(4), 3)
            if out.requires_grad:
                out.sum().backward()
    """,
    "weights that a gradient is taken of need one, wherever they came from": """
        def model(weights, x):
            return F.linear(torch.tanh(F.linear(x, weights["first"])), weights["last"])

        class Inner:
            def __init__(self, lr, steps):
                self.lr, self.steps = lr, steps

            def adapt(self, weights, x, y):
                fast = {name: w.clone() for name, w in weights.items()}
                total = 0.0
                for _ in range(self.steps):
                    loss = F.mse_loss(model(fast, x), y)
                    grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
                    for w, g in zip(fast.values(), grads):  # bad
                        w.sub_(self.lr * g)  # bad: IPL102
                    fast = {n: w - self.lr * g for (n, w), g in zip(fast.items(), grads)}  # good
                    total = total + F.mse_loss(model(fast, x), y)
                return total

        if __name__ == "__main__":
            weights = {"first": torch.rand(4, 4), "last": torch.rand(1, 4)}
            weights = {name: w.requires_grad_() for name, w in weights.items()}
            Inner(0.1, 2).adapt(weights, torch.rand(3, 4), torch.rand(3, 1)).backward()
    """,
}
