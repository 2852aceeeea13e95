"""What is declared of functions of the project's own counts for callers, in their file and in others; torch judges."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.explain.explain import explain
from inplace_lint.project import Project, Settings
from inplace_lint.project.declarations import of_models

OPS = """\
import torch


def launch(kernel, *arguments):
    kernel(*arguments)


def fused_add(x, y):  # inplace-lint: writes(x), returns(same(x))
    launch(lambda x, y: x.add_(y), x, y)
    return x


# inplace-lint: saves(x), returns(new)
def fused_square(x):
    return getattr(torch, "mul")(x, x)


class Jit:
    def __init__(self, function):
        self.function = function

    def __getitem__(self, grid):
        return lambda *given, num_warps=4: self.function(*given)


def jit(function):
    return Jit(function)


@jit
# inplace-lint: writes_unseen(out_ptr), returns(no_tensor)
def add_kernel(x_ptr, out_ptr, BLOCK):
    out_ptr.detach().numpy()[...] += x_ptr.detach().numpy()


class Gate(torch.nn.Module):  # inplace-lint: writes(x), saves(result), returns(same(x))
    def forward(self, x):
        launch(torch.Tensor.relu_, x)
        return x

    # inplace-lint: writes(x)
    @staticmethod
    def clear(x):
        launch(torch.Tensor.zero_, x)

    # inplace-lint: writes(x)
    def fill(self, x, value):
        launch(torch.Tensor.fill_, x, value)


# inplace-lint: returns(new)
def safe(x):
    y = x.clone()
    launch(torch.Tensor.zero_, y)
    return y
"""
PLAIN = "\n".join(line.partition("# inplace-lint")[0].rstrip() for line in OPS.splitlines()) + "\n"
MODELS = {
    "ops:fused_add": "writes(x), returns(same(x))",
    "ops:fused_square": "saves(x), returns(new)",
    "ops:Gate": "writes(x), saves(result), returns(same(x))",
    "ops:Gate.clear": "writes(x)",
    "ops:Gate.fill": "writes(x)",
    "ops:safe": "returns(new)",
    "ops:add_kernel": "writes_unseen(out_ptr), returns(no_tensor)",
}
BAD = {
    "write": "y = torch.exp(h)\nops.fused_add(y, h)  # IPL101\nreturn y",
    "write_by_keyword": "y = torch.exp(h)\nops.fused_add(y=h, x=y)  # IPL101\nreturn y",
    "save": "y = ops.fused_square(h)\nh += 1  # IPL102\nreturn y",
    "module": "y = torch.exp(h)\nreturn self.gate(y)  # IPL101",
    "static_method": "y = torch.exp(h)\nops.Gate.clear(y)  # IPL101\nreturn y",
    "method": "y = torch.exp(h)\nself.gate.fill(y, 2.0)  # IPL101\nreturn y",
    "launch": "y = torch.exp(h)\nops.add_kernel[(4,)](h, y, 16, num_warps=8)  # IPL201\nreturn y",
    "caller": "y = torch.exp(h)\ntwice(y)  # IPL101\nreturn y",
}
GOOD = {
    "write": "y = h + 1\nops.fused_add(y, h)\nreturn y",
    "write_of_the_other": "y = torch.exp(h)\nops.fused_add(h, y)\nreturn y",
    "save": "y = ops.fused_square(h)\ny += 1\nreturn y",
    "launch": "y = torch.exp(h)\nz = h * 1\nops.add_kernel[(4,)](y, z, 16)\nreturn y + z",
    "copy": "y = torch.exp(h)\nz = ops.safe(y)\nz += 1\nreturn y + z",
}


def program(lines: str) -> str:
    body = "\n".join(f"        {line}" for line in lines.splitlines())
    return f"""\
import ops
import torch
from torch import nn


