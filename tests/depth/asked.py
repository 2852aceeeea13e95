"""Who writes what it is given, or what its object keeps: its callers are asked what they have saved (`forms`)."""

PROGRAMS = {
    "a list that is filled in a loop, and changed by index in another module": """
        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.stages = nn.ModuleList([nn.Conv1d(2, 2, 3, padding=1) for _ in range(3)])

            def forward(self, x):
                maps = []
                for stage in self.stages:
                    x = torch.relu(stage(x))
                    maps.append(x)
                return maps

        class TopDown(nn.Module):
            def forward(self, maps):
                for i in range(len(maps) - 2, -1, -1):
                    up = F.interpolate(maps[i + 1], size=maps[i].shape[-1])
                    maps[i] += up  # bad
                    maps[i] = maps[i] + up  # good
                return maps[0]

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = Encoder()
                self.top_down = TopDown()

            def forward(self, x):
                return self.top_down(self.encoder(x))  # bad: IPL101
                return self.top_down(self.encoder(x))  # good

        if __name__ == "__main__":
            Net()(torch.rand(1, 2, 8)).sum().backward()
    """,
    "a method of an object that the outermost module makes, and hands down by constructors": """
        class Switches:
            def __init__(self):
                self.off = [1]

            def apply(self, weights):
                for head in self.off:
                    weights[:, head] = 0.0  # bad
                    weights = weights.index_fill(1, torch.tensor([head]), 0.0)  # good
                return weights

        class Mix(nn.Module):
            def __init__(self, switches):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.switches = switches

            def forward(self, x):
                weights = torch.softmax(self.proj(x), dim=-1)
                weights = self.switches.apply(weights)  # bad: IPL101
                weights = self.switches.apply(weights)  # good
                return weights @ x

        class Layer(nn.Module):
            def __init__(self, switches):
                super().__init__()
                self.mix = Mix(switches)

            def forward(self, x):
                return x + self.mix(x)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.switches = Switches()
                self.layer = Layer(self.switches)

            def forward(self, x):
                return self.layer(x)

        if __name__ == "__main__":
            Net()(torch.rand(4, 4)).sum().backward()
    """,
    "a buffer that another object's method writes under no_grad": """
        class Queue(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("rows", torch.rand(4, 8))

            def negatives(self):
                return self.rows.detach()

            @torch.no_grad()
            def enqueue(self, keys):
                self.rows[:, :2] = keys.t()

        class Contrast(nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Linear(4, 4)
                self.queue = Queue()

            def forward(self, x):
                q = self.encoder(x)
                scores = q @ self.queue.negatives()  # bad
                scores = q @ self.queue.negatives().clone()  # good
                self.queue.enqueue(q.detach())  # bad: IPL102
                self.queue.enqueue(q.detach())  # good
                return scores

        if __name__ == "__main__":
            Contrast()(torch.rand(2, 4)).sum().backward()
    """,
    "an optimizer written by hand steps leaves while gradients are recorded": """
        class Descent:
            def __init__(self, params, lr):
                self.params, self.lr = params, lr

            def step(self):
                for name, p in self.params.items():
                    p -= self.lr * p.grad  # bad: IPL103
                    p.data = p.data - self.lr * p.grad  # good
                    p.grad = None

        def fit(params, x):
            opt = Descent(params, 0.1)
            for _ in range(2):
                loss = (params["w"] * x).sum()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            fit({"w": torch.ones(4, requires_grad=True)}, b)
    """,
    "an object known by what is asked of the attribute that keeps it": """
        class Box:
            def __init__(self, size):
                self.size = torch.tensor(size)

            def inside(self, n):
                return torch.rand(n, 1) * self.size

            def scale_(self, points):
                points.mul_(2.0 / self.size)  # bad
                points = points * (2.0 / self.size)  # good
                return points - 1.0

        class Problem:
            def __init__(self, box, k=2.0):
                self.box, self.k = box, k

            def residual(self, net):
                x = self.box.inside(8).requires_grad_(True)
                u = net(self.box.scale_(x))  # bad: IPL103
                u = net(self.box.scale_(x))  # good
                slope = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
                return (slope - self.k * u).square().mean()

        def fit(net, problem):
            problem.residual(net).backward()

        if __name__ == "__main__":
            fit(nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1)), Problem(Box([2.0])))
    """,
    "what a module that is given returns is no plain data": """
        def pruned(density, stop):
            seen = torch.exp(-torch.cumsum(density, dim=1))
            seen[seen < stop] = 0.0  # bad: IPL101
            seen = seen * (seen >= stop)  # good
            return seen

        class Renderer:
            def __init__(self, field, stop=0.5):
                self.field, self.stop = field, stop

            def __call__(self, points):
                density, color = self.field(points)
                return pruned(density, self.stop), color

        if __name__ == "__main__":
            Renderer(lambda x: ((a * x).square(), x))(torch.rand(2, 4))[0].sum().backward()
    """,
    "what modules in a list have kept, changed by an object that goes over them in training": """
        class Router(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.last = None

            def forward(self, x):
                weights = torch.softmax(self.proj(x), dim=-1)
                self.last = weights
                scaled = weights * x
                mixed = scaled.flip(-1)
                return x + mixed

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.routers = nn.ModuleList([Router() for _ in range(2)])

            def forward(self, x):
                for router in self.routers:
                    x = router(x)
                return x

        class Balance:
            def __init__(self, floor=1e-6):
                self.floor = floor

            def of(self, router):
                p = router.last
                p.clamp_(min=self.floor)  # bad
                p = p.clamp(min=self.floor)  # good
                return -(p * p.log()).sum()

        def fit(x):
            net, balance = Net(), Balance()
            loss = net(x).sum()
            loss = loss + sum(balance.of(router) for router in net.routers)  # bad: IPL101
            loss = loss + sum(balance.of(router) for router in net.routers)  # good
            loss.backward()

        if __name__ == "__main__":
            fit(torch.rand(2, 4))
    """,
}
