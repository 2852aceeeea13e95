"""The prefilter only spares work: what it passes over holds no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.prefilter.callers import users_of_objects
from inplace_lint.prefilter.driver_synthesis import Driver, of_entry_points
from inplace_lint.prefilter.prefilter import Prefilter
from inplace_lint.prefilter.selection import suspects, trains
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings
from inplace_lint.schedule import analyze
from inplace_lint.syntax.files import Files
from inplace_lint.syntax.module import FunctionSource, Module

ROOT = Path(__file__).parents[2]
PROGRAMS = [*sorted((ROOT / "rules").glob("*/cases/*.py")), *sorted((ROOT / "examples").glob("*.py"))]


def findings(source: bytes) -> set[tuple[str, int]]:
    """Codes and rows; how sure a finding is may depend on how many callers are run."""
    found = check_source("program.py", source, Settings(), Project())
    return {(one.code, one.location.row) for one in found if one.severity == "error"}


def prefiltered(text: str) -> tuple[list[str], Prefilter, Module]:
    """The names of the suspicious functions of a program, its prefilter and the program."""
    files = Files(Project())
    module = Module("program.py", text.encode())
    files.add(module)
    prefilter = Prefilter(files)
    return (
        [getattr(function, "name", "top level") for function in suspects(prefilter, module)],
        prefilter,
        module,
    )


def all_of(prefilter: Prefilter, module: Module) -> list[FunctionSource | None]:
    """Every function of a file, as if there were no prefilter."""
    return [*module.functions_in_order(), None]


def test_every_finding_of_an_exact_run_is_suspected_first(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [path.read_bytes() for path in PROGRAMS]
    found = [findings(source) for source in sources]
    monkeypatch.setattr(analyze, "suspects", all_of)
    assert found == [findings(source) for source in sources]
    assert sum(map(len, found)) > 40


def test_random_programs_lose_nothing_either(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from ..differential.generator import generate

    sources = [generate(seed).source.encode() for seed in range(60)]
    found = [findings(source) for source in sources]
    monkeypatch.setattr(analyze, "suspects", all_of)
    lost = [findings(source) - known for source, known in zip(sources, found)]
    assert not any(lost)
    assert sum(map(len, found)) > 10


@pytest.mark.parametrize(
    "body",
    [
        "count = 0\n    for row in x:\n        count += 1\n    return count",
        "out = {}\n    out['a'] = x.sigmoid()\n    return out",
    ],
    ids=["counter", "dict"],
)
def test_plainly_safe_write_costs_no_run(body: str) -> None:
    suspicious, _, _ = prefiltered(f"import torch\n\n\ndef f(x, flag):\n    {body}\n")
    assert suspicious == []


def test_a_file_that_changed_is_read_anew() -> None:
    bad = b"import torch\n\n\ndef f(x):\n    y = torch.exp(x)\n    y += 1\n    return y\n"
    project = Project()
    good = bad.replace(b"+=", b"= y +")
    for source, expected in ((good, 0), (bad, 1), (good, 0)):
        assert len(check_source("program.py", source, Settings(), project)) == expected


def test_module_built_by_a_function_of_the_file_is_looked_at_where_it_is_called() -> None:
    suspicious, _, _ = prefiltered(
        "from torch import nn\n\n\ndef head():\n    return nn.Sequential(\n        nn.Tanh(),\n"
        "        nn.ReLU(inplace=True),\n    )\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.net = head()\n\n    def forward(self, x):\n"
        "        y = self.net(x)\n        return y * 2\n"
    )
    assert "forward" in suspicious


@pytest.mark.parametrize(("mode", "expected"), [("with torch.no_grad()", False), ("if True", True)])
def test_what_a_function_of_the_project_fills_and_does_not_record_is_initialised(
    tmp_path: Path, mode: str, expected: bool
) -> None:
    (tmp_path / "filling.py").write_text(
        f"import torch\n\n\ndef fill_(tensor):\n    {mode}:\n        return tensor.normal_()\n"
    )
    text = (
        "import torch\nfrom torch import nn\nfrom filling import fill_\n\n\nclass Net(nn.Module):\n"
        "    def reset(self):\n        fill_(self.weight)\n"
    )
    files = Files(Project(str(tmp_path)))
    module = Module(str(tmp_path / "net.py"), text.encode())
    files.add(module)
    prefilter = Prefilter(files)
    chosen = suspects(prefilter, module)
    assert any(source is not None and source.name == "reset" for source in chosen) is expected


def drivers(text: str) -> list[Driver]:
    """The drivers of a program, as if each of its functions left something to its callers."""
    _, prefilter, module = prefiltered(text)
    return of_entry_points(prefilter, module, module.functions_in_order())


NESTED = """
import torch

class Scale:
    def __call__(self, x):
        return x.mul_(2)

class Compose:
    def __init__(self, parts):
        self.parts = parts
    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x
"""


def test_objects_that_may_hold_objects_of_their_own_class_are_built_to_an_end() -> None:
    assert drivers(NESTED)


RENAMED = """
import torch

class Scale:
    def __call__(self, x):
        return x.mul_(2)

class Pipe:
    def prepare(self, image):
        image = [one for image in image for one in image]
        return self.scale(image[0])

    def __init__(self, scale):
        self.scale = scale
"""


def test_a_loop_that_names_what_it_goes_over_is_asked_to_an_end() -> None:
    assert drivers(RENAMED)


HELD = """
import torch

class Halve:
    def __exit__(self, *error):
        self.tensor.mul_(0.5)

    def __init__(self, tensor):
        self.tensor = tensor

    def __enter__(self):
        return self

def f(x):
    h = torch.exp(x)
    with {}(h):
        pass
    return h
"""


def test_whoever_has_an_object_whose_method_writes_is_run_although_it_names_no_method() -> None:
    assert findings(HELD.format("Halve").encode()) == {("IPL101", 16)}
    assert findings(HELD.format("print").encode()) == set()


@pytest.mark.parametrize("text", [HELD.format("print").replace("f(x)", "f(x: Halve)"), HELD.format("Halve")])
def test_who_names_a_class_may_have_an_object_of_it(text: str) -> None:
    module = Module("program.py", text.encode())
    writer = module.classes["Halve"].methods["__exit__"]
    assert [f.name for f in users_of_objects(module, {writer})] == ["f"]


def test_who_names_no_class_has_no_object_of_it() -> None:
    module = Module("program.py", HELD.format("print").encode())
    assert not users_of_objects(module, {module.classes["Halve"].methods["__exit__"]})


def test_a_call_that_gives_too_little_is_no_call_of_what_trains() -> None:
    _, _, module = prefiltered(
        "class Loop:\n"
        "    def train(self, batches):\n        self.model(batches).backward()\n\n"
        "    def test(self, batch):\n        self.model.train()\n        return self.model(batch)\n\n"
        "    def both(self, batches):\n        self.model.train()\n        self.train(batches)\n"
    )
    methods = module.classes["Loop"].methods
    assert {name: trains(module, method) for name, method in methods.items()} == {
        "train": True,
        "test": False,
        "both": True,
    }
