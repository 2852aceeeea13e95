"""The prefilter only spares work: what it passes over holds no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.interp import program
from inplace_lint.prefilter.callers import users_of_objects
from inplace_lint.prefilter.selection import suspects
from inplace_lint.prefilter.summaries import Prefilter
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings
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


def summarised_as_suspicious(text: str) -> list[str]:
    """The functions of a program whose summaries say that calls in them may go wrong."""
    _, prefilter, module = prefiltered(text)
    return [function.name for function in module.functions_in_order() if prefilter.of(function).suspicious]


def test_every_finding_of_an_exact_run_is_suspected_first(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [path.read_bytes() for path in PROGRAMS]
    found = [findings(source) for source in sources]
    monkeypatch.setattr(program, "suspects", all_of)
    assert found == [findings(source) for source in sources]
    assert sum(map(len, found)) > 40


def test_random_programs_lose_nothing_either(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from ..differential.generator import generate

    sources = [generate(seed).source.encode() for seed in range(60)]
    found = [findings(source) for source in sources]
    monkeypatch.setattr(program, "suspects", all_of)
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


def test_summary_tells_what_a_function_saves_and_writes() -> None:
    _, prefilter, module = prefiltered(
        "import torch\n\n\ndef f(a, b, c):\n    a.add_(1)\n    return torch.exp(c), b * c\n"
    )
    summary = prefilter.of(module.functions["f"])
    assert (summary.writes, summary.saves) == ({"a"}, {"b", "c"})


def test_save_inside_a_call_is_found_when_its_argument_is_written() -> None:
    suspicious, _, _ = prefiltered(
        "import torch\nfrom torch import Tensor\n\n\ndef gate(x, w):\n    return x * w\n\n\n"
        "def f(x: Tensor):\n    w = torch.ones(3, requires_grad=True)\n    h = x + 1\n    y = gate(h, w)\n"
        "    h += 1\n    return y\n"
    )
    assert suspicious == ["f"]


def test_tensor_that_is_handed_on_many_times_is_told_once() -> None:
    text = "import torch\n\n\ndef scaled(x):\n    return x * x\n\n\ndef f0(x, y):\n    y.add_(1)\n    scaled(x)\n\n\n"
    for depth in range(1, 30):
        text += f"def f{depth}(x, y):\n    f{depth - 1}(x, y)\n    f{depth - 1}(x, y)\n\n\n"
    _, prefilter, module = prefiltered(text)
    summary = prefilter.of(module.functions["f29"])
    assert (summary.writes, summary.saves) == ({"y"}, {"x"})


def test_write_under_the_callees_own_no_grad_is_no_write_of_a_leaf() -> None:
    suspicious = summarised_as_suspicious(
        "import torch\nfrom torch import nn\n\n\n@torch.no_grad()\ndef fill(w):\n    w.fill_(0)\n\n\n"
        "class Layer(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = nn.Parameter(torch.rand(3))\n        fill(self.w)\n"
    )
    assert suspicious == []


def test_the_summary_of_a_file_that_changed_is_made_anew() -> None:
    bad = b"import torch\n\n\ndef f(x):\n    y = torch.exp(x)\n    y += 1\n    return y\n"
    project = Project()
    good = bad.replace(b"+=", b"= y +")
    for source, expected in ((good, 0), (bad, 1), (good, 0)):
        assert len(check_source("program.py", source, Settings(), project)) == expected


def test_top_level_that_calls_with_what_requires_grad_is_worth_a_run() -> None:
    text = (
        "import torch\n\n\ndef f(a):\n    b = a * 2\n    c = b**2\n    b += 1\n    return b + c\n\n\n"
        "x = torch.ones(3, requires_grad=True)\n{}\n"
    )
    assert "top level" in prefiltered(text.format("print(f(x))"))[0]
    assert "top level" not in prefiltered(text.format("print(x)"))[0]


def test_module_built_by_a_function_of_the_file_is_looked_at_where_it_is_called() -> None:
    suspicious, _, _ = prefiltered(
        "from torch import nn\n\n\ndef head():\n    return nn.Sequential(\n        nn.Tanh(),\n"
        "        nn.ReLU(inplace=True),\n    )\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.net = head()\n\n    def forward(self, x):\n"
        "        y = self.net(x)\n        return y * 2\n"
    )
    assert "forward" in suspicious


def test_buffer_that_a_method_called_by_init_makes_is_a_tensor() -> None:
    suspicious, _, _ = prefiltered(
        "import torch\nfrom torch import nn\n\n\nclass Cache(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.w = nn.Linear(3, 3)\n        self.reset()\n\n"
        "    def reset(self):\n        self.kept = torch.zeros(4, 3)\n\n    def forward(self, x):\n"
        "        self.kept[0] = self.w(x)\n        return torch.einsum('bd,d->b', self.kept, x)\n\n\n"
        "class Steps(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.cache = Cache()\n\n"
        "    def forward(self, xs):\n        return [self.cache(x) for x in xs]\n"
    )
    assert "forward" in suspicious


def _class_with(started: str) -> str:
    return (
        "import torch\n\n\nclass Meter:\n"
        f"    def __init__(self):\n        self.spread = {started}\n\n"
        "    def weigh(self, n: int):\n        y = torch.exp(torch.arange(n) / self.spread)\n"
        "        y *= 2\n        return y\n"
    )


def test_attribute_that_starts_as_a_number_needs_no_gradient_and_one_that_starts_as_none_may() -> None:
    assert summarised_as_suspicious(_class_with("0.5")) == []
    assert summarised_as_suspicious(_class_with("None")) == ["weigh"]


_OPTIMIZER = """import torch


