"""Training that nobody in the file calls, given objects of the classes that nobody in it builds (see `forms`)."""

PROGRAMS = {
    "a model that is run twice before its backward": """
        class Scaled(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.proj = nn.Linear(size, size)
                self.register_buffer("scale", torch.ones(size))

            def forward(self, x):
                with torch.no_grad():
                    self.scale.mul_(0.9).add_(x.std(0), alpha=0.1)  # bad
                    self.scale = self.scale * 0.9 + x.std(0) * 0.1  # good
                return self.proj(x) * self.scale

        class Critic(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.first, self.head = Scaled(size), nn.Linear(size, 1)

            def forward(self, x):
                return self.head(self.first(x))

        class Trainer:
            def __init__(self, critic, lr=0.1):
                self.critic = critic
                self.opt = torch.optim.SGD(critic.parameters(), lr=lr)

            def step(self, real, fake):
                loss = self.critic(fake).mean() - self.critic(real).mean()  # bad: IPL102
                loss = self.critic(fake).mean() - self.critic(real).mean()  # good
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()

        if __name__ == "__main__":
            Trainer(Critic(4)).step(torch.rand(3, 4), torch.rand(3, 4))
    """,
    "which of two models is which does not matter to a layer of one": """
        class Normed(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.rand(4, 4))
                self.register_buffer("u", torch.rand(4))

            def forward(self, x):
                with torch.no_grad():
                    self.u.copy_(self.weight @ self.u)  # bad
                    self.u = self.weight @ self.u  # good
                return x @ (self.weight / (self.u @ (self.weight @ self.u)))

        class Judge(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = Normed()

            def forward(self, x):
                return self.layer(x).mean()

        class Maker(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)

            def forward(self, x):
                return self.layer(x)

        def train(judge, maker, x):
            opt = torch.optim.SGD([*judge.parameters(), *maker.parameters()], lr=0.1)
            loss = judge(x) - judge(maker(x))  # bad: IPL102
            loss = judge(x) - judge(maker(x))  # good
            opt.zero_grad()
            loss.backward()
            opt.step()

        if __name__ == "__main__":
            train(Judge(), Maker(), torch.rand(3, 4))
    """,
    "a helper of the training, told by what it asks": """
        class Net(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.proj, self.head = nn.Linear(size, size), nn.Linear(size, 1)

            def forward(self, x):
                h = torch.tanh(self.proj(x))
                return self.head(h), h

        class Penalty:
            def __init__(self, weight=0.1):
                self.weight = weight

            def of(self, h):
                h.clamp_(min=-0.5)  # bad
                h = h.clamp(min=-0.5)  # good
                return self.weight * h.pow(2).mean()

        def fit(model, penalty, batches, lr=0.1):
            opt = torch.optim.SGD(model.parameters(), lr=lr)
            for x in batches:
                out, h = model(x)
                loss = out.mean() + penalty.of(h)  # bad: IPL101
                loss = out.mean() + penalty.of(h)  # good
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            fit(Net(4), Penalty(), [torch.rand(3, 4)])
    """,
    "weights that are moved between the forward and the backward": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                return self.second(torch.tanh(self.first(x)))

        class Pruner:
            def __init__(self, model):
                self.targets = [p for p in model.parameters() if p.dim() > 1]

            @torch.no_grad()
            def apply_masks(self):
                for p in self.targets:
                    p.mul_((p.abs() > 0.01).float())

        class Trainer:
            def __init__(self, model, pruner, opt):
                self.model, self.pruner, self.opt = model, pruner, opt

            def step(self, x, y):
                loss = F.mse_loss(self.model(x), y)
                self.pruner.apply_masks()  # bad: IPL102
                self.opt.zero_grad()
                loss.backward()
                self.pruner.apply_masks()  # good
                self.opt.step()

        if __name__ == "__main__":
            net = Net()
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            Trainer(net, Pruner(net), opt).step(torch.rand(3, 4), torch.rand(3, 1))
    """,
    "a step that climbs before the second backward": """
        class Climb(torch.optim.Optimizer):
            def __init__(self, params, base):
                super().__init__(params, {})
                self.base = base(self.param_groups, lr=0.1)
                self.param_groups = self.base.param_groups

            @torch.no_grad()
            def ascend(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        p.add_(p.grad)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                return self.second(torch.tanh(self.first(x)))

        def epoch(model, opt, batches):
            for x in batches:
                loss = model(x).mean()
                loss.backward(retain_graph=True)  # bad
                loss.backward()  # good
                opt.ascend()  # bad: IPL102
                opt.ascend()  # good
                opt.zero_grad()
                loss = model(x).mean()  # good
                loss.backward()
                opt.base.step()

        if __name__ == "__main__":
            net = Net()
            epoch(net, Climb(net.parameters(), torch.optim.SGD), [torch.rand(3, 4)])
    """,
    "a model that is handed to another, with what is left out by default": """
        class Field(nn.Module):
            def __init__(self, size=4):
                super().__init__()
                self.proj = nn.Linear(size, size)

            def forward(self, x, t):
                return torch.tanh(self.proj(x)) * t

        class Watch:
            def __init__(self):
                self.seen = []

            def __call__(self, state):
                self.seen.append(state.detach().norm().item())
                state.mul_(0.5)  # bad

        class Solver(nn.Module):
            def __init__(self, field, watch=None):
                super().__init__()
                self.field, self.watch = field, watch

            def forward(self, x, steps):
                for step in range(steps):
                    x = torch.sigmoid(self.field(x, step + 1))
                    if self.watch is not None:
                        self.watch(x)  # bad: IPL101
                        self.watch(x)  # good
                return x

        def train(solver, batches):
            opt = torch.optim.SGD(solver.parameters(), lr=0.1)
            for x in batches:
                loss = solver(x, 2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            train(Solver(Field(), Watch()), [torch.rand(3, 4)])
    """,
    "callbacks that are called by their name": """
        class Callback:
            def after_forward(self, trainer, out): ...
            def after_step(self, trainer, out): ...

        class Counter(Callback):
            def __init__(self):
                self.steps = 0

            def after_step(self, trainer, out):
                self.steps += 1

        class Positive(Callback):
            def __init__(self, low=0.0):
                self.low = low

            @torch.no_grad()
            def after_forward(self, trainer, out):  # bad
            def after_step(self, trainer, out):  # good
                trainer.model.head.weight.clamp_(min=self.low)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj, self.head = nn.Linear(4, 4), nn.Linear(4, 2, bias=False)

            def forward(self, x):
                return self.head(torch.tanh(self.proj(x)))

        class Trainer:
            def __init__(self, model, callbacks, lr=0.1):
                self.model, self.callbacks = model, callbacks
                self.opt = torch.optim.SGD(model.parameters(), lr=lr)

            def fire(self, event, out):
                for callback in self.callbacks:
                    getattr(callback, event)(self, out)

            def fit(self, batches):
                for x, y in batches:
                    out = self.model(x)
                    self.fire("after_forward", out)  # bad: IPL102
                    self.fire("after_forward", out)  # good
                    loss = F.mse_loss(out, y)
                    self.opt.zero_grad()
                    loss.backward()
                    self.opt.step()
                    self.fire("after_step", out)

        if __name__ == "__main__":
            Trainer(Net(), [Counter(), Positive()]).fit([(torch.rand(3, 4), torch.rand(3, 2))])
    """,
    "a gradient that is asked for, by an object of a class that derives from another": """
        class Attack:
            def __init__(self, model, eps):
                self.model, self.eps = model, eps

            def run(self, batches):
                raise NotImplementedError

        class Universal(Attack):
            def __init__(self, model, eps=0.3, rate=0.1):
                super().__init__(model, eps)
                self.rate = rate

            def run(self, batches):
                self.model.eval()
                delta = torch.zeros(4, requires_grad=True)
                for x in batches:
                    loss = self.model(x + delta).mean()
                    grad, = torch.autograd.grad(loss, delta)
                    delta += self.rate * grad  # bad: IPL103
                    delta = delta + self.rate * grad  # good
                    delta = delta.detach().clamp(-self.eps, self.eps).requires_grad_()
                return delta.detach()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj, self.head = nn.Linear(4, 4), nn.Linear(4, 2)

            def forward(self, x):
                return self.head(torch.tanh(self.proj(x)))

        ATTACKS = {cls.__name__: cls for cls in (Universal,)}

        if __name__ == "__main__":
            ATTACKS["Universal"](Net()).run([torch.rand(3, 4)])
    """,
    "a loader that hands out one page again and again": """
        class Pages:
            def __init__(self, rows, size):
                self.rows, self.page = rows, torch.zeros(size)

            def __iter__(self):
                for row in self.rows:
                    self.page.copy_(row)
                    yield self.page  # bad
                    yield self.page.clone()  # good

        class Trainer:
            def __init__(self, size):
                self.model = nn.Linear(size, 1)
                self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)

            def epoch(self, loader):
                losses = []
                for number, page in enumerate(loader):  # bad: IPL102
                    losses.append(self.model(page).square())  # bad
                    if number % 2:  # bad
                        torch.stack(losses).mean().backward()  # bad
                        self.opt.step()  # bad
                        losses.clear()  # bad
                for page in loader:  # good
                    self.model(page).square().mean().backward()  # good
                    self.opt.step()  # good

        if __name__ == "__main__":
            Trainer(4).epoch(Pages(torch.rand(4, 4), 4))
    """,
}