def twice(x):
    ops.fused_add(x, 1)
    ops.fused_add(x, 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gate = ops.Gate()

    def forward(self, x):
        h = self.fc(x)
{body}


if __name__ == "__main__":
    Net()(torch.randn(3, 4)).sum().backward()
"""


ALL = [*BAD, *(f"good_{name}" for name in GOOD)]


def text_of(name: str) -> str:
    return program(GOOD[name.removeprefix("good_")] if name.startswith("good_") else BAD[name])


def expected(text: str) -> set[tuple[int, str]]:
    rows = enumerate(text.splitlines(), 1)
    return {(row, line[line.index("# IPL") + 2 :]) for row, line in rows if "# IPL" in line}


def findings(tmp_path: Path, name: str, text: str, models: dict[str, object]) -> set[tuple[int, str]]:
    said = of_models(models, lambda key: ("pyproject.toml", 1))
    settings = Settings(root=str(tmp_path), models=said)
    return {(one.location.row, one.code) for one in examine(str(tmp_path / name), text.encode(), settings)}


@pytest.mark.parametrize("name", ALL)
def test_torch_agrees(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from ..rules.silence import verdict

    (tmp_path / "ops.py").write_text(OPS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ops", raising=False)
    bad = "silent" if "IPL201" in text_of(name) else "raises"
    assert verdict(text_of(name)) == ("right" if name.startswith("good_") else bad)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("told", ["comments", "configuration"])
def test_callers_in_another_file_are_checked_by_what_is_declared(
    name: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "ops.py").write_text(OPS if told == "comments" else PLAIN)
    text = text_of(name)
    (tmp_path / "net.py").write_text(text)
    assert findings(tmp_path, "net.py", text, {} if told == "comments" else MODELS) == expected(text)


@pytest.mark.parametrize("name", ALL)
def test_callers_in_the_same_file_are_checked_by_what_is_declared(name: str, tmp_path: Path) -> None:
    rest = text_of(name).replace("import ops\nimport torch\n", "").replace("ops.", "")
    text = OPS + rest
    assert findings(tmp_path, "net.py", text, {}) == expected(text)


def test_declarations_agree_with_bodies_that_are_seen(tmp_path: Path) -> None:
    for text, models in ((OPS, {}), (PLAIN, MODELS)):
        assert findings(tmp_path, "ops.py", text, models) == set()


@pytest.mark.parametrize("name", BAD)
def test_nothing_is_known_where_nothing_is_declared(name: str, tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text(PLAIN)
    text = text_of(name)
    assert findings(tmp_path, "net.py", text, {}) <= expected(text)


def test_what_the_configuration_says_of_a_function_in_sight_is_compared_with_its_body(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef f(x, y):\n    x.mul_(2)\n    return x + y\n"
    (tmp_path / "ops.py").write_text(text)
    assert findings(tmp_path, "ops.py", text, {"ops:f": "returns(new)"}) == {(4, "IPL004")}
    assert findings(tmp_path, "ops.py", text, {"ops:f": "writes(x), returns(new)"}) == set()


def test_a_finding_in_the_body_of_a_declared_function_stays(tmp_path: Path) -> None:
    body = "    y = torch.sigmoid(x)\n    y += 1\n    return y\n"
    text = f"import torch\n\n\n# inplace-lint: returns(new)\ndef f(x):\n{body}"
    assert (7, "IPL101") in findings(tmp_path, "net.py", text, {})


def test_a_declaration_ends_what_a_body_that_writes_would_do_to_its_callers(tmp_path: Path) -> None:
    text = """\
import torch


# inplace-lint: returns(new)
def kept(x):
    y = x if x.is_leaf else x.clone()
    return y.mul_(2)


def gate(x):
    y = torch.exp(x)
    return kept(y) + y
"""
    assert findings(tmp_path, "net.py", text, {}) <= {(4, "IPL004")}


def test_comments_that_declare_are_no_suppressions_and_silence_nothing(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef f(x):\n    y = torch.exp(x)\n    y += 1  # inplace-lint: no_grad\n    return y\n"
    assert findings(tmp_path, "net.py", text, {}) == {(6, "IPL101"), (6, "IPL004")}


def test_explain_tells_what_is_declared_of_a_call(tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text(OPS)
    text = text_of("write")
    row = next(row for row, line in enumerate(text.splitlines(), 1) if "# IPL" in line)
    told = explain(str(tmp_path / "net.py"), text.encode(), row, Project(str(tmp_path)))
    assert "declared: writes(x), returns(same(x)) (" in told and "ops.py:8)" in told
    assert "written: `y` by fused_add, version 0 to 1" in told
    for row in (8, 13, 14):
        assert "for its callers: " in explain("ops.py", OPS.encode(), row, Project(str(tmp_path)))
