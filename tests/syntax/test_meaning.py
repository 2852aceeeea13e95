"""Lowered code means what Python means: the same calls in the same order, and the same result.

`t(n)` tells that it was called and gives n; `o` is an object whose attributes and items can be set.
"""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_lint.syntax.module import Module

from .machine import Machine, Raised


class Thing:
    """An object with attributes, items, a context and calls, each of which it tells."""

    def __init__(self, told: list[Any]) -> None:
        self.__dict__["told"] = told
        self.__dict__["held"] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.told.append(f"get {name}")
        return self.held.get(name, 1)

    def __setattr__(self, name: str, value: Any) -> None:
        self.told.append(f"set {name} = {value}")
        self.held[name] = value

    def __getitem__(self, key: Any) -> Any:
        self.told.append(f"get [{key}]")
        return self.held.get(str(key), 1)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.told.append(f"set [{key}] = {value}")
        self.held[str(key)] = value

    def __delattr__(self, name: str) -> None:
        self.told.append(f"del {name}")

    def __enter__(self) -> int:
        self.told.append("enter")
        return 5

    def __exit__(self, *_: object) -> None:
        self.told.append("exit")


def world() -> tuple[dict[str, Any], list[Any]]:
    told: list[Any] = []

    def t(value: Any, *rest: Any, **named: Any) -> Any:
        told.append((value, rest, named))
        return value

    names = {"t": t, "o": Thing(told), "Raised": Raised, "range": range, "len": len, "Thing": Thing}
    names.update(
        (one.__name__, one) for one in (int, str, float, ValueError, KeyError, TypeError, LookupError)
    )
    return names, told


def outcome(run: Any) -> Any:
    try:
        return run()
    except (AssertionError, ZeroDivisionError, TypeError, IndexError, ValueError, Raised) as error:
        return type(error)


def by_python(body: str) -> tuple[Any, list[Any]]:
    names, told = world()
    exec(compile(f"def f(a, b):\n{textwrap.indent(body, '    ')}", "f.py", "exec"), names)
    return outcome(lambda: names["f"](1, 2)), told


def by_machine(body: str) -> tuple[Any, list[Any]]:
    names, told = world()
    module = Module("f.py", f"def f(a, b):\n{textwrap.indent(body, '    ')}".encode())
    machine = Machine(module, {"a": 1, "b": 2}, names)
    return outcome(lambda: machine.run_function(module.functions["f"].body)), told


