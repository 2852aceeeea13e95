"""When a fix is safe, when it is not and says why, and when there is none."""

from __future__ import annotations

import textwrap

import pytest

from inplace_lint.engine.edits import show_edits
from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.apply import fix_source
from inplace_lint.hazards.finding import Finding
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings
from inplace_lint.project.discovery import Target

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\ndef f(x, other=None):\n"


def source(body: str) -> bytes:
    return (HEAD + textwrap.indent(textwrap.dedent(body), "    ")).encode()


def lint(text: bytes) -> list[Diagnostic]:
    return everything("f.py", text, Settings(min_confidence="possible"))


def only(body: str) -> Diagnostic:
    (one,) = (found for found in lint(source(body)) if not found.code.startswith("IPL20"))
    return one


def body_after(body: str, unsafe: bool = True) -> str:
    done = fix_source(source(body), lambda _, found: found, lint, unsafe)
    return textwrap.dedent(done.source.decode().removeprefix(HEAD))


SAFE = [
    ("y = torch.exp(x.float())\ny += 1\nreturn y\n", "y = torch.exp(x.float())\ny = y + 1\nreturn y\n"),
    ("y = torch.exp(x.float())\ny.mul_(2)\nreturn y\n", "y = torch.exp(x.float())\ny = y.mul(2)\nreturn y\n"),
    ("y = torch.exp(x.float())\nreturn y.mul_(2)\n", "y = torch.exp(x.float())\nreturn y.mul(2)\n"),
    (
        "y = torch.exp(x.float())\nz = y.mul_(2).add_(1)\nreturn y + z\n",
        "y = torch.exp(x.float())\nz = y = y.mul(2).add(1)\nreturn y + z\n",
    ),
    (
        "y = torch.exp(x.float())\nreturn torch.neg(y.mul_(2)) + y\n",
        "y = torch.exp(x.float())\nreturn torch.neg((y := y.mul(2))) + y\n",
    ),
    (
        "y = torch.exp(x.float())\ny[0] = 1\nreturn y\n",
        "y = torch.exp(x.float())\ny = y.clone()\ny[0] = 1\nreturn y\n",
    ),
    (
        "y = torch.exp(x.float())\ny[y > 1] = 1.0\nreturn y\n",
        "y = torch.exp(x.float())\ny = y.masked_fill(y > 1, 1.0)\nreturn y\n",
    ),
    (
        "y = torch.exp(x.float())\nif other: y.zero_()\nreturn y\n",
        "y = torch.exp(x.float())\nif other: y = y.clone(); y.zero_()\nreturn y\n",
    ),
    (
        "y = torch.exp(x.float())\nreturn F.relu(y, inplace=True)\n",
        "y = torch.exp(x.float())\nreturn F.relu(y)\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), SAFE)
def test_safe_fix(before: str, after: str) -> None:
    plan = only(before).plan
    assert plan is not None
    assert (plan.applicability, plan.differences) == ("safe", ())
    assert body_after(before, unsafe=False) == after


@pytest.mark.parametrize(("before", "after"), SAFE)
def test_safe_fix_computes_the_same_and_lets_backward_run(before: str, after: str) -> None:
    torch = pytest.importorskip("torch")
    results = []
    for body in (before, after):
        namespace: dict[str, object] = {}
        exec(source(body), namespace)
        x = torch.linspace(-1, 1, 6, requires_grad=True)
        results.append(namespace["f"](x.reshape(2, 3), 1))
    assert torch.equal(results[0], results[1])
    assert results[0].dtype == results[1].dtype
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        results[0].sum().backward()
    results[1].sum().backward()


@pytest.mark.parametrize(
    ("body", "difference"),
    [
        ("y = torch.exp(x)\ny += other\nreturn y\n", "dtype"),
        ("y = torch.exp(x.float())\nother.kept = [y]\ny += 1\nreturn y\n", "attribute"),
        ("y = torch.exp(x.float())\nother(y)\ny += 1\nreturn y\n", "whoever else"),
        ("y = torch.exp(x.float())\nyield y\ny += 1\nyield y\n", "whoever else"),
        ("y = torch.exp(x.float())\nother.kept = y\ny += 1\nreturn y\n", "attribute"),
    ],
)
def test_what_is_not_proved_is_named(body: str, difference: str) -> None:
    plan = only(body).plan
    assert plan is not None
    assert plan.applicability == "unsafe"
    assert any(difference in each for each in plan.differences), plan.differences
    assert body_after(body, unsafe=False) == body
    assert body_after(body, unsafe=True) != body


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("y = torch.exp(x.float())\nz = y\ny += 1\nreturn z + y\n", "`z` shares this memory"),
        ("y = torch.exp(x.float())\nkeep = [y]\ny += 1\nreturn keep\n", "`keep` shares this memory"),
        ("y = torch.exp(x.float())\nkeep = {1: (y, 2)}\ny += 1\nreturn keep\n", "`keep` shares this memory"),
        (
            "parts = (x * 1).chunk(2)\nfor p in parts:\n    p[0] = 1\nreturn parts\n",
            "`parts` shares this memory",
        ),
        ("y = torch.exp(x.float())\nfor t in (x, y):\n    y **= t\nreturn y\n", "a loop goes over `y`"),
        ("y = torch.exp(x.float())\nreturn [y, y.mul_(2)]\n", "read by the same statement"),
        ("y = torch.exp(x.float())\nreturn y.mul_(2).add_(y)\n", "a later call of the chain reads"),
        ("y = torch.exp(x.float())\nv = y.view(-1)\nv += 1\nreturn y\n", "`y` shares this memory"),
    ],
)
def test_a_name_that_is_read_later_refuses_the_fix(body: str, reason: str) -> None:
    one = only(body)
    assert one.plan is None
    assert reason in (one.fix_refused or "")
    assert body_after(body) == body


