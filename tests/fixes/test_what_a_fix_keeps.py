"""What safe fixes keep, asked of torch: values, gradients, and what others see of the tensor.

torch runs the program as it was with all that is saved copied when it is saved: then no write raises, and the gradients
are those of the values that were meant.
"""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.apply import fix_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings

torch = pytest.importorskip("torch")

HEAD = "import functools\n\nimport torch\n\nkept = None\nseen = []\nby_name = {'all': []}\n\n\ndef f(w, flag=False):\n"

#: Each is wrong if the tensor that is written becomes a new one without more.
LOST = {
    "written under no_grad": """\
        y = torch.sigmoid(w.exp())
        with torch.no_grad():
            y.neg_()
        return y
    """,
    "a part written under no_grad": """\
        y = torch.sigmoid(w.exp())
        with torch.no_grad():
            y[0] = 0.5
        return y * 2
    """,
    "gradients may be off": """\
        y = torch.tanh(w.exp())
        with torch.set_grad_enabled(flag):
            y.neg_()
        return y
    """,
    "a global name holds it": """\
        global kept
        y = torch.sigmoid(w.exp())
        kept = y
        y[0] = 0.5
        return y
    """,
    "a list of the file holds it": """\
        y = torch.sigmoid(w.exp())
        seen.append(y)
        y += y
        return y
    """,
    "a list within a dict of the file holds it": """\
        y = torch.sigmoid(w.exp())
        by_name["all"].append(y)
        y.mul_(2)
        return y
    """,
    "a partial holds it": """\
        y = torch.sigmoid(w.exp())
        double = functools.partial(torch.mul, y)
        y[0] = 0.5
        return double(2) + y
    """,
    "a list in a partial holds it": """\
        y = torch.sigmoid(w.exp())
        stacked = functools.partial(torch.stack, [y, y])
        y[0] = 0.5
        return stacked().sum(0) + y
    """,
    "a bound method holds it": """\
        y = torch.sigmoid(w.exp())
        later = y.cos
        y[0] = 0.5
        return later() + y
    """,
    "a default holds it": """\
        y = torch.sigmoid(w.exp())
        def later(given=y):
            return given.cos()
        y[0] = 0.5
        return later() + y
    """,
    "a function inside reads it": """\
        y = torch.sigmoid(w.exp())
        later = lambda: y.cos()
        y[0] = 0.5
        return later() + y
    """,
    "what goes over a list holds it": """\
        y = torch.sigmoid(w.exp())
        pairs = zip([y], [w])
        y[0] = 0.5
        return next(pairs)[0] * y
    """,
    "what maps a list holds it": """\
        y = torch.sigmoid(w.exp())
        cosines = map(torch.cos, [y])
        y[0] = 0.5
        return next(cosines) * y
    """,
    "a generator holds it": """\
        y = torch.sigmoid(w.exp())
        def one_by_one(t):
            yield t.cos()
        cosines = one_by_one(y)
        y[0] = 0.5
        return next(cosines) * y
    """,
    "a generator expression holds it": """\
        y = torch.sigmoid(w.exp())
        cosines = (t.cos() for t in [y])
        y[0] = 0.5
        return next(cosines) * y
    """,
    "a transposed tensor takes a mask": """\
        y = torch.sigmoid(w.exp().t())
        y[y > 0.8] = 0.0
        return y.t().view(2, 8).view(4, 4)
    """,
    "a transposed tensor takes values by a mask": """\
        y = torch.sigmoid(w.exp().t())
        y[y > 0.8] = w.sin()[y > 0.8]
        return y.t().view(2, 8).view(4, 4)
    """,
    "a transposed tensor is cut to a triangle": """\
        y = torch.sigmoid(w.exp().t())
        y.tril_()
        return y.t().view(2, 8).view(4, 4)
    """,
    "a transposed tensor is scaled": """\
        y = torch.sigmoid(w.exp().t())
        y.mul_(w)
        return y.t().view(2, 8).view(4, 4)
    """,
    "an expanded tensor takes an index": """\
        y = torch.arange(4.0, dtype=torch.float64).view(4, 1).expand(4, 4)
        y[torch.arange(4), torch.arange(4)] = 0
        return y * w
    """,
    "an expanded tensor is filled": """\
        y = torch.arange(4.0, dtype=torch.float64).view(4, 1).expand(4, 4)
        y.masked_fill_(w > 0, 0.5)
        return y * w
    """,
}
KEPT = {
    "what has no gradient may be made anew": (
        "with torch.no_grad():\n    m = torch.ones(4, 4)\ny = w.exp() * m\nwith torch.no_grad():\n"
        "    m += 1.5\nreturn y * m\n"
    ),
    "an op that an expanded tensor refuses": "y = torch.ones(4, 1).expand(4, 4)\ny += 1\nreturn y * w\n",
}


def fixed(program: str) -> str:
    def lint(text: bytes) -> list[Diagnostic]:
        return everything("f.py", text, Settings(min_confidence="possible"))

    return fix_source(program.encode(), lambda _, found: found, lint, unsafe=False).source.decode()


def outcome(program: str) -> list[Any]:
    names: dict[str, Any] = {}
    exec(program, names)
    torch.manual_seed(0)
    w = torch.randn(4, 4, dtype=torch.float64, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        result = names["f"](w)
    others = [names["kept"], *names["seen"], *names["by_name"]["all"]]
    assert result.requires_grad
    (result * torch.arange(16.0, dtype=torch.float64).view(4, 4)).sum().backward()
    return [t.detach().clone() for t in (result, w.grad, *others) if t is not None]


@pytest.mark.filterwarnings("ignore:Use of")
@pytest.mark.parametrize("body", LOST.values(), ids=LOST)
def test_no_safe_fix_takes_gradients_or_changes_from_others(body: str) -> None:
    program = HEAD + textwrap.indent(textwrap.dedent(body), "    ")
    torch.testing.assert_close(outcome(fixed(program)), outcome(program))


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_what_nobody_misses_is_fixed(body: str) -> None:
    program = HEAD + textwrap.indent(body, "    ")
    assert fixed(program) != program
