"""What the top level of files puts into a table is there when a function looks it up: judged in torch.

Each program takes a layer out of a table by its name and writes to what that layer returns. `Sigmoid` saves its result,
so that backward raises; `GELU` saves what it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inplace_lint.checks import check_source
from inplace_lint.prefilter.prefilter import Prefilter
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings
from inplace_lint.syntax.files import Files

from .in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

#: Makes the table and says how a layer of a name is made, in a file of its own.
TABLES = {
    "a base class": """
LAYERS = {}


class Layer(nn.Module):
    def __init_subclass__(cls, name, **options):
        super().__init_subclass__(**options)
        LAYERS[name] = cls


class First(Layer, name="Sigmoid"):
    def forward(self, x):
        return torch.sigmoid(x)


class Second(Layer, name="GELU"):
    def forward(self, x):
        return nn.functional.gelu(x)


def make(name):
    return LAYERS[name]()
""",
    "items": """
LAYERS = {}
LAYERS["Sigmoid"] = nn.Sigmoid
LAYERS["GELU"] = nn.GELU


def make(name):
    return LAYERS[name]()
""",
    "a loop": """
LAYERS = dict()
for kind in (nn.Sigmoid, nn.GELU):
    LAYERS[kind.__name__] = kind


def make(name):
    return LAYERS[name]()
""",
    "update": """
LAYERS = {}
LAYERS.update(Sigmoid=nn.Sigmoid, GELU=nn.GELU)


def make(name):
    return LAYERS[name]()
""",
    "a decorator": """
LAYERS = {}


def register(name):
    def put(kind):
        LAYERS[name] = kind
        return kind

    return put


def make(name):
    return LAYERS[name]()


@register("Sigmoid")
def sigmoid():
    return nn.Sigmoid()


@register("GELU")
class Gelu(nn.GELU):
    pass
""",
    "a class of tables": """
class Registry:
    def __init__(self, name):
        self._name = name
        self._kinds = dict()

    def get(self, key):
        return self._kinds.get(key, None)

    def _put(self, kind, name=None, force=False):
        name = kind.__name__ if name is None else name
        for one in [name] if isinstance(name, str) else name:
            if not force and one in self._kinds:
                raise KeyError(f"{one} is already registered in {self._name}")
            self._kinds[one] = kind

    def register(self, name=None, force=False, kind=None):
        if kind is not None:
            self._put(kind, name, force)
            return kind

        def put(kind):
            self._put(kind, name, force)
            return kind

        return put

    def build(self, options):
        options = options.copy()
        kind = self.get(options.pop("type"))
        if kind is None:
            raise KeyError("not registered")
        return kind(**options)


LAYERS = Registry("layers")
LAYERS.register(kind=nn.Sigmoid)


@LAYERS.register(["GELU", "gelu"])
class Gelu(nn.GELU):
    pass


def make(name, options=dict(approximate="none")):
    return LAYERS.build(dict(type=name) if name != "GELU" else dict(type=name, **options))
""",
    "a factory that is indexed": """
class Factory:
    def __init__(self):
        self.factories = {}

    def add(self, name, function):
        self.factories[name.upper()] = function

    def of(self, name):
        def put(function):
            self.add(name, function)
            return function

        return put

    def __getitem__(self, args):
        if isinstance(args, str):
            name, args = args, ()
        else:
            name, *args = args
        return self.factories[name.upper()](*args)

    def __getattr__(self, key):
        if key in self.factories:
            return key
        return super().__getattribute__(key)


LAYERS = Factory()


@LAYERS.of("sigmoid")
def _sigmoid(way):
    return nn.Sigmoid


@LAYERS.of("gelu")
def _gelu(way):
    return nn.GELU


def make(name):
    return LAYERS[{"GELU": LAYERS.GELU, "Sigmoid": LAYERS.SIGMOID}[name], 1]()
""",
}
NET = """

class Net(nn.Module):
    def __init__(self, {parameter}):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.layer = {made}

    def forward(self, x):
        y = self.layer(self.inner(x))
        y += 1
        return y


if __name__ == "__main__":
    Net().forward(torch.ones(2, 3)).sum().backward()
"""
HEAD = "import torch\nfrom torch import nn\n"


def _judge(folder: Path, files: dict[str, str], main: str) -> tuple[bool, list[str]]:
    """Whether torch raises when `main` is run, and what is found in it."""
    for name, text in files.items():
        (folder / name).write_text(text)
    path = folder / main
    found = check_source(str(path), path.read_bytes(), Settings(), Project(str(folder)))
    return refuses(path, folder), [one.code for one in found]


@pytest.mark.parametrize("name", ["Sigmoid", "GELU"])
@pytest.mark.parametrize("way", TABLES)
@pytest.mark.parametrize("apart", [False, True], ids=["one file", "two files"])
def test_what_a_table_holds(name: str, way: str, apart: bool, tmp_path: Path) -> None:
    net = NET.format(parameter="size=3", made=f'make("{name}")')
    files = {"net.py": HEAD + TABLES[way] + net}
    if apart:
        files = {"table.py": HEAD + TABLES[way], "net.py": HEAD + "from table import make\n" + net}
    raises, found = _judge(tmp_path, files, "net.py")
    assert raises == (name == "Sigmoid")
    assert found == (["IPL101"] if raises else [])


@pytest.mark.parametrize("name", ["Sigmoid", "GELU"])
def test_other_files_fill_the_table_of_one(name: str, tmp_path: Path) -> None:
    table = """