def test_a_dead_alias_does_not_matter() -> None:
    plan = only("y = torch.exp(x.float())\nz = y\ny += 1\nreturn y\n").plan
    assert plan is not None
    assert plan.applicability == "safe"


def test_a_parameter_is_never_bound_anew() -> None:
    text = (
        b"import torch\nfrom torch import nn\n\n\nclass M(nn.Module):\n"
        b"    def __init__(self):\n        super().__init__()\n        self.w = nn.Parameter(torch.ones(3))\n\n"
        b"    def forward(self, x):\n        y = x * self.w\n        self.w += 1\n        return y\n"
    )
    for one in lint(text):
        plan = one.plan
        assert plan is None or "no_grad" in plan.message
    assert b"self.w = self.w" not in fix_source(text, lambda _, found: found, lint, True).source


def test_a_fix_that_would_leave_its_finding_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Finding, "is_saved_in", lambda *_: False)  # so that a useless fix is planned
    body = "y = torch.exp(x.float())\nreturn torch.sin(y), y.zero_()\n"
    done = fix_source(source(body), lambda _, found: found, lint, True)
    assert done.source == source(body)
    assert any("would stay" in why for why in done.refused.values())


@pytest.mark.parametrize("how", ["unsafe_chunk", "chunk"])
def test_parts_of_a_tensor_share_its_memory_whatever_counts_their_writes(how: str) -> None:
    body = f"b = x.double() * 2\np, q = b.{how}(2)\nu = torch.minimum(p, q)\np.mul_(2)\nreturn u.sum() + b.norm()\n"
    for one in lint(source(body)):
        if one.plan is not None and one.plan.applicability == "safe":
            pytest.fail(f"{one.plan.message} is no safe fix: b.norm() sees the change")
        if one.plan is not None:
            assert "no longer sees the change" in one.plan.told()


def test_one_clone_serves_all_writes_that_follow() -> None:
    body = "y = torch.exp(x.float())\ny[0] = 1\nif other:\n    y[1] = 2\nreturn y\n"
    assert body_after(body).count(".clone()") == 1
    again = "y = torch.exp(x.float())\ny[0] = 1\nz = torch.sin(y)\ny[1] = 2\nreturn y, z\n"
    assert body_after(again).count(".clone()") == 2


def test_a_clone_comes_before_the_loop_in_which_nothing_is_saved() -> None:
    body = "y = torch.exp(x.float())\nfor row in range(3):\n    for i in range(3):\n        y[row, i] = 0\nreturn y\n"
    assert body_after(body) == body.replace("for row", "y = y.clone()\nfor row", 1)
    inner = "for z in range(3):\n    y = torch.exp(x.float())\n    for i in range(3):\n        y[i] = 0\nreturn y\n"
    assert body_after(inner) == inner.replace("    for i", "    y = y.clone()\n    for i", 1)


