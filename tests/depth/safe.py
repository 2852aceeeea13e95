"""Programs that look like silent hazards and are none: each runs, has right gradients, and must be passed over."""

PROGRAMS = {
    "WGAN: weights clipped after the step": """
        D = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        opt = torch.optim.RMSprop(D.parameters(), lr=0.1)
        for _ in range(3):
            loss = D(b).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            for p in D.parameters():
                p.data.clamp_(-0.01, 0.01)
    """,
    "momentum teacher under no_grad": """
        student, teacher = nn.Linear(4, 4), nn.Linear(4, 4)
        opt = torch.optim.SGD(student.parameters(), lr=0.1)
        for _ in range(3):
            with torch.no_grad():
                target = teacher(b)
            loss = (student(b) - target).square().sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
            for q, k in zip(student.parameters(), teacher.parameters()):
                k.data = k.data * 0.9 + q.data * 0.1
    """,
    "codebook updated by moving averages": """
        class Quantizer(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(8, 4)
                self.embedding.weight.data.uniform_(-1, 1)

            def forward(self, x):
                distance = torch.cdist(x.detach(), self.embedding.weight.detach())
                indices = distance.argmin(1)
                quantized = self.embedding(indices).detach()
                self.embedding.weight.data.mul_(0.99)
                return x + (quantized - x).detach()

        Quantizer()(a.expand(3, 4) * 1).sum().backward()
    """,
    "a batch turned into an array for a plot": """
        x = torch.rand(4)
        y = a * x
        image = x.numpy().copy()
        image *= 255
        other = x.numpy() * 2
        other += 1
        y.sum().backward()
    """,
    "an array that is filled before it becomes a tensor": """
        import numpy as np

        rows = np.zeros((3, 4), dtype=np.float32)
        for i in range(3):
            rows[i] = i
        x = torch.from_numpy(rows)
        (a * x).sum().backward()
        rows[:] = 0
    """,
    "a number beside an array": """
        import numpy as np

        n = np.float32(3)
        t = torch.as_tensor(n)
        y = a * t
        n += 1
        y.sum().backward()
    """,
    "a list made into a tensor": """
        rows = [1.0, 2.0, 3.0, 4.0]
        t = torch.as_tensor(rows)
        y = a * t
        rows[0] = 9.0
        rows.sort()
        y.sum().backward()
    """,
    "hooks that count": """
        sizes = []

        def pack(t):
            sizes.append(t.numel())
            return t

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            y = torch.sigmoid(a)
        z = y + 1
        z += 1
        z.sum().backward()
    """,
    "hooks that move to half precision": """
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.double() * 1, lambda t: t.float()):
            y = torch.sigmoid(a)
        y += 1
        y.sum().backward()
    """,
    "checkpointed blocks in a chain": """
        from torch.utils.checkpoint import checkpoint

        layers = [nn.Linear(4, 4) for _ in range(3)]
        x = a * 1
        for layer in layers:
            x = checkpoint(lambda t, layer=layer: torch.relu(layer(t)), x, use_reentrant=False)
            x = x + 1
        x.sum().backward()
    """,
    "a checkpointed block that writes its own fresh tensor": """
        from torch.utils.checkpoint import checkpoint

        def block(t):
            h = t + 1
            h += 1
            h.mul_(2)
            return torch.sigmoid(h)

        checkpoint(block, a * 1, use_reentrant=False).sum().backward()
    """,
    "weights stepped after a checkpointed backward": """
        from torch.utils.checkpoint import checkpoint

        net = nn.Linear(4, 4)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            loss = checkpoint(net, b * 1, use_reentrant=False).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
    """,
    "queries and keys that are one tensor": """
        x = a.expand(3, 4) * 1
        x.add_(1)
        q = k = v = x
        y = (q @ k.T).softmax(-1) @ v
        y.sum().backward()
    """,
    "an accumulator under a second name": """
        total = torch.zeros(4)
        current = a * 1
        for _ in range(3):
            total += current.detach()
            current = current * 2
        result = total
        (result * 2 + current).sum().backward()
    """,
    "a buffer that is filled and then read by its own name": """
        out = torch.zeros(3, 4)
        rows = out
        for i in range(3):
            rows[i] = b * i
        (rows * a).sum().backward()
    """,
    "views that follow their base": """
        x = torch.zeros(4)
        head, tail = x[:2], x[2:]
        x.add_(1)
        y = head + tail
        (y.sum() * a).sum().backward()
    """,
    "two elements of one list": """
        states = [torch.zeros(4), torch.ones(4)]
        old = states[0]
        states[1].add_(1)
        ((states[1] - old) * a).sum().backward()
    """,
    "frames that a loop makes": """
        frames = []
        x = a * 1
        for _ in range(3):
            x = x * 0.5
            y = x + 1
            y.clamp_(min=0)
            frames.append(y)
        torch.stack(frames).sum().backward()
    """,
    "parameters of a list, changed and collected": """
        params = [torch.ones(4) for _ in range(3)]
        seen = []
        for p in params:
            p.mul_(0.5)
            seen.append(p)
        (torch.stack(seen) * a).sum().backward()
    """,
    "rows written by an index": """
        x = torch.zeros(4, 2)
        rows = torch.tensor([0, 1])
        x[rows] += 1
        x[rows, 0] = 2
        x.index_add_(0, rows, torch.ones(2, 2))
        x[rows[0]].add_(1)
        part = x[rows].mul_(2)
        assert x[0, 0] == 4 and part.shape == (2, 2)
    """,
    "evaluation between two steps": """
        net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.5))
        opt = torch.optim.Adam(net.parameters(), fused=True)
        for _ in range(2):
            net.train()
            loss = net(torch.randn(8, 4)).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
            net.eval()
            with torch.no_grad():
                net(torch.randn(8, 4))
    """,
    "a hook that only looks": """
        shapes = []
        act = nn.Sigmoid()
        act.register_forward_hook(lambda module, args, output: shapes.append(output.shape))
        y = act(a * 1)
        z = y + 1
        z += 1
        z.sum().backward()
    """,
    "a context that keeps sizes": """
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                ctx.x = x
                return x * factor

            @staticmethod
            def backward(ctx, gradient):
                return gradient * ctx.factor + 0 * ctx.x.shape[0], None

        h = a * 1
        y = Scale.apply(h, 2.0)
        h.add_(1)
        y.sum().backward()
    """,
    "lists of modules that end otherwise than the loop that fills them": """
        class Net(nn.Module):
            def __init__(self, sizes):
                super().__init__()
                layers = []
                for i, size in enumerate(sizes):
                    layers.append(nn.Linear(4, size))
                    if i < len(sizes) - 1:
                        layers.append(nn.ReLU())
                self.first = nn.Sequential(*layers)
                self.second = nn.Sequential(*self.pairs(sizes)[:-1])
                cut = self.pairs(sizes)
                del cut[-1]
                self.third = nn.Sequential(*cut)
                changed = self.pairs(sizes)
                changed[-1] = nn.Identity()
                self.fourth = nn.Sequential(*changed)
                turned = self.pairs(sizes)
                turned.reverse()
                self.fifth = nn.Sequential(*turned)
                grown = nn.Sequential()
                for i, size in enumerate(sizes):
                    grown.append(nn.ReLU())
                    grown.add_module(f"linear{i}", nn.Linear(4, size))
                self.sixth = grown

            def pairs(self, sizes):
                layers = []
                for size in sizes:
                    layers += [nn.Linear(4, size), nn.ReLU()]
                return layers

            def forward(self, x):
                parts = []
                for part in (self.first, self.second, self.third, self.fourth, self.fifth, self.sixth):
                    y = part(x)
                    y += x
                    parts.append(y)
                return sum(parts)

        Net([4, 4, 4])(a).sum().backward()
    """,
    "a layer by a name whose default saves no result": """
        class Net(nn.Module):
            def __init__(self, act="GELU"):
                super().__init__()
                self.fc = nn.Linear(4, 4)
                self.act = getattr(nn, act)()

            def forward(self, x):
                x = self.act(self.fc(x))
                x += 1
                return x

        Net()(a).sum().backward()
    """,
    "rows of a tensor beside nothing": """
        names = []
        w = torch.rand(3, 4)
        w.mul_(2)
        found = {name: row for name, row in zip(names, w)}
        (a * w).sum().backward()
    """,
    "layers of a list, each of which writes its own weights": """
        class Net(nn.Module):
            def __init__(self, sizes):
                super().__init__()
                self.tables = nn.ModuleList([nn.Embedding(size, 4, max_norm=1.0) for size in sizes])

            def forward(self, codes):
                return torch.cat([table(codes[:, i]) for i, table in enumerate(self.tables)], -1)

        Net([3, 5])(torch.tensor([[0, 1], [2, 4]])).sum().backward()
    """,
    "a rate above 0": """
        class Layered(nn.Module):
            def __init__(self, rate=0.1):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.drop = nn.Dropout(rate)

            def forward(self, x):
                y = self.drop(torch.sigmoid(self.proj(x)))
                y *= 0.5
                return y

        if __name__ == "__main__":
            Layered()(b).sum().backward()
    """,
    "a container that nothing fills": """
        class Masked(nn.Module):
            def __init__(self):
                super().__init__()
                self.rows = []
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                y = torch.softmax(self.proj(x), dim=-1)
                for row in self.rows:
                    y[row] = 0.0
                return y

        if __name__ == "__main__":
            Masked()(b).square().sum().backward()
    """,
    "a container of which a docstring says that something fills it": """
        class Masked(nn.Module):
            def __init__(self):
                super().__init__()
                self.rows = []
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                '''Once somebody did `self.rows.append(1)` and `self.rows[0] = 1`.'''
                y = torch.softmax(self.proj(x), dim=-1)
                for row in self.rows:
                    y[row] = 0.0
                return y

        if __name__ == "__main__":
            Masked()(b).square().sum().backward()
    """,
    "gradients that are clipped in a loop": """
        class Learner(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.rate = nn.Parameter(torch.tensor(0.1))

            def forward(self, x):
                loss = self.proj(x).square().sum()
                slopes = torch.autograd.grad(loss, list(self.proj.parameters()))
                moved = []
                for weight, slope in zip(self.proj.parameters(), slopes):
                    slope.clamp_(-1, 1)
                    moved.append(weight - self.rate * slope)
                return F.linear(x, *moved)

        if __name__ == "__main__":
            Learner()(b).sum().backward()
    """,
    "gradients of which some may be missing, written into pieces": """
        class Learner(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.unused = nn.Parameter(torch.zeros(4))

            def forward(self, x):
                weights = list(self.parameters())
                loss = self.proj(x).square().sum()
                flat = torch.zeros(sum(w.numel() for w in weights))
                slopes = torch.autograd.grad(loss, weights, allow_unused=True)
                for piece, slope in zip(flat.split([w.numel() for w in weights]), slopes):
                    if slope is not None:
                        piece.copy_(slope.reshape(-1))
                return flat * self.unused.sum()

        if __name__ == "__main__":
            Learner()(b).sum().backward()
    """,
    "statistics that one layer keeps in every round of a loop over layers, and whose loss is added": """
        class Inner(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Linear(4, 4)
                self.parts = nn.ModuleList(
                    nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4)) for _ in range(3)
                )
                self.last = None

            def forward(self, x):
                gate = self.w(x).softmax(-1)
                self.last = gate.mean()
                out = torch.zeros_like(x)
                for i, part in enumerate(self.parts):
                    rows = (gate.argmax(-1) == i).nonzero().flatten()
                    if rows.numel() == 0:
                        continue
                    y = part(x[rows])
                    y *= gate[rows, i].unsqueeze(-1)
                    out.index_add_(0, rows, y)
                return out

        class Layer(nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = nn.MultiheadAttention(4, 2, batch_first=True)
                self.inner = Inner()

            def forward(self, x):
                x = x + self.mix(x, x, x, need_weights=False)[0]
                return x + self.inner(x.flatten(0, 1)).view_as(x)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList(Layer() for _ in range(2))

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x.sum(), sum(layer.inner.last for layer in self.layers)

        def fit(net, rounds):
            opt = torch.optim.AdamW(net.parameters())
            for _ in range(rounds):
                loss, balance = net(torch.rand(2, 3, 4))
                opt.zero_grad()
                (loss + balance).backward()
                opt.step()

        fit(Net(), 3)
    """,
    "windows scaled before they are given to a model": """
        def scaled(x):
            spread = x.std(dim=1, keepdim=True).clamp_(min=1e-4)
            return x / spread

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                return self.proj(scaled(x))

        net = Net()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            loss = net(torch.rand(3, 4)).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
    """,
    "statistics that batch_norm keeps are no part of the graph": """
        class Norm(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("mean", torch.zeros(4))
                self.register_buffer("var", torch.ones(4))

            def forward(self, x):
                c = x.shape[1]
                return F.batch_norm(x, self.mean[:c], self.var[:c], None, None, self.training)

        norm, w = Norm(), nn.Parameter(torch.eye(4))
        first = norm(torch.rand(3, 4) @ w @ w)
        with torch.no_grad():
            w.mul_(2)
        norm(torch.rand(3, 4) @ w).sum().backward()
    """,
    "a batch standardised by statistics of it, in a function that trains": """
        class Standardiser:
            def __init__(self, width):
                self.square = torch.zeros(width)

            def update(self, x):
                self.square += x.var(0) * len(x)

            def __call__(self, x):
                return x / self.square.sqrt_().clamp_(min=1e-4)

        def fit(batch):
            x, y = batch
            scale, net = Standardiser(4), nn.Linear(4, 4)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                scale.update(x)
                loss = F.mse_loss(net(scale(x)), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
    """,
    "images of a batch changed one by one, in a method that trains": """
        class Erase:
            def __call__(self, images):
                images = images.clone()
                for image in images:
                    image[:2].normal_()
                images.sub_(images.mean(1, keepdim=True))
                return images

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)

            def forward(self, x):
                return self.fc(x)

        class Learner:
            def __init__(self):
                self.net, self.erase = Net(), Erase()
                self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)

            def fit(self, batches):
                for x in batches:
                    first, second = self.erase(x), self.erase(x)
                    loss = (self.net(first) * self.net(second)).mean()
                    self.opt.zero_grad()
                    loss.backward()
                    self.opt.step()

        if __name__ == "__main__":
            Learner().fit([torch.rand(3, 4)])
    """,
    "parameters that are detached before they are moved": """
        target, source = nn.Linear(4, 4), nn.Linear(4, 4)
        for t, s in zip(target.parameters(), source.parameters()):
            t.detach_()
            t.copy_(t * 0.9 + s * 0.1)
        source(b).sum().backward()
    """,
    "a list of parameters that is added to": """
        first, second = nn.Linear(4, 4), nn.Linear(4, 4)
        weights = list(first.parameters())
        weights += list(second.parameters())
        opt = torch.optim.SGD(weights, lr=0.1)
        second(first(b)).sum().backward()
        opt.step()
    """,
    "elements of a list, each changed after it was saved for itself": """
        def peaks(scores, k):
            found = []
            for i in range(len(scores)):
                if k:
                    scores[i], _ = scores[i].topk(k)
                found.append(scores[i].exp_())
            return found

        sum(one.sum() for one in peaks([a * 1, a * 2], 2)).backward()
    """,
    "elements of a list that others have taken the place of": """
        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.parts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

            def forward(self, x):
                for i in range(2):
                    x[i] = torch.stack((self.parts[i](x[i]), self.parts[i](x[i])))
                    half = x[i][..., 2:]
                    half[..., 0] = half[..., 0] * 2
                return x

        sum(one.sum() for one in Head()([a * 1, a * 2])).backward()
    """,
    "what the top level binds by tuples are numbers": """
        STEP, SIZE = 2, 4

        def assigned(boxes):
            spread = torch.arange(SIZE).float().mul_(STEP).add_(1)
            boxes = boxes.clone()
            boxes[:2] = torch.log(boxes[:2] / spread[:2])
            boxes[2:] /= spread[2:]
            return boxes

        def train():
            net = nn.Linear(SIZE, SIZE)
            target = assigned(torch.ones(SIZE))
            F.mse_loss(net(target), target).backward()
            return net

        train()
    """,
    "a loss that is given is not the model, though it takes as many arguments": """
        class Smoothed(nn.Module):
            def __init__(self, eps):
                super().__init__()
                self.eps = eps

            def forward(self, scores, target):
                return F.nll_loss(scores, target, reduction="sum") - self.eps * scores.sum()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(4, 3), nn.Linear(4, 3)

            def forward(self, x, y):
                return (self.first(x) + self.second(y)).log_softmax(-1)

        class Compute:
            def __init__(self, criterion, opt):
                self.criterion, self.opt = criterion, opt

            def __call__(self, scores, target):
                loss = self.criterion(scores, target)
                loss /= len(target)
                loss.backward()
                self.opt.step()

        if __name__ == "__main__":
            net = Net()
            compute = Compute(Smoothed(0.1), torch.optim.SGD(net.parameters(), lr=0.1))
            compute(net(torch.rand(2, 4), torch.rand(2, 4)), torch.tensor([0, 1]))
    """,
    "which of two models is given says whether what it returns may be changed": """
        class Maker(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)

            def forward(self, x):
                return self.layer(x)

        class Judge(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)

            def forward(self, x):
                return torch.sigmoid(self.layer(x))

        def train(maker, judge, batches):
            opt = torch.optim.SGD([*maker.parameters(), *judge.parameters()], lr=0.1)
            for x in batches:
                made = maker(x)
                made += 0.1
                loss = judge(made).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            train(Maker(), Judge(), [torch.rand(2, 4)])
    """,
    "weights that are moved once the gradient of them is taken, and whose graph is freed": """
        def model(weights, x):
            return F.linear(torch.tanh(F.linear(x, weights["first"])), weights["last"])

        def adapt(weights, x, y, steps):
            fast = {name: w.clone() for name, w in weights.items()}
            for _ in range(steps):
                grads = torch.autograd.grad(F.mse_loss(model(fast, x), y), list(fast.values()), allow_unused=False)
                with torch.no_grad():
                    for w, g in zip(fast.values(), grads):
                        w.sub_(0.1 * g)
            return F.mse_loss(model(fast, x), y)

        weights = {"first": torch.rand(4, 4), "last": torch.rand(1, 4)}
        weights = {name: w.requires_grad_() for name, w in weights.items()}
        adapt(weights, torch.rand(3, 4), torch.rand(3, 1), 2).backward()
    """,
}
