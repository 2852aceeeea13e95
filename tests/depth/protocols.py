"""Objects of the project that loops go over: by `__iter__`, `__next__` or `__getitem__` (see `forms`)."""

_LOADER = """
        import itertools
        import random

        import numpy as np

        class Rows:
            def __init__(self, count):
                self.rows = np.linspace(0, 1, 4 * count, dtype=np.float32).reshape(count, 4)

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                return self.rows[index]

"""
_STAGED = {
    "a generator": """
        class Staged:
            def __init__(self, rows):
                self.rows, self.page = rows, torch.zeros(4)

            def __iter__(self):
                for i in range(len(self.rows)):
                    page = self.page  # bad
                    page = torch.zeros(4)  # good
                    page.copy_(torch.from_numpy(self.rows[i]))
                    yield page
    """,
    "itself and its next": """
        class Staged:
            def __init__(self, rows):
                self.rows, self.page, self.at = rows, torch.zeros(4), 0

            def __iter__(self):
                self.at = 0
                return self

            def __next__(self):
                if self.at >= len(self.rows):
                    raise StopIteration
                page = self.page  # bad
                page = torch.zeros(4)  # good
                page.copy_(torch.from_numpy(self.rows[self.at]))
                self.at += 1
                return page
    """,
    "its items": """
        class Staged:
            def __init__(self, rows):
                self.rows, self.page = rows, torch.zeros(4)

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                if index >= len(self.rows):
                    raise IndexError(index)
                page = self.page  # bad
                page = torch.zeros(4)  # good
                page.copy_(torch.from_numpy(self.rows[index]))
                return page
    """,
    "an iterator of its own": """
        class Pages:
            def __init__(self, rows, page):
                self.rows, self.page, self.at = rows, page, 0

            def __iter__(self):
                return self

            def __next__(self):
                if self.at >= len(self.rows):
                    raise StopIteration
                self.at += 1
                page = self.page  # bad
                page = torch.zeros(4)  # good
                page.copy_(torch.from_numpy(self.rows[self.at - 1]))
                return page

        class Staged:
            def __init__(self, rows):
                self.rows, self.page = rows, torch.zeros(4)

            def __iter__(self):
                return Pages(self.rows, self.page)
    """,
}
_TRAINED = """
        def train(loader, layer):
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
            losses = []
            for GONE_OVER:  # bad: IPL102
            for GONE_OVER:  # good
                losses.append(layer(page).square().sum())
            optimizer.zero_grad()
            torch.stack(losses).sum().backward()
            optimizer.step()

        train(Staged(Rows(3)), nn.Linear(4, 1))
"""
_WAYS = {
    "itself": "page in loader",
    "counted": "number, page in enumerate(loader)",
    "beside another": "weight, page in zip([1.0, 2.0, 3.0], loader)",
    "through a function": "page in map(torch.Tensor.detach, loader)",
    "cut short": "page in itertools.islice(loader, random.randint(2, 2))",
    "chained": "page in itertools.chain(loader, loader)",
    "by its iterator": "page in iter(loader)",
}

PROGRAMS = {
    f"pages of {how}, gone over {way}": _LOADER + staged + _TRAINED.replace("GONE_OVER", loop)
    for how, staged in _STAGED.items()
    for way, loop in _WAYS.items()
}
PROGRAMS.update(
    {
        f"pages of {how}, taken {way}": _LOADER
        + staged
        + f"""
        def train(loader, layer):
            {taken}
            loss = layer(first).square().sum() + layer(second).square().sum()
            loader.page.mul_(2)  # bad: IPL102
            loader.page.mul_(2)  # good
            loss.backward()

        train(Staged(Rows(2)), nn.Linear(4, 1))
"""
        for how, staged in _STAGED.items()
        for way, taken in {
            "as a list": "first, second = list(loader)",
            "apart": "first, second = loader",
            "as a tuple, spread": "first, second = (*loader,)",
            "each by itself": "pages = iter(loader); first = next(pages); second = first",
        }.items()
    }
)

