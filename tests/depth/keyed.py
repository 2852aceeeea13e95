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
}
