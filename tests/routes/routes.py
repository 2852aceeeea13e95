"""Ways in which Python leads from one half of a hazard to the other: `first(x)`, `second(m, x)`, and `run` of both."""

from __future__ import annotations

import re

#: Every program begins so. Routes without `def first` are given the two halves as functions.
HEAD = """\
import contextlib
import functools
import itertools
from collections import namedtuple
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

"""
HALVES = """
def first(x):
    {FIRST}


def second(m, x):
    {SECOND}

"""
#: ... and ends so.
DRIVER = """

x = torch.rand(2, 4, 4, requires_grad=True)
run(x).sum().backward()
"""

ROUTES = {
    "one function after the other": """
def run(x):
    return second(first(x), x)
""",
    "one body": """
def run(x):
    def inner():
        {FIRST}
    m = inner()
    {SECOND}
""",
    "methods, by self": """
class Block(nn.Module):
    def first(self, x):
        {FIRST}

    def second(self, m, x):
        {SECOND}

    def forward(self, x):
        return self.second(self.first(x), x)


run = Block()
""",
    "methods, by another name than self, through an attribute": """
class Block(nn.Module):
    def first(this, x):
        {FIRST}

    def second(this, m, x):
        {SECOND}

    def forward(this, x):
        this.kept = this.first(x)
        return this.second(this.kept, x)


run = Block()
""",
    "a diamond": """
class Base(nn.Module):
    def first(self, x):
        raise NotImplementedError

    def second(self, m, x):
        raise NotImplementedError

    def forward(self, x):
        return self.second(self.first(x), x)


class Left(Base):
    def second(self, m, x):
        {SECOND}


class Right(Base):
    def first(self, x):
        {FIRST}


class Both(Left, Right):
    pass


run = Both()
""",
    "super() that goes sideways": """
class Base:
    def first(self, x):
        return x


class Left(Base):
    def first(self, x):
        return super().first(x)


class Right(Base):
    def first(self, x):
        {FIRST}


class Both(Left, Right):
    def second(self, m, x):
        {SECOND}

    def __call__(self, x):
        return self.second(self.first(x), x)


run = Both()
""",
    "a class method": """
class Halves:
    @classmethod
    def first(cls, x):
        {FIRST}

    @classmethod
    def second(cls, m, x):
        {SECOND}


def run(x):
    return Halves.second(Halves.first(x), x)
""",
    "static methods, by an object": """
class Halves:
    @staticmethod
    def first(x):
        {FIRST}

    @staticmethod
    def second(m, x):
        {SECOND}


def run(x):
    halves = Halves()
    return halves.second(halves.first(x), x)
""",
    "keywords handed on": """
def outer(**options):
    return second(**options)


def run(x):
    return outer(x=x, m=first(x))
""",
    "positions handed on": """
def outer(*given):
    return second(*given)


def run(x):
    return outer(first(x), x)
""",
    "keywords only, and a default": """
def outer(x, *, m=None):
    if m is None:
        m = first(x)
    return second(m, x)


def run(x):
    return outer(x)
""",
    "a partial": """
def run(x):
    later = functools.partial(second, x=x)
    return later(first(x))
""",
    "a lambda": """
def run(x):
    both = lambda a: second(first(a), a)
    return both(x)
""",
    "a closure": """
def build(x):
    m = first(x)

    def later():
        return second(m, x)

    return later


def run(x):
    return build(x)()
""",
    "a closure that sets a name outside": """
def run(x):
    m = None

    def begin():
        nonlocal m
        m = first(x)

    begin()
    return second(m, x)
""",
    "a generator": """
def parts(x):
    yield first(x)


def run(x):
    for m in parts(x):
        out = second(m, x)
    return out
""",
    "a generator in a generator": """
def parts(x):
    yield first(x)


def all_parts(x):
    yield from parts(x)


def run(x):
    return [second(m, x) for m in all_parts(x)][0]
""",
    "next": """
def run(x):
    m = next(iter([first(x)]))
    return second(m, x)
""",
    "a context manager": """
@contextlib.contextmanager
def prepared(x):
    yield first(x)


def run(x):
    with prepared(x) as m:
        return second(m, x)
""",
    "a context manager of its own class": """
class Prepared:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return first(self.x)

    def __exit__(self, *reason):
        return None


def run(x):
    with Prepared(x) as m:
        out = second(m, x)
    return out
""",
    "an object that is called": """
class First:
    def __call__(self, x):
        {FIRST}


class Second:
    def __init__(self, x):
        self.x = x

    def __call__(self, m):
        x = self.x
        {SECOND}


def run(x):
    return Second(x)(First()(x))
""",
    "a property": """
class Held:
    def __init__(self, x):
        self.x = x

    @property
    def half(self):
        x = self.x
        {FIRST}


def run(x):
    m = Held(x).half
    {SECOND}
""",
    "a cached property": """
class Held:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def half(self):
        x = self.x
        {FIRST}


def run(x):
    held = Held(x)
    return second(held.half, x)
""",
    "a decorator": """
def prepared(function):
    @functools.wraps(function)
    def inner(x):
        return function(first(x), x)

    return inner


@prepared
def run(m, x):
    {SECOND}
""",
    "a decorator with an argument": """
def prepared(before):
    def decorate(function):
        def inner(*args, **kwargs):
            return function(before(*args, **kwargs), *args, **kwargs)

        return inner

    return decorate


@prepared(first)
def run(m, x):
    {SECOND}
""",
    "a list, unpacked": """
def run(x):
    made = [x, first(x)]
    y, m = made
    return second(m, y)
""",
    "a tuple, unpacked around a star": """
def run(x):
    head, *rest, y = (1, 2, first(x), x)
    return second(rest[1], y)
""",
    "a dict of functions": """
STEPS = {"first": first, "second": second}


def run(x):
    m = STEPS["first"](x)
    return STEPS["second"](m, x)
""",
    "a dict of values": """
def run(x):
    state = {"x": x}
    state["m"] = first(x)
    state.update(done=True)
    return second(state["m"], state["x"])
""",
    "a comprehension": """
def run(x):
    made = [first(one) for one in [x]]
    return sum(second(m, x) for m in made)
""",
    "a dict comprehension": """
def run(x):
    made = {name: step(x) for name, step in [("m", first)]}
    return second(made["m"], x)
""",
    "a walrus": """
def run(x):
    if (m := first(x)) is not None:
        return second(m, x)
    return x
""",
    "match": """
def run(x, kind="one"):
    match kind:
        case "one":
            m = first(x)
        case _:
            raise ValueError(kind)
    return second(m, x)
""",
    "try and finally": """
def run(x):
    try:
        m = first(x)
    except ValueError:
        raise
    else:
        out = second(m, x)
    finally:
        done = True
    return out
""",
    "a record": """
@dataclass
class Record:
    m: Any
    x: torch.Tensor


def run(x):
    record = Record(first(x), x=x)
    return second(record.m, record.x)
""",
    "a named tuple": """
class Record(NamedTuple):
    m: Any
    x: torch.Tensor


def run(x):
    record = Record(first(x), x)
    return second(record.m, record.x)
""",
    "a named tuple, made by a call": """
Record = namedtuple("Record", ["m", "x"])


def run(x):
    record = Record(m=first(x), x=x)
    return second(record.m, record.x)
""",
    "modules in a list": """
class First(nn.Module):
    def forward(self, x):
        {FIRST}


class Second(nn.Module):
    def forward(self, m, x):
        {SECOND}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([First(), Second()])

    def forward(self, x):
        m = self.parts[0](x)
        return self.parts[1](m, x)


run = Model()
""",
    "modules in a row": """
class First(nn.Module):
    def forward(self, x):
        return half(x), x


def half(x):
    {FIRST}


class Second(nn.Module):
    def forward(self, given):
        m, x = given
        {SECOND}


run = nn.Sequential(First(), Second())
""",
    "a loop over pairs": """
def run(x):
    for step, finish in zip([first], [second]):
        out = finish(step(x), x)
    return out
""",
    "a loop that counts": """
def run(x):
    m = out = None
    for i, step in enumerate([first, second]):
        if i == 0:
            m = step(x)
        else:
            out = step(m, x)
    return out
""",
    "a loop until": """
def run(x):
    rounds = 0
    while rounds < 1:
        m = first(x)
        rounds += 1
    return second(m, x)
""",
    "map": """
def run(x):
    (m,) = map(first, [x])
    return second(m, x)
""",
    "reduce": """
def run(x):
    return functools.reduce(lambda value, step: step(value, x), [lambda v, x: first(v), second], x)
""",
    "starmap": """
def run(x):
    return list(itertools.starmap(second, [(first(x), x)]))[0]
""",
    "getattr by name": """
class Block(nn.Module):
    def first(self, x):
        {FIRST}

    def second(self, m, x):
        {SECOND}

    def forward(self, x):
        return getattr(self, "second")(getattr(self, "first")(x), x)


run = Block()
""",
    "setattr by name": """
class Block(nn.Module):
    def forward(self, x):
        setattr(self, "kept", first(x))
        return second(self.kept, x)


run = Block()
""",
    "a choice of functions": """
def run(x, late=False):
    step = first if not late else second
    return second(step(x), x)
""",
    "a value or another": """
def run(x, given=None):
    m = given or first(x)
    return second(m, x)
""",
    "an index of its own class": """
class Table:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, name):
        return first(self.x)


def run(x):
    return second(Table(x)["m"], x)
""",
    "an operator of its own class": """
class Half:
    def __init__(self, x):
        self.m, self.x = first(x), x

    def __add__(self, other):
        return second(self.m, self.x)


def run(x):
    return Half(x) + 1
""",
    "functions given as arguments": """
def apply(steps, x):
    before, after = steps
    return after(before(x), x)


def run(x):
    return apply((first, second), x)
""",
    "a bound method kept": """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = self.first

    def first(self, x):
        {FIRST}

    def forward(self, x):
        m = self.step(x)
        return second(m, x)


run = Block()
""",
    "a module that is given": """
class First(nn.Module):
    def forward(self, x):
        {FIRST}


class Model(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        m = self.inner(x)
        {SECOND}


run = Model(First())
""",
    "a factory": """
def make(kind):
    if kind == "first":
        return first
    return None


def run(x):
    return second(make("first")(x), x)
""",
    "a registry": """
STEPS = {}


def register(name):
    def decorate(function):
        STEPS[name] = function
        return function

    return decorate


@register("begin")
def begin(x):
    {FIRST}


def run(x):
    return second(STEPS["begin"](x), x)
""",
    "an iterator of its own class": """
class Parts:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield first(self.x)


def run(x):
    for m in Parts(x):
        return second(m, x)
""",
    "a class attribute": """
class Block(nn.Module):
    begin = staticmethod(first)

    def forward(self, x):
        return second(self.begin(x), x)


run = Block()
""",
    "a global": """
_kept = None


def begin(x):
    global _kept
    _kept = first(x)


def run(x):
    begin(x)
    return second(_kept, x)
""",
}