class Signs(torch.optim.Optimizer):
    @torch.no_grad()
    def step(self, closure=None):
        \"\"\"The closure (optional) evaluates the model again.\"\"\"
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(p.grad.sign())
        return loss
"""


def _is_summarised(text: str, name: str) -> bool:
    _, prefilter, _ = prefiltered(text)
    return any(function.name == name for function in prefilter._summaries)


def test_what_records_nothing_is_summarised_where_its_file_calls_it() -> None:
    assert not _is_summarised(_OPTIMIZER, "step")
    assert _is_summarised(f"{_OPTIMIZER}\n    def twice(self):\n        self.step()\n", "step")
    assert _is_summarised(_OPTIMIZER.replace("return loss", "return closure"), "step")
    helped = _OPTIMIZER.replace("p.sub_(p.grad.sign())", "move(p)")
    helped += "\n\ndef move(p):\n    p.sub_(p.grad.sign())\n"
    assert _is_summarised(helped, "move") and not _is_summarised(helped, "step")


def test_function_that_calls_itself_saves_nothing_by_that() -> None:
    suspicious = summarised_as_suspicious(
        "def halve(x, n: int):\n    if n:\n        return halve(x, n - 1)\n    return x[0]\n\n\n"
        "def f(x):\n    y = halve(x.clone(), 3)\n    y.add_(1)\n    return y\n"
    )
    assert suspicious == []


def test_what_is_saved_after_a_return_was_not_saved_where_it_returned() -> None:
    text = (
        "import torch\n\n\ndef gate(x, flag):\n    y = x * torch.ones(3, requires_grad=True)\n    y += 1\n"
        "    if flag:\n        return y\n"
        "    return y.pow(2)\n\n\ndef f(x, flag):\n    z = gate(x, flag)\n    z.mul_(3)\n    return z\n"
    )
    assert "f" not in summarised_as_suspicious(text)
    assert "f" in summarised_as_suspicious(text.replace("return y.pow(2)", "y.pow(2)\n    return y"))


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ("nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3), nn.ReLU(inplace=True)", []),
        ("nn.ReLU(inplace=True), nn.Sigmoid()", ["forward"]),
    ],
    ids=["in place on what nothing saved", "in place on the round before"],
)
def test_layers_that_a_loop_adds_run_in_their_order_more_than_once(layers: str, expected: list[str]) -> None:
    text = (
        "import torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self, depth):\n"
        "        super().__init__()\n        layers = []\n        for _ in range(depth):\n"
        f"            layers.extend([{layers}])\n        self.net = nn.Sequential(*layers)\n\n"
        "    def forward(self, x):\n        return self.net(x * 2)\n"
    )
    assert summarised_as_suspicious(text) == expected


@pytest.mark.parametrize(("mode", "expected"), [("with torch.no_grad()", False), ("if True", True)])
def test_what_a_function_of_the_project_fills_and_does_not_record_is_initialised(
    tmp_path: Path, mode: str, expected: bool
) -> None:
    (tmp_path / "filling.py").write_text(
        f"import torch\n\n\ndef spread_(tensor):\n    {mode}:\n        return tensor.normal_()\n"
    )
    text = (
        "import torch\nfrom torch import nn\nfrom filling import spread_\n\n\nclass Net(nn.Module):\n"
        "    def reset(self):\n        spread_(self.weight)\n"
    )
    files = Files(Project(str(tmp_path)))
    module = Module(str(tmp_path / "net.py"), text.encode())
    files.add(module)
    prefilter = Prefilter(files)
    suspects(prefilter, module)
    assert any(source.name == "reset" for source in prefilter._summaries) is expected


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
    _, prefilter, module = prefiltered(NESTED)
    assert prefilter.drivers(module)


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
    _, prefilter, module = prefiltered(RENAMED)
    prefilter.drivers(module)


GATE = (
    "import torch\nfrom torch import nn\n\n\nclass Gate(nn.Module):\n    def __init__(self, inplace=False):\n"
    "        super().__init__()\n        self.fc = nn.Linear(3, 3)\n        self.act = nn.SiLU(inplace=inplace)\n\n"
    "    def forward(self, x):\n        y = self.fc(x)\n        {}\n        return self.act(y)\n"
)


def test_layer_that_may_work_in_place_does_not_save_and_write_at_once() -> None:
    assert summarised_as_suspicious(GATE.format("pass")) == []
    assert summarised_as_suspicious(GATE.format("y = y.sigmoid()")) == ["forward"]


PARTS = (
    "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self, short):\n"
    "        super().__init__()\n        self.act, self.body = self.make(short)\n\n    def make(self, short):\n"
    "        body = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid())\n        if short:\n            return None, body\n"
    "        return nn.ReLU(inplace=True), body\n\n    def forward(self, x):\n        return self.{}(self.body(x))\n"
)


@pytest.mark.parametrize("last, suspected", [("body", False), ("act", True)])
def test_modules_returned_together_are_told_apart_by_their_places(last: str, suspected: bool) -> None:
    _, prefilter, module = prefiltered(PARTS.format(last))
    assert prefilter.of(module.functions_in_order()[-1]).suspicious is suspected


FLAT = (
    "import torch\nfrom torch import nn\n\n\ndef flat(x):\n    y = x * 2\n    v = y.view(-1)\n    {}\n    return v\n"
    "\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.f = nn.Linear(3, 3)\n"
    "\n    def forward(self, x):\n        z = flat(self.f(x))\n        z += 1\n        return z\n"
)


def test_view_returned_with_its_storage_as_it_was_may_be_written() -> None:
    assert "forward" not in summarised_as_suspicious(FLAT.format("pass"))
    assert "forward" in summarised_as_suspicious(FLAT.format("y.mul_(x)"))


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


def test_a_class_in_a_signature_makes_no_object() -> None:
    text = HELD.format("print").replace("f(x)", "f(x: Halve)")
    module = Module("program.py", text.encode())
    writer = module.classes["Halve"].methods["__exit__"]
    assert not users_of_objects(module, {writer})
    named = Module("program.py", HELD.format("Halve").encode())
    writer = named.classes["Halve"].methods["__exit__"]
    assert [f.name for f in users_of_objects(named, {writer})] == ["f"]