def test_a_clone_stays_in_the_loop_that_saves_what_it_writes() -> None:
    body = "y = torch.exp(x.float())\nz = 0\nfor i in range(3):\n    z = z + y * y\n    y[i] = 0\nreturn z\n"
    assert body_after(body) == body.replace("    y[i] =", "    y = y.clone()\n    y[i] =", 1)


@pytest.mark.parametrize("write", ["h -= 1.0", "h.sub_(1.0)", "h[0] = 1.0"])
def test_a_change_that_only_others_see_is_not_taken_from_them(write: str) -> None:
    body = f"other.kept = torch.relu(x)\nh = other.kept\n{write}\n"
    one = only(body)
    assert one.plan is None
    assert "nobody reads `h` here afterwards" in (one.fix_refused or "")
    read = only(f"{body}return h\n")
    assert read.plan is None or read.plan.applicability == "unsafe"


LISTED = """import torch
from torch import nn


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, data):
        for i in range(3):
            data[i] = self.linear(data[i]).sigmoid()
            data[i] *= 2
        return data
"""


def test_what_may_be_a_dict_or_list_is_not_cloned() -> None:
    (one,) = lint(LISTED.encode())
    assert one.plan is None
    assert "`data` may be a list or dict of tensors" in (one.fix_refused or "")
    for one in lint(LISTED.replace("(self, data)", "(self, data: torch.Tensor)").encode()):
        assert "list or dict" not in (one.fix_refused or "")


def test_a_fix_after_which_backward_still_raises_is_refused() -> None:
    """`sin` saves what the same statement writes: a copy before it is saved as well."""
    body = "y = torch.exp(x.float())\nreturn torch.sin(y), y.zero_()\n"
    text = source(body)
    for settings in (Settings(), Settings(notes=True)):
        target = Target("f.py", settings)
        found = everything("f.py", text, settings)
        show_edits([target], found, {"f.py": text})
        assert [one.fix for one in found] == [None]
        assert "this statement saves what it writes" in (found[0].fix_refused or "")


SAVED_BESIDE = (
    "y[0] = torch.sin(y[1])",
    "y[x > 0] = y.cos()",
    "y.add_(y.square())",
)


@pytest.mark.parametrize("statement", SAVED_BESIDE)
def test_no_fix_is_planned_that_copies_before_a_statement_that_saves(statement: str) -> None:
    """What `check` offers, `--fix` makes: the trial of a fix comes only then."""
    body = f"y = x.float() + 1\nfor _ in range(2):\n    {statement}\nreturn y\n"
    found = [one for one in lint(source(body)) if one.code < "IPL2"]
    assert found
    assert [one.plan for one in found if "clone" in (one.plan.told() if one.plan else "")] == []


#: A function that writes its argument in two places, and what else calls it.
RENORMED = """
def renorm(w, keep):
    w *= keep
    w /= w.sum(-1, keepdim=True)
    return w


def f(x, keep):
    a = torch.nn.functional.linear(x, weight).softmax(-1)
    a = renorm(a, keep)
    return a
"""
WEIGHT = "import torch\n\nweight = torch.nn.Parameter(torch.eye(3))\n"


@pytest.mark.parametrize("others", ["", "\n\ndef other(v, keep):\n    return renorm(v, keep)\n"])
def test_a_copy_for_a_call_is_safe_whatever_others_give_the_function(others: str) -> None:
    text = (WEIGHT + RENORMED + others).encode()
    (one,) = (one for one in everything("f.py", text, Settings()) if one.code == "IPL101")
    assert one.plan is not None
    assert (one.plan.applicability, one.plan.message) == ("safe", "put `a = a.clone()` before this")
    done = fix_source(text, lambda _, found: [one for one in found if one.code == "IPL101"], lint, False)
    assert b"    a = a.clone()\n    a = renorm(a, keep)\n" in done.source


@pytest.mark.parametrize("other", ["[y]", "{0: y}", "y.detach().numpy()"])
@pytest.mark.parametrize("write", ["y[0] = 1.0", "y[y > 1] = 1.0"])
def test_no_copy_of_what_may_be_no_tensor(other: str, write: str) -> None:
    body = f"y = torch.exp(x.float())\nif other:\n    y = {other}\n{write}\nreturn y\n"
    assert body_after(body) == body