#: How one file of a project comes to the halves in another: the files besides, and what stands in this one.
IMPORTS = {
    "all names": ({"parts.py": HEAD + HALVES}, "from parts import *\n"),
    "by name": ({"parts.py": HEAD + HALVES}, "from parts import first, second\n"),
    "under other names": (
        {"parts.py": HEAD + HALVES},
        "from parts import first as begin, second as end\n\nfirst, second = begin, end\n",
    ),
    "exported again": (
        {"parts/__init__.py": "from .inner import first, second\n", "parts/inner.py": HEAD + HALVES},
        "from parts import first, second\n",
    ),
    "all names, exported again": (
        {"parts/__init__.py": "from .inner import *\n", "parts/inner.py": HEAD + HALVES},
        "from parts import *\n",
    ),
    "under a try": (
        {"parts.py": HEAD + HALVES},
        "try:\n    from parts import first, second\nexcept ImportError:\n    raise\n",
    ),
    "where it is needed": (
        {"parts.py": HEAD + HALVES},
        "def first(x):\n    from parts import first as begin\n\n    return begin(x)\n\n\n"
        "def second(m, x):\n    from parts import second as end\n\n    return end(m, x)\n",
    ),
    "as a module": (
        {"parts.py": HEAD + HALVES},
        "import parts\n\nfirst = parts.first\nsecond = parts.second\n",
    ),
}
_BOTH = ROUTES["one function after the other"]


def source(route: str, first: str, second: str) -> str:
    """The program of a route, with these halves."""
    text = ROUTES[route]
    for half in ("first", "second"):
        if re.search(rf"(?<!\.)\b{half}\b", text) and f"def {half}" not in text:
            text = HALVES + text
            break
    return filled(HEAD + text + DRIVER, first, second)


def imported(way: str, first: str, second: str) -> dict[str, str]:
    """The files of a project in which one imports the halves from others: `main.py`, and these."""
    others, text = IMPORTS[way]
    files = {**others, "main.py": HEAD + text + _BOTH + DRIVER}
    return {name: filled(each, first, second) for name, each in files.items()}


def filled(text: str, first: str, second: str) -> str:
    lines = []
    for line in text.split("\n"):
        half = {"{FIRST}": first, "{SECOND}": second}.get(line.strip())
        indent = line[: len(line) - len(line.lstrip())]
        lines += [line] if half is None else [indent + one for one in half.split("\n")]
    return "\n".join(lines)
