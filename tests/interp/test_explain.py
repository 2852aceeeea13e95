"""`explain`: it agrees with `check` wherever that reports, and says in words what the analysis believes elsewhere."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.explain.explain import explain
from inplace_lint.explain.tracing import Tracer
from inplace_lint.interp.program import Program
from inplace_lint.project import Project, Settings
from inplace_lint.schedule.analyze import analyze
from inplace_lint.syntax.module import Module
from inplace_lint.syntax.unreadable import UnreadableFile

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "rules").glob("IPL1*/cases/bad_*.py"))
FIRST_CASES = list({path.parent: path for path in reversed(CASES)}.values())


def project(root: Path | None = None) -> Project:
    return Project(str(root or Path.cwd()), ())


def told(code: str, line: int) -> str:
    """What is said of a line of a small file; `code` starts with imports of torch, nn and F on its first row."""
    head = "import torch; from torch import nn; import torch.nn.functional as F\n"
    return explain("x.py", (head + textwrap.dedent(code).lstrip("\n")).encode(), line, project())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_each_finding_is_explained_where_it_stands(path: Path) -> None:
    source = path.read_bytes()
    # The rules of attention ask another analysis, which has nothing to say of storages and versions.
    found = [one for one in check_source(str(path), source, Settings(), project()) if one.code < "IPL4"]
    assert found
    for diagnostic in found:
        text = explain(str(path), source, diagnostic.location.row, project())
        assert f"{diagnostic.code} {diagnostic.name}, {diagnostic.confidence}\n    because" in text
        if diagnostic.confidence != "certain":
            assert "not surer because" in text


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_watching_changes_no_finding(path: Path) -> None:
    source = path.read_bytes()

    def findings(watched: bool) -> set[tuple[object, ...]]:
        module, program = Module(str(path), source), Program(project())
        if watched:
            program.handlers = Tracer(module, 1, len(module.lines)).handlers()
        return {(*f.key(), f.op, f.confidence, len(f.saves)) for f in analyze(module, program)}

    assert findings(True) == findings(False)


@pytest.mark.parametrize("path", FIRST_CASES, ids=lambda path: path.stem)
def test_every_line_has_an_account(path: Path) -> None:
    source = path.read_bytes()
    for line in range(1, source.count(b"\n") + 2):
        text = explain("case.py", source, line, project())
        assert text.startswith(f"case.py:{line}")
        assert text.count("\n") >= 2


@pytest.mark.parametrize("path", [Path(__file__), ROOT / "inplace_lint/attention/masks.py"])
def test_ordinary_code_has_an_account(path: Path) -> None:
    source = path.read_bytes()
    alone = Project(str(path.parent))  # without the whole tool, which this file imports
    for line in range(1, source.count(b"\n"), 149):
        explain(str(path), source, line, alone)


GATE = """
def gate(x, bias):
    y = torch.sigmoid(x)
    z = y.view(-1)
    d = y.detach()
    y += bias
    return y, z, d