BODIES = [
    "return t(1) + t(2) * t(3) - -t(4)",
    "return t(1) and t(0) and t(2), t(0) or t(0) or t(3)",
    "return (t(1) and t(0)) or (t(2) if t(0) else t(4))",
    "return not t(0), ~t(1), +t(2), -3",
    "return t(t(1), t(2), *[t(3), t(4)], k=t(5), **{'m': t(6)})",
    "return t(1, k=t(2), *[t(3)])",
    "return [t(1), *[t(2), t(3)], t(4)], (t(5),), {t(6)}, {t(7): t(8), **{t(9): t(10)}, t(11): t(12)}",
    "x = y = o.z = o[t(1)] = t(2)\nreturn x, y",
    "(x, *y), [z] = (t(1), t(2), t(3)), [t(4)]\nreturn x, y, z",
    "*x, y = t(1), t(2), t(3)\nx, o.q, o[t(9)] = t(5), t(6), t(7)\nreturn x, y",
    "x, *y = [t(1)]\nreturn x, y",
    "o.x += t(2)\no[t(3)] += t(4)\na += t(5)\nreturn a",
    "x = [1]\ny = x\ny += [t(2)]\nreturn x",
    "x: int = t(3)\ny: int\nreturn x",
    "return o.x.real, o[t(1)], [1, 2, 3][t(0):t(2)], [1, 2, 3, 4][::t(2)], o[t(1), ...]",
    "if (n := t(2)) > 1:\n    return n\nreturn 0",
    "while (a := a + 1) < 5:\n    if a == 3:\n        continue\n    t(a)\nelse:\n    t(9)\nreturn a",
    "for x in t([1, 2, 3]):\n    if x == 2:\n        break\n    t(x)\nelse:\n    t(9)\nreturn x",
    "for o.x, y in [(1, 2), (3, 4)]:\n    t(y)\nreturn y",
    "for i in range(3):\n    for j in range(i):\n        if j: break\n        t((i, j))\n    else:\n        t(i)",
    "x = 7\ny = [t(x) for x in [1, 2, 3] if x > 1 if t(x)]\nreturn x, y",
    "return [t((x, y)) for x in [1, 2] for y in range(x)], {x: t(x) for x in [1]}, {t(x) for x in [3]}",
    "x = [1, 2]\nreturn [x for x in x for x in [x, x]]",
    "y = [(z := x) for x in [1, 2]]\nreturn z, y",
    "return [[x for x in range(x)] for x in [1, 2, 3]]",
    "for x in [o]:\n    y = [1 for x.z in [t(1), t(2)]]\nreturn y, x.z",
    "with o as x, o as y:\n    t((x, y))\nreturn x",
    "with o as x:\n    return t(x)",
    "try:\n    t(1)\n    raise Raised\nexcept Raised as e:\n    t(2)\nelse:\n    t(3)\nfinally:\n    t(4)",
    "try:\n    t(1)\nexcept Raised:\n    t(2)\nelse:\n    t(3)\nfinally:\n    t(4)",
    "for x in [1, 2]:\n    try:\n        continue\n    finally:\n        t(x)\nreturn x",
    "try:\n    return t(1)\nfinally:\n    t(2)",
    "raise Raised",
    "assert t(1), t(2)\nassert t(0)",
    "x = 1\ndel x, (a, b)\no[t(1)] = 1\nreturn t(2)",
    "def g(x, y=t(1), *, z=3):\n    return t(x + y)\nreturn g(t(5)) + g(1, 2)",
    "def g(f):\n    return f\n@(t(1) and g)\n@(t(2) and g)\ndef h(x=t(3)):\n    return x\nreturn h()",
    "return (lambda x, y=t(2): x * y)(t(3))",
    "match t(2):\n"
    "    case 1:\n        t(10)\n"
    "    case 2 if t(0):\n        t(11)\n"
    "    case x if t(x):\n        t(12)\n"
    "    case _:\n        t(13)",
    "match t(None):\n    case True:\n        t(1)\n    case None:\n        t(2)",
    "match t(3):\n    case 1 | 2:\n        t(4)\n    case 3 | 5 as x:\n        t(x)\nreturn 1",
    "match t([1, 2, 3]):\n    case [1]:\n        t(4)\n    case [1, *x] if t(0):\n        t(5)\n    case [x, *_, y]:\n"
    "        t((x, y))",
    "match (t(1), [t(2), t(3)]):\n    case (1, [2, 4]):\n        t(5)\n    case (x, [2, y]) as z:\n        t((x, z))",
    "match t({'k': 1, 'v': t(2)}):\n    case {'z': _}:\n        t(3)\n    case {'k': 2}:\n        t(4)\n"
    "    case {'k': 1, **x}:\n        t(x)",
    "match t({'k': [1, {'j': t(2)}]}):\n    case {'k': [_, {'j': x}]}:\n        t(x)\nreturn x",
    "match o:\n    case Thing(x=2):\n        t(1)\n    case Thing(x=1, y=z):\n        t(z)",
    "match t('s'):\n    case int(x) | float(x):\n        t(x)\n    case str() as x:\n        t((x, 1))",
    "match t(2.5):\n    case int():\n        t(1)\n    case [*_]:\n        t(2)\n    case {}:\n        t(3)\n"
    "    case float(x):\n        t(x)",
    "match t('ab'):\n    case [x, y]:\n        t(1)\n    case x:\n        t(x)",
    "return t(3) < t(2) < t(1), t(1) < t(2) <= t(2) != t(3), t(1) < t(2) > t(5) in [t(6)]",
    "x = 9\nreturn [f() for f in [(lambda: x) for x in [1, 2]]]",
    "x = 9\nreturn [f(3) for f in [lambda y, z=x: (x, y, z) for x in [4]]], x",
    "return [[f() for f in [lambda: (x, y) for y in [t(x)]]] for x in [1, 2]]",
    "try:\n    raise ValueError(t(1))\nexcept KeyError:\n    t(2)\nexcept (TypeError, ValueError):\n    t(3)",
    "try:\n    try:\n        raise t(KeyError)\n    except ValueError:\n        t(2)\nexcept LookupError:\n    t(3)",
    "del o.x, o.y\nreturn t(2)",
    "x = f'{t(1)} {t(2):{t(3)}}'\nreturn 0",
    "global q\nt(1)\npass\nreturn a if b else t(2)",
    "return t(1) < t(2), t(1) == t(1), t(1) is None, t(1) in [t(1)], t(3) not in [1]",
    "return [f() for f in [lambda: t(1), lambda: t(2)]]",
    "x, y, z = (t(1), *t([2, 3]))\nreturn z, y, x",
    "x, y, z = [*t([1, 2]), t(3)]\nreturn z, y, x",
    "a, b, x = b, *[t(a)], a\nreturn a, b, x",
    "x, y = (a, b, *[])\nreturn x, y",
    "x = 7\na, b = [t(x) for x in (b, a)]\nreturn a, b, x",
    "x, y, z = (t(-x) for x in (t(1), *t([2, 3])))\nreturn x, y, z",
    "x, y = [[t(x + y) for y in range(x)] for x in (1, 2)]\nreturn x, y",
    "o.x, o[t(9)] = [t(y) for _, y in [(1, 2), (3, 4)]]",
    "x, y = [f() for f in [lambda: t(1), lambda: t(2)]]\nreturn x, y",
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_instructions_do_what_python_does(body: str) -> None:
    assert by_machine(body) == by_python(body)


expressions = st.recursive(
    st.sampled_from(["a", "b", "t(0)", "t(1)", "t(2)", "o.x", "o[t(3)]", "(c := t(4))"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "and", "or", "<", "==", "|"]), inner).map(
            lambda p: f"({p[0]} {p[1]} {p[2]})"
        ),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} if {p[1]} else {p[2]})"),
        inner.map(lambda e: f"(not {e})"),
        st.tuples(inner, inner).map(lambda p: f"t({p[0]}, k={p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"len([{p[0]}, {p[1]}])"),
        inner.map(lambda e: f"len([({e}) for a in range(2) if a])"),
    ),
    max_leaves=8,
)
simple = st.one_of(
    st.tuples(st.sampled_from(["a", "b", "o.x", "o[t(5)]"]), expressions).map(lambda p: f"{p[0]} = {p[1]}"),
    st.tuples(st.sampled_from(["a", "b", "o.x", "o[t(5)]"]), expressions).map(lambda p: f"{p[0]} += {p[1]}"),
    st.tuples(expressions, expressions).map(lambda p: f"a, b = {p[0]}, {p[1]}"),
    expressions.map(lambda e: f"return {e}"),
    st.sampled_from(["pass", "t(6)", "raise Raised"]),
)


def indented(text: str) -> str:
    return textwrap.indent(text, "    ")


statements = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("\n".join),
        st.tuples(expressions, inner, inner).map(
            lambda p: f"if {p[0]}:\n{indented(p[1])}\nelse:\n{indented(p[2])}"
        ),
        st.tuples(inner, inner).map(
            lambda p: f"for b in range(2):\n{indented(p[0])}\nelse:\n{indented(p[1])}"
        ),
        st.tuples(expressions, inner).map(
            lambda p: f"for b in range(2):\n    if {p[0]}:\n        break\n{indented(p[1])}"
        ),
        inner.map(lambda s: f"with o as b:\n{indented(s)}"),
        st.tuples(inner, inner, inner, inner).map(
            lambda p: (
                f"try:\n{indented(p[0])}\nexcept Raised:\n{indented(p[1])}\n"
                f"else:\n{indented(p[2])}\nfinally:\n{indented(p[3])}"
            )
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(statements)
def test_random_programs_do_what_python_does(body: str) -> None:
    assert by_machine(body) == by_python(body)
