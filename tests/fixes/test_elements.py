"""An element of a list or dict that is written becomes a new tensor under the same key, if nobody misses the old one.

torch runs each program as `test_what_a_fix_keeps` does: values, gradients and what others hold must stay the same.
"""

from __future__ import annotations

import textwrap

import pytest

import inplace_lint
from inplace_lint.model import Diagnostic
from tests.fixes.test_what_a_fix_keeps import HEAD, fixed, outcome

torch = pytest.importorskip("torch")

#: A program, and the line that a safe fix makes of its write.
FIXED = {
    "an element of a list": (
        """\
        c = [torch.sigmoid(w.exp()), w.exp()]
        c[0] *= 2
        return c[0] * c[1]
        """,
        "c[0] = c[0] * 2",
    ),
    "an element of a dict": (
        """\
        d = {"h": torch.sigmoid(w.exp()), "v": w.exp()}
        d["h"] += 1
        return d["h"] * d["v"]
        """,
        'd["h"] = d["h"] + 1',
    ),
    "an element of a list in a dict": (
        """\
        d = {"all": [torch.sigmoid(w.exp())]}
        d["all"][0] *= 2
        return d["all"][0] + 1
        """,
        'd["all"][0] = d["all"][0] * 2',
    ),
    "a method": (
        """\
        d = {"h": torch.sigmoid(w.exp())}
        d["h"].mul_(2).add_(1)
        return d["h"] + 1
        """,
        'd["h"] = d["h"].mul(2).add(1)',
    ),
    "a function": (
        """\
        c = [torch.sigmoid(w.exp())]
        torch.relu_(c[0])
        return c[0] + 1
        """,
        "c[0] = torch.relu(c[0])",
    ),
    "another name of the same list": (
        """\
        c = [torch.sigmoid(w.exp())]
        e = c
        c[0] *= 2
        return e[0] + 1
        """,
        "c[0] = c[0] * 2",
    ),
    "an index that is computed": (
        """\
        c = [w.exp(), torch.sigmoid(w.exp())]
        i = 2
        c[i - 1] *= 2
        return c[1] + 1
        """,
        "c[i - 1] = c[i - 1] * 2",
    ),
    "what appended it holds nothing more": (
        """\
        c = []
        for k in range(3):
            h = torch.sigmoid(w.exp())
            c.append(h)
        c[-1] *= 2
        return c[0] + c[-1]
        """,
        "c[-1] = c[-1] * 2",
    ),
    "a part of a tensor, which is no element": (
        """\
        y = torch.sigmoid(w.exp())
        y[0] += 1
        return y
        """,
        "y = y.clone()",
    ),
    "a method of a part": (
        """\
        y = torch.sigmoid(w.exp())
        y[0].mul_(2)
        return y
        """,
        "y = y.clone()",
    ),
}

#: A new tensor under this key would be missed by somebody, or cannot be put there.
MISSED = {
    "the same tensor twice in a list": """\
        y = torch.sigmoid(w.exp())
        c = [y, y]
        c[0] *= 2
        return c[0] * c[1]
        """,
    "a copy of the list": """\
        c = [torch.sigmoid(w.exp())]
        e = list(c)
        c[0] *= 2
        return e[0] * c[0]
        """,
    "a name of its own": """\
        y = torch.sigmoid(w.exp())
        c = [y]
        c[0] *= 2
        return c[0] * y
        """,
    "a view of it": """\
        y = torch.sigmoid(w.exp())
        c = [y]
        v = y[0]
        c[0] *= 2
        return c[0] * v
        """,
    "a part of another tensor": """\
        y = torch.sigmoid(w.exp())
        c = [y[0], y[1]]
        c[0] *= 2
        return y * c[0]
        """,
    "a tuple": """\
        c = (torch.sigmoid(w.exp()),)
        c[0].mul_(2)
        return c[0] + 1
        """,
    "a list of the file": """\
        seen.append(torch.sigmoid(w.exp()))
        seen[0] *= 2
        return seen[0] + 1
        """,
    "another element under a list of the file": """\
        y = torch.sigmoid(w.exp())
        seen.append(y)
        c = [y]
        c[0] *= 2
        return c[0] + 1
        """,
    "a callable holds it": """\
        c = [torch.sigmoid(w.exp())]
        add = functools.partial(torch.add, c[0])
        c[0] *= 2
        return add(c[0])
        """,
    "a generator that has begun": """\
        c = [torch.sigmoid(w.exp()), w.exp()]
        each = iter(c)
        first = next(each)
        c[0] *= 2
        return first * next(each)
        """,
    "a loop holds it": """\
        c = [torch.sigmoid(w.exp())]
        for h in c:
            c[0] *= 2
            r = h + 1
        return r
        """,
    "an index that an expression changes": """\
        c = [torch.sigmoid(w.exp()), w.exp()]
        i = iter([0, 1])
        c[next(i)] *= 2
        return c[0] * c[1]
        """,
    "gradients are off": """\
        c = [torch.sigmoid(w.exp())]
        with torch.no_grad():
            c[0] *= 2
        return c[0] + 1
        """,
    "an attribute that belongs to it, under another index": """\
        c = [torch.sigmoid(w.exp())]
        i = len(c) - 1
        c[i].retain_grad()
        c[0] *= 2
        seen.append(c[i].retains_grad * torch.ones(1))
        return c[0] + 1
        """,
    "an attribute that belongs to it": """\
        c = [torch.sigmoid(w.exp())]
        c[0].retain_grad()
        c[0] *= 2
        seen.append(c[0].retains_grad * torch.ones(1))
        return c[0] + 1
        """,
}


@pytest.mark.filterwarnings("ignore:Use of")
@pytest.mark.parametrize(("body", "line"), FIXED.values(), ids=FIXED)
def test_an_element_is_bound_anew(body: str, line: str) -> None:
    program = HEAD + textwrap.indent(textwrap.dedent(body), "    ")
    new = fixed(program)
    assert line in [one.strip() for one in new.splitlines()]
    torch.testing.assert_close(outcome(new), outcome(program))


@pytest.mark.filterwarnings("ignore:Use of")
@pytest.mark.parametrize("body", MISSED.values(), ids=MISSED)
def test_an_element_that_somebody_misses_stays(body: str) -> None:
    program = HEAD + textwrap.indent(textwrap.dedent(body), "    ")
    torch.testing.assert_close(outcome(fixed(program)), outcome(program))


def _told(body: str) -> Diagnostic:
    program = HEAD + textwrap.indent(textwrap.dedent(body), "    ")
    (found,) = [one for one in inplace_lint.check(program).diagnostics if one.severity == "error"]
    return found


@pytest.mark.parametrize("name", ["a copy of the list", "a name of its own", "a tuple"])
def test_no_fix_at_all_is_offered_where_the_old_tensor_is_read_under_another_name(name: str) -> None:
    assert _told(MISSED[name]).fix_refused is not None


def test_a_part_that_is_assigned_is_not_said_to_become_a_new_tensor() -> None:
    found = _told(
        """\
        y = torch.sigmoid(w.exp())
        z = y
        y[0] += 1
        return y * z
        """
    )
    assert found.fix_refused is not None
    assert found.help == "use the out-of-place form, or write to a `.clone()`"