_STEPWISE = """
        def train(loader, layer):
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
            kept = 0.0
            for GONE_OVER:  # bad: IPL102
            for GONE_OVER:  # good
                out = layer(page).square()
                loss = out.sum()
                optimizer.zero_grad()
                kept = kept + loss  # bad
                loss.backward()  # good
                optimizer.step()  # good
                loader.page.mul_(0.5)  # bad: IPL102
                loader.page.mul_(0.5)  # good
            kept.backward()  # bad

        train(Staged(Rows(3)), nn.Linear(4, 1))
"""
PROGRAMS.update(
    {
        f"pages of {how}, each used up, gone over {way}": _LOADER
        + staged.replace("  # bad", "").replace("page = torch.zeros(4)  # good", "pass")
        + _STEPWISE.replace("GONE_OVER", loop)
        for how, staged in _STAGED.items()
        for way, loop in _WAYS.items()
        if way not in ("cut short", "chained")
    }
)
PROGRAMS["a page that is asked for twice"] = (
    _LOADER
    + _STAGED["itself and its next"]
    + """
        layer = nn.Linear(4, 1)
        pages = iter(Staged(Rows(3)))
        one = layer(next(pages)).square()
        other = layer(next(pages)).square()  # bad: IPL102
        one.backward()  # good
        layer(next(pages)).square().backward()  # good
        (one + other).backward()  # bad
    """
)
PROGRAMS["a page that a generator is asked for twice"] = """
        def pages(page):
            while True:
                page.copy_(torch.rand(4))
                yield page

        layer = nn.Linear(4, 1)
        drawn = pages(torch.zeros(4))
        one = layer(next(drawn)).square()
        other = layer(next(drawn)).square()  # bad: IPL102
        one.backward()  # good
        layer(next(drawn)).square().backward()  # good
        (one + other).backward()  # bad
"""
PROGRAMS["asked until it has no more"] = (
    _LOADER
    + _STAGED["itself and its next"]
    + """
        layer = nn.Linear(4, 1)
        pages = iter(Staged(Rows(3)))
        total = torch.zeros(1)
        while True:
            try:
                page = next(pages)  # bad: IPL102
                page = next(pages)  # good
            except StopIteration:
                break
            total = total + layer(page).square()
        total.backward()
    """
)
PROGRAMS["an item that a module takes of what it was built with"] = (
    _LOADER
    + _STAGED["its items"]
    + """
        class Net(nn.Module):
            def __init__(self, rows):
                super().__init__()
                self.layer, self.staged = nn.Linear(4, 1), Staged(rows)

            def forward(self):
                first = self.layer(self.staged[0])
                return first.square() + self.layer(self.staged[1]).square()  # bad: IPL102
                return first.square() + self.layer(self.staged[1]).square()  # good

        if __name__ == "__main__":
            Net(Rows(2))().sum().backward()
    """
)
PROGRAMS["what a module goes over that nobody calls"] = (
    _LOADER
    + _STAGED["a generator"]
    + """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 1)

            def forward(self, rows):
                total = 0
                for page in Staged(rows):  # bad: IPL102
                    total = total + self.layer(page).square().sum()  # bad
                return total  # bad
                return torch.stack([self.layer(page).square().sum() for page in Staged(rows)]).sum()  # good

        if __name__ == "__main__":
            Net()(Rows(2)).backward()
    """
)
PROGRAMS["numbers that an object counts while it is gone over"] = """
        class Schedule:
            def __init__(self, steps):
                self.steps, self.at = steps, 0

            def __iter__(self):
                return self

            def __next__(self):
                if self.at >= self.steps:
                    raise StopIteration
                self.at += 1
                return self.at

        layer = nn.Linear(4, 1)
        out = torch.sigmoid(layer(b))
        for step in Schedule(3):
            if step > 5:  # good
                out.mul_(2)  # bad: IPL101
                out * 2  # good
        out.backward()
"""
