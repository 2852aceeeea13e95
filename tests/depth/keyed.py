"""What tensors are the keys of, what is called by a name that is put together, and what an object keeps of another."""

PROGRAMS = {
    "weights that are brought back between a forward and its backward, kept by themselves": """
        class Climb:
            def __init__(self, parameters):
                self.parameters, self.home = [p for p in parameters if p.requires_grad], {}

            @torch.no_grad()
            def up(self):
                for p in self.parameters:
                    self.home[p] = p.clone()
                    p.add_(p.grad, alpha=0.1)

            @torch.no_grad()
            def back(self):
                for p, old in self.home.items():
                    p.copy_(old)
                self.home.clear()

        def step(net, x, optimizer, climb):
            optimizer.zero_grad()
            net(x).sum().backward()
            climb.up()
            loss = net(x).sum()
            climb.back()  # bad: IPL102
            loss.backward()
            climb.back()  # good
            optimizer.step()

        net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        step(net, b, torch.optim.SGD(net.parameters(), lr=0.1), Climb(net.parameters()))
    """,
    "weights that are keys, whatever else was put under them": """
        @torch.no_grad()
        def back(home):
            for p in home:
                p.mul_(0.5)

        net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        home = {}
        for p in net.parameters():
            home[p] = 0
        loss = net(b).sum()
        back(home)  # bad: IPL102
        loss.backward()
        back(home)
    """,
    "handlers of events, found by a name that is put together": """
        class Handler:
            def on_loss(self, loop): ...
            def on_step(self, loop): ...

        class Floor(Handler):
            def on_loss(self, loop):  # bad
            def on_step(self, loop):  # good
                for p in loop.net.parameters():
                    p.data.clamp_(min=-0.01)

        class Loop:
            def __init__(self, net, handlers):
                self.net, self.handlers = net, handlers
                self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

            def emit(self, event):
                for handler in self.handlers:
                    getattr(handler, f"on_{event}")(self)

            def run(self, x):
                loss = self.net(x).sum()
                self.emit("loss")  # bad: IPL201
                self.emit("loss")  # good
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.emit("step")

        net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        Loop(net, [Handler(), Floor()]).run(b)
    """,
    "state that a part of a module keeps, set back by those who call the whole": """
        class Core(nn.Module):
            def __init__(self):
                super().__init__()
                self.cell, self.state = nn.GRUCell(4, 4), None

            def begin(self, count):
                self.state = torch.zeros(count, 4)

            def forward(self, x):
                self.state = self.cell(x, self.state)
                return self.state

            def forget(self, done):
                self.state[done] = 0.0  # bad
                self.state = self.state.masked_fill(done[:, None], 0.0)  # good

        class Policy(nn.Module):
            def __init__(self):
                super().__init__()
                self.core, self.choice, self.value = Core(), nn.Linear(4, 2), nn.Linear(4, 1)

            def forward(self, x):
                h = self.core(x)
                return self.choice(h), self.value(h)

        def rollout(environment, net: Policy, steps: int):
            net.core.begin(2)
            out = []
            for _ in range(steps):
                choice, value = net(environment.observe())
                done = environment.step(choice)
                net.core.forget(done)  # bad: IPL102
                net.core.forget(done)  # good
                out.append(choice.sum() + value.sum())
            return out

        if __name__ == "__main__":
            class Environment:
                def observe(self):
                    return torch.rand(2, 4)

                def step(self, choice):
                    return choice[:, 0] < 10

            sum(rollout(Environment(), Policy(), 3)).backward()
    """,
}
