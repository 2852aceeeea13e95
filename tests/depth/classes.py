"""Classes that are looked up, that fill in what a base leaves open, or are built late (see `forms`)."""

PROGRAMS = {
    "a class that its decorator puts under a name": """
        KINDS = {}

        def known_as(name):
            def keep(cls):
                KINDS[name] = cls
                return cls

            return keep

        @known_as("plain")
        class Plain(nn.Module):
            def forward(self, x):
                return torch.tanh(x)

        @known_as("ratio")
        class Ratio(nn.Module):
            def forward(self, x):
                size = x.pow(2).sum(-1, keepdim=True)
                out = x / size
                size.clamp_(min=1e-6)  # bad: IPL102
                size = size.clamp(min=1e-6)  # good
                return out

        class Net(nn.Module):
            def __init__(self, kinds=("plain", "ratio")):
                super().__init__()
                self.first = nn.Linear(4, 4)
                self.rest = nn.ModuleList(KINDS[kind]() for kind in kinds)

            def forward(self, x):
                x = self.first(x)
                for layer in self.rest:
                    x = layer(x)
                return x

        Net()(b).sum().backward()
    """,
    "a method that a base calls, of what it has computed": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(4, 4)

            def forward(self, x):
                return self.mixed(self.first(x))

            def mixed(self, h):
                raise NotImplementedError

        class Ratio(Block):
            def mixed(self, h):
                size = h.pow(2).sum(-1, keepdim=True)
                out = h / size
                size.clamp_(min=1e-6)  # bad: IPL102
                size = size.clamp(min=1e-6)  # good
                return out

        if __name__ == "__main__":
            Ratio()(b).sum().backward()
    """,
    "one of several losses that derive from one": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.last = nn.Linear(4, 1)

            def forward(self, x):
                return self.last(x)

        class Deviance(nn.Module):
            def __init__(self, floor=0.1):
                super().__init__()
                self.floor = floor

            def unit(self, mu, y):
                raise NotImplementedError

            def forward(self, eta, y):
                mu = eta.exp()
                mu.clamp_(min=self.floor)  # bad: IPL101
                mu = mu.clamp(min=self.floor)  # good
                return self.unit(mu, y).mean()

        class Poisson(Deviance):
            def unit(self, mu, y):
                return mu - y * mu.log()

        class Squared(Deviance):
            def unit(self, mu, y):
                return (mu - y) ** 2

        def fit(model, criterion, x, y):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()

        if __name__ == "__main__":
            fit(Net(), Poisson(), torch.rand(3, 4), torch.rand(3, 1))
    """,
    "a model that is given a tuple and asked for its parameters at once": """
        class Critic(nn.Module):
            def __init__(self, size, widths):
                super().__init__()
                layers = []
                for width in widths:
                    layers += [nn.Linear(size, width), nn.LeakyReLU(0.2)]
                    size = width
                layers.append(nn.Linear(size, 1))
                self.layers = nn.Sequential(*layers)

            def forward(self, x):
                return self.layers(x)

        class Training:
            def __init__(self):
                self.critic = Critic(4, (8, 8))
                self.optimizer = torch.optim.SGD(self.critic.parameters(), lr=0.1)

            @torch.no_grad()
            def clip(self):
                for parameter in self.critic.parameters():
                    parameter.clamp_(-0.1, 0.1)

            def step(self, x):
                loss = self.critic(x).mean()
                self.clip()  # bad: IPL102
                loss.backward()
                self.clip()  # good
                self.optimizer.step()

        Training().step(torch.rand(3, 4))
    """,
}
