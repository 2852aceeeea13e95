"""What training hands to a given model is data: changed in place it is no hazard, features are (`forms`)."""

_FIT = """
        def fit(model, batches):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                loss = F.mse_loss(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            fit(Net(), [(torch.rand(3, 4), torch.rand(3, 4))])
"""

_SPREAD = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(8, 4)

            def forward(self, x):
                x = x - x.mean(1, keepdim=True)
                spread = x.var(dim=1, keepdim=True).sqrt()
                x /= spread.clamp(min=1e-4)
                out = self.proj(x).exp()
                out.mul_(spread)  # bad: IPL101
                out = out.mul(spread)  # good
                return out
"""

_LOOP = """
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        for x in torch.utils.data.DataLoader(torch.rand(8, 8), batch_size=4):
            opt.zero_grad()
            model(x).square().mean().backward()
            opt.step()
"""

PROGRAMS = {
    "scaled by its own spread, as it comes in or after a layer": f"""
        def scaled(x):
            spread = x.std(dim=1, keepdim=True)
            spread.clamp_(min=1e-4)  # good
            spread.clamp_(min=1e-4)  # bad: IPL101
            return x / spread

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                return self.proj(scaled(x))  # good
                return scaled(self.proj(x))  # bad
        {_FIT}
    """,
    "distances of positions, two modules down": f"""
        class Weigh(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.ones(()))

            def forward(self, position, centre, features):
                w = (torch.cdist(position, centre) + 1e-6).reciprocal()
                w /= w.sum(-1, keepdim=True)  # bad: IPL101
                w /= w.sum(-1, keepdim=True)  # good
                return self.scale * (w @ features)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Linear(4, 4)
                self.weigh = Weigh()

            def forward(self, x):
                features = self.stem(x)
                return self.weigh(x, x[:2], features[:2])  # good
                return self.weigh(features, x[:2], features[:2])  # bad
        {_FIT}
    """,
    "a batch centred by a helper of the training": """
        def centred(x):
            x -= x.mean()
            x /= x.norm(dim=-1).amax()  # good
            x /= x.norm(dim=-1).amax()  # bad: IPL102
            return x

        def fit(model, batches):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                x = centred(x.clone())  # good
                x = centred(model(x).clone())  # bad
                loss = F.mse_loss(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            fit(nn.Linear(4, 4), [(torch.rand(3, 4), torch.rand(3, 4))])
    """,
    "built by its name, and trained at the top level": f"""
        {_SPREAD}

        def build(name):
            return [cls for cls in nn.Module.__subclasses__() if cls.__name__ == name][-1]()

        model = build("Net")
        {_LOOP}
    """,
    "built and trained at the top level, by a data set of the file": f"""
        {_SPREAD}

        class Rows(torch.utils.data.Dataset):
            def __init__(self, count):
                self.rows = torch.rand(count, 8)

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, i):
                return self.rows[i]

        model = Net()
        {_LOOP.replace("torch.rand(8, 8)", "Rows(8)")}
    """,
    "a data set of what a model made": f"""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(8, 4)

            def forward(self, x):
                spread = x.std(dim=1, keepdim=True).clamp(min=1e-4)
                x /= spread  # bad: IPL102
                x = x / spread  # good
                return self.proj(x)

        model = nn.Sequential(nn.Linear(8, 8), Net())
        {_LOOP}
    """,
    "a loss that training is given, beside a model": """
        class Focal(nn.Module):
            def forward(self, out, y):
                p = out.sigmoid()
                p.clamp_(1e-4, 1 - 1e-4)  # bad: IPL101
                p = p.clamp(1e-4, 1 - 1e-4)  # good
                return -(y * p.log()).mean()

        def fit(model, loss_of, batches):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                loss = loss_of(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            fit(nn.Linear(4, 4), Focal(), [(torch.rand(3, 4), torch.rand(3, 4))])
    """,
    "one of two modules that the model may be made of": """
        class Body(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                return self.proj(x)

        class Head(nn.Module):
            def forward(self, x):
                e = x.exp()
                e /= e.sum(-1, keepdim=True)  # bad: IPL101
                e = e / e.sum(-1, keepdim=True)  # good
                return e

        def fit(model, batches):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                loss = F.mse_loss(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            fit(nn.Sequential(Body(), Head()), [(torch.rand(3, 4), torch.rand(3, 4))])
    """,
    "prepared for training by a helper that nothing here calls": """
        def prepared(x):
            top = x.abs().amax(dim=1, keepdim=True)
            top.clamp_(min=1e-3)
            return x / top

        def fit(model, batches):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                out = model(x)
                e = out.exp()
                e.mul_(2)  # bad: IPL101
                e = e.mul(2)  # good
                loss = F.mse_loss(e, y)
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            fit(nn.Linear(4, 4), [(prepared(torch.rand(3, 4)), torch.rand(3, 4))])
    """,
    "rows of a batch, or of what a layer makes of it": """
        def levelled(x):
            for row in x:
                row -= row.mean()  # good
                row -= row.mean()  # bad: IPL104
            return x

        def fit(model, batches):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                x = levelled(x.clone())  # good
                x = levelled(model(x).relu())  # bad
                loss = F.mse_loss(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            fit(nn.Linear(4, 4), [(torch.rand(3, 4), torch.rand(3, 4))])
    """,
}