class Registry(dict):
    def register(self, kind):
        self[kind.__name__] = kind
        return kind


LAYERS = Registry()
OTHER_NAME = LAYERS
"""
    layers = "import table\n\n\n@table.OTHER_NAME.register\nclass Sigmoid(nn.Sigmoid):\n    pass\n"
    more = "from table import LAYERS\n\nLAYERS.register(nn.GELU)\n"
    net = "import layers\nimport more\nfrom table import LAYERS\n"
    files = {
        "table.py": table,
        "layers.py": HEAD + layers,
        "more.py": HEAD + more,
        "net.py": HEAD + net + NET.format(parameter="size=3", made=f'LAYERS["{name}"]()'),
    }
    raises, found = _judge(tmp_path, files, "net.py")
    assert raises == (name == "Sigmoid")
    assert found == (["IPL101"] if raises else [])


@pytest.mark.parametrize("name", ["Sigmoid", "GELU"])
def test_subclasses_in_other_files_are_put_into_the_table_by_their_base(name: str, tmp_path: Path) -> None:
    table = TABLES["a base class"]
    begin, end = table.index("class First"), table.index("def make")
    base = table[:begin] + "class Indirect(Layer, name=None):\n    pass\n\n\n" + table[end:]
    layers = "from table import Indirect\n\n\n" + table[begin:end].replace("(Layer,", "(Indirect,")
    files = {
        "table.py": HEAD + base,
        "layers.py": HEAD + layers,
        "net.py": HEAD
        + "import layers\nfrom table import make\n"
        + NET.format(parameter="size=3", made=f'make("{name}")'),
    }
    raises, found = _judge(tmp_path, files, "net.py")
    assert raises == (name == "Sigmoid")
    assert found == (["IPL101"] if raises else [])


@pytest.mark.parametrize("name", ["Sigmoid", "GELU"])
@pytest.mark.parametrize(
    ("default", "made"),
    [
        ('dict(type="{}")', "LAYERS.build(way)"),
        ('{{"type": "{}"}}', "LAYERS.build(way)"),
        ('("{}", {{}})', "LAYERS.get(way[0])(**way[1])"),
        ('"{}"', "LAYERS.get(way)()"),
    ],
)
def test_options_that_a_constructor_has_by_default(
    name: str, default: str, made: str, tmp_path: Path
) -> None:
    net = NET.format(parameter="way=" + default.format(name), made=made)
    raises, found = _judge(tmp_path, {"net.py": HEAD + TABLES["a class of tables"] + net}, "net.py")
    assert raises == (name == "Sigmoid")
    if raises or not default.startswith('"'):  # a word may be any other: what it leads to is told
        assert found == (["IPL101"] if raises else [])


def test_options_that_others_share_keep_their_numbers(tmp_path: Path) -> None:
    net = """
OPTIONS = {"type": "Sigmoid", "level": 0}


class First(nn.Module):
    def __init__(self, options=OPTIONS):
        super().__init__()
        self.options = options

    def forward(self, x):
        x = x * 2
        x += self.options["level"]
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.level = nn.Linear(3, 3), OPTIONS["level"]

    def forward(self, x):
        y = torch.sigmoid(self.inner(x))
        if self.level > 0:
            y += 1
        return y


if __name__ == "__main__":
    Net()(torch.ones(2, 3)).sum().backward()
"""
    assert _judge(tmp_path, {"net.py": HEAD + net}, "net.py") == (False, [])


def test_a_table_that_functions_fill_may_be_empty_or_not(tmp_path: Path) -> None:
    text = """
SEEN = []


def note(x):
    SEEN.append(x)


def f(w):
    y = torch.sigmoid(w)
    if not SEEN:
        y = y.clone()
    y += 1
    return y


if __name__ == "__main__":
    note(1)
    f(torch.ones(3, requires_grad=True)).sum().backward()
"""
    raises, found = _judge(tmp_path, {"net.py": HEAD + text}, "net.py")
    assert raises and found == ["IPL101"]


@pytest.mark.parametrize(
    ("statement", "fills"),
    [
        ("for kind in (1, 2):\n    table.add(kind)", True),
        ("for name, kind in KINDS.items():\n    table.add(kind)", True),
        ("try:\n    table.add(1)\nexcept KeyError:\n    pass", True),
        ("table[1] = 2", True),
        ("for step in range(9):\n    table.add(step)", False),
        ("while True:\n    table.add(1)", False),
        ("if __name__ == '__main__':\n    table.add(1)", False),
        ("print(1)", False),
    ],
)
def test_what_counts_as_filling(statement: str, fills: bool, tmp_path: Path) -> None:
    text = f"KINDS = {{}}\ntable = make()\n{statement}\n"
    files = Files(Project(str(tmp_path)))
    module = files.read(str(tmp_path / "table.py"), text.encode())
    found = Prefilter(files).registrations.of(module, "table", True)
    assert found is not None and len(found) == fills