"""


def test_storage_aliases_saves_and_version() -> None:
    text = told(GATE, 6)
    assert "`y`\n    storage   the result of `torch.sigmoid(x)`, line 3" in text
    assert "`z` (a view)" in text
    assert "`d` (detached)" in text
    assert "may require grad: computed from the argument `x`" in text
    assert "sigmoid on line 3, its result (SigmoidBackward0.result): live" in text
    assert "version   0: not written before" in text
    assert "written: `y` by add_, version 0 to 1" in text
    assert "not surer because nothing in sight proves that gradients flow" in text


def test_the_line_of_a_save_names_the_finding() -> None:
    text = told(GATE, 3)
    assert "saved:   `y` by sigmoid, its result" in text
    assert "on line 6: what is saved here is overwritten there" in text


def test_version_counts_the_writes_before() -> None:
    text = told("def f(x):\n    x.add_(1)\n    x.mul_(2)\n    return x.sin()\n", 4)
    assert "storage   the argument `x`" in text
    assert "version   1 here: add_ on line 3" in text
    assert "written: `x` by mul_, version 1 to 2" in text


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("with torch.no_grad():", "Gradients are not recorded (grad mode off); autocast is off."),
        ("with torch.inference_mode():", "Gradients are not recorded (inference mode)"),
        ("with torch.autocast('cuda'):", "Gradients are recorded (grad mode on); autocast is on."),
        (
            "with torch.set_grad_enabled(y):",
            "It is reached if the flag that enables gradients is false (line 3).",
        ),
        (
            "with torch.set_grad_enabled(y):",
            "It is reached if the flag that enables gradients is true (line 3).",
        ),
    ],
)
def test_modes(block: str, words: str) -> None:
    assert words in told(f"def f(x, y):\n    {block}\n        x.add_(1)\n", 4)


def test_a_save_is_freed_by_its_backward() -> None:
    code = """
    w = nn.Parameter(torch.ones(3))
    y = w.exp()
    y.sum().backward()
    y.add_(1)
    """
    text = told(code, 5)
    assert "exp on line 3, its result (ExpBackward0.result): freed, its backward has run" in text
    assert "Verdict: no finding on this line." in text


def test_a_loop_tells_of_the_round_before() -> None:
    text = told("def f(h, w):\n    for _ in range(9):\n        h += torch.tanh(h @ w)\n    return h\n", 4)
    assert "matmul on this line in the round before, its input" in text
    assert "add_ on this line in the round before" in text


def test_a_condition_is_told_in_the_words_of_the_source() -> None:
    code = """
    def f(x, flag, other: bool):
        if flag > 3:
            y = x.exp()
        else:
            y = x.sin()
        if other:
            y.add_(1)
        return y
    """
    text = told(code, 8)
    assert "It is reached if `other` is true (line 7)." in text
    assert "  written: `y` by add_, version 0 to 1\n" in text
    assert "\n  if `flag > 3` is true (line 3):\n" in text
    assert "\n  if `flag > 3` is false (line 3):\n" in text


def test_a_helper_is_told_with_its_callers() -> None:
    code = """
    def _scale_(t):
        t.mul_(2)
    def f(x):
        y = x.exp()
        _scale_(y)
        return y
    """
    text = told(code, 3)
    assert "Analysed in `f` for any arguments;\nfrom there line 6 calls `_scale_`." in text
    assert "aliases   `y` in f (the same tensor)" in text
    assert "IPL101 saved-result-overwritten, likely, is told at the call on line 6" in text


def test_an_optimizers_step_tells_of_the_parameters() -> None:
    path = ROOT / "rules/IPL106-step-before-backward/cases/bad_two_losses_one_network.py"
    text = explain("x.py", path.read_bytes(), 14, project())
    assert "`optimizer`: its parameters" in text
    assert "freed, its backward has run" in text
    assert "written: the parameters of `optimizer` by SGD.step, version 0 to 1" in text


def test_a_write_that_nothing_needs_is_no_finding() -> None:
    text = told("def f(x):\n    y = x.exp()\n    y.add_(1)\n", 4)
    assert "No finding for what exp saved on line 3: no backward that comes after the write" in text


def test_a_function_without_a_write_is_told_apart() -> None:
    text = told("def f(x):\n    y = x.exp()\n    return y\n\ndef g(x):\n    x.add_(1)\n", 3)
    assert "`check` does not analyse `f`: it holds nothing that looks like a write in place" in text
    assert "bound:   `y` to the result of `x.exp()`, line 3" in text
    assert "nothing in this file looks like a write in place" in told("def f(x):\n    return x.exp()\n", 3)


def test_dead_code_is_not_reached() -> None:
    assert "No path that the analysis follows reaches this line" in told(
        "def f(x):\n    return x\n    x.add_(1)\n", 4
    )


def test_a_statement_over_several_lines_is_told_from_each() -> None:
    code = "def f(x, y):\n    z = x.exp()\n    z.add_(\n        y,\n    )\n    return z\n"
    texts = [told(code, line).split("\n\n", 1)[1] for line in (4, 5, 6)]
    assert texts[0] == texts[1] == texts[2]
    assert texts[0].startswith("The statement stands on lines 4 to 6.")


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("\n\nx = 1\n", 2, "No code stands on this line."),
        ("# a comment\n", 2, "No code stands on this line."),
        ("def f(x):\n    'doc'\n", 2, "This line begins the function `f`"),
        ("@f\nclass A:\n    x = 1\n", 2, "This line begins the class `A`"),
        ("def f(x):\n    'doc'\n", 3, "Nothing is computed on this line"),
        ("import os\n", 2, "An import holds no tensor."),
        ("if x:\n    y = 1\nelse:\n    y = 2\n", 4, "it only divides a statement"),
        ("def f(x):\n    n = len('a')\n    x.add_(n)\n", 3, "No tensor is read on this line."),
        (
            "def f(x):\n    y = g(3)\n    x.add_(1)\n",
            3,
            "No tensor is read on this line (of `g` nothing is known).",
        ),
    ],
)
def test_a_line_without_a_tensor_says_so(code: str, line: int, words: str) -> None:
    head = "import torch\n" + code
    assert words in explain("x.py", head.encode(), line, project())


def test_an_unreadable_file_says_so() -> None:
    with pytest.raises(UnreadableFile, match="syntax error: "):
        explain("x.py", b"def f(:\n", 1, project())


def test_an_operand_that_may_be_a_number_is_said_to_be_no_evidence() -> None:
    code = """
        class Gate(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
            def forward(self, q, v):
                h = self.proj(v)
                out = q * h
                h.clamp_(min=0)
                return out
        """
    text = told(code, 9)
    assert "nothing proves that one to be a tensor" in text
    assert "because clamp_ keeps a copy of what it overwrites" in text


def test_conditions_that_a_constructor_decides_are_told_by_what_it_is_given() -> None:
    text = told(
        """
        class Gate(nn.Module):
            def __init__(self, kind, halve=False, size=None):
                super().__init__()
                self.act = torch.sigmoid if kind == "sigmoid" else torch.cos
                self.halve = halve and size

            def forward(self, x):
                y = self.act(x)
                if self.halve:
                    y.mul_(0.5)
                return y
        """,
        11,
    )
    assert (
        "It is reached if the argument `halve` of `Gate.__init__` is true and a test elsewhere allows it."
        in text
    )
    assert "  if a value equals 'sigmoid':" in text
    assert "  if a value is not 'sigmoid':" in text


def test_of_many_ways_to_a_line_a_few_are_told() -> None:
    code = """
        def f(x, a, b, c, d, e):
            y = torch.exp(x)
            if (a or b) and (b or c) and (c or d) and (d or e):
                y.mul_(2)
            return y
        """
    text = told(code, 5)
    assert "in other cases" in text
    assert all(line.count(", or ") <= 3 for line in text.splitlines())
