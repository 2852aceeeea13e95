"""What `state_dict()` of a module holds shares memory with its parameters (see `forms`)."""

_NET = """
        import copy

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                return self.last(torch.tanh(self.first(x)))

        net, teacher = Net(), Net()
        chain = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
"""


def _between(bad: str, good: str, before: str = "pass", net: str = "net", code: str = "IPL102") -> str:
    """A program that does something with a state dict between a forward and its backward."""
    lines = "".join(
        f"        {line}  # {form}{mark}\n"
        for form, lines, rule in (("bad", bad, f": {code}"), ("good", good, ""))
        for i, line in enumerate(lines.split("\n"))
        for mark in [rule if i == lines.count("\n") else ""]
    )
    return (
        _NET
        + f"""
        {before}
        loss = {net}(b).sum()
"""
        + lines
        + f"""
        loss.backward()
        for value in {net}.state_dict().values():
            value.mul_(0.9)
"""
    )


_EACH = "for name, value in net.state_dict().items():\n"
_PAIRS = "for mine, its in zip(net.state_dict().values(), teacher.state_dict().values()):\n"

PROGRAMS = {
    "a weight by its name": _between(
        'net.state_dict()["last.weight"].mul_(2)', 'net.state_dict()["last.bias"].mul_(2)'
    ),
    "a weight that needs no saving": _between(
        'net.state_dict()["last.weight"].mul_(2)', 'net.state_dict()["first.weight"].mul_(2)'
    ),
    "a weight in a sequence": _between(
        'chain.state_dict()["2.weight"].fill_(2)', 'chain.state_dict()["0.weight"].fill_(2)', net="chain"
    ),
    "part of a weight": _between(
        'net.state_dict()["last.weight"][:] = 2', 'teacher.state_dict()["last.weight"][:] = 2'
    ),
    "taken before the forward": _between(
        'kept["last.weight"].mul_(2)',
        'kept["last.weight"] = kept["last.weight"] * 2',
        "kept = net.state_dict()",
    ),
    "a weight that keeps its graph": _between(
        'with torch.no_grad():\n    net.state_dict(keep_vars=True)["last.weight"].mul_(2)',
        'net.state_dict(keep_vars=True)["last.weight"] * 2',
    ),
    "past its version": _between(
        'net.state_dict()["last.weight"].data.mul_(2)',
        'net.state_dict()["last.weight"].data.mul(2)',
        code="IPL201",
    ),
    "as an array": _between(
        'net.state_dict()["last.weight"].numpy()[:] = 2',
        'net.state_dict()["last.weight"].numpy().copy()[:] = 2',
        code="IPL202",
    ),
    "each by its name": _between(_EACH + "    value.copy_(value * 0.9)", _EACH + "    value = value * 0.9"),
    "each of two": _between(_PAIRS + "    mine.lerp_(its, 0.1)", _PAIRS + "    its.lerp_(mine, 0.1)"),
    "each of a copy": _between(
        _EACH + "    value.mul_(0.9)",
        "for value in copy.deepcopy(net).state_dict().values():\n    value.mul_(0.9)",
    ),
    "each of a copied dict": _between(
        _EACH + "    value.mul_(0.9)",
        "for value in copy.deepcopy(net.state_dict()).values():\n    value.mul_(0.9)",
    ),
    "each of a dict of clones": _between(
        "for name in kept:\n    kept[name] += 1",
        "kept = {name: value.clone() for name, value in kept.items()}\nfor value in kept.values():\n    value += 1",
        "kept = net.state_dict()",
    ),
    "loaded from another": _between(
        "net.load_state_dict(teacher.state_dict())",
        "teacher.load_state_dict(net.state_dict())",
        code="IPL106",
    ),
    "a moving average of a trained model": _NET
    + """
        class Average:
            def __init__(self, model, decay=0.9):
                self.model, self.decay = model, decay
                self.shadow = copy.deepcopy(model)  # good
                self.shadow = model  # bad

            @torch.no_grad()
            def update(self):
                trained = self.model.state_dict()
                for name, value in self.shadow.state_dict().items():
                    value.mul_(self.decay).add_(trained[name], alpha=1 - self.decay)

        average = Average(net)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            loss = net(b).sum() + net(b * 2).sum()
            average.update()  # bad: IPL102
            average.update()  # good
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update()
    """,
    "in a method of the module": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                out = self.last(torch.tanh(self.first(x)))
                for value in self.last.state_dict().values():
                    value.clamp_(-1, 1)  # bad: IPL102
                    value.clamp(-1, 1)  # good
                return out

        if __name__ == "__main__":
            Net()(torch.rand(2, 4)).sum().backward()
    """,
    "of a model that somebody else builds": _NET
    + """
        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for batch in batches:
                loss = model(batch).square().mean()
                for value in model.state_dict().values():  # bad
                    value.mul_(0.99)  # bad: IPL102
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                for value in model.state_dict().values():  # good
                    value.mul_(0.99)  # good

        if __name__ == "__main__":
            train(net, torch.rand(2, 3, 4))
    """,
    "saved, logged and sent away": _NET
    + """
        import io

        kept = {}
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for step in range(2):
            loss = net(b).sum()
            torch.save(net.state_dict(), io.BytesIO())
            kept[step] = {name: value.detach().cpu().clone() for name, value in net.state_dict().items()}
            norms = [value.norm().item() for value in net.state_dict().values()]
            kept[step]["last.weight"].mul_(2)
            net.state_dict()["last.weight"].mul_(2)  # bad: IPL102
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        net.load_state_dict(kept[0])
    """,
    "a bias that is saved, and one that is only added": """
        net = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 1))
        loss = net(b[None]).square().sum()
        with torch.no_grad():
            net[1].bias.mul_(2)  # bad: IPL102
            net[0].bias.mul_(2)  # good
            net[2].bias.copy_(net[2].bias * 2)  # good
        net.state_dict()["2.bias"].zero_()  # good
        loss.backward()
    """,
}
