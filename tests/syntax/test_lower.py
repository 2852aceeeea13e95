"""Every construct of the grammar is lowered, on every Python; names are bound where Python binds them."""

from __future__ import annotations

import ast
import os
import symtable
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_lint.syntax import expressions, ir, lower
from inplace_lint.syntax.lower import lower_body
from inplace_lint.syntax.module import Module

CONSTRUCTS = {
    (3, 10): """
async def a(x, /, y, *z, k=1, **m):
    async with x as p, y:
        async for q in z:
            await q
            yield q
    return
def g():
    x = yield
    y = yield from x
    z = lambda *p, **q: (p, q)
    del x, (y, [z]), g.a, g.b[0]
    nonlocal_ = [i async for i in x]
class C(list, metaclass=type):
    x: int = 1
    def m(self):
        return super().m()
with (open("a") as f, open("b")):
    pass
match x:
    case 1 | -2 | "s" | None | True | a.b: pass
    case [1, *rest] | (1, *rest): pass
    case {"k": v, **others} if v: pass
    case C(1, x=2) as whole: pass
    case [_, _]: pass
    case other: pass
try:
    import a.b as c, d.e
    from . import f
    from ..g import h as i
    from j import *
except (A, B) as e:
    raise X from e
except:
    raise
else:
    pass
finally:
    assert x, "y"
while x := f(): continue
for x, *y in z: break
else: ...
global_ = f"{x!r:>{width}} {y=}"
x = a if b else c; x @= d; x[1:2, ..., ::3] //= 4; x.y **= 5; x <<= 1; x >>= 1; x &= 1; x ^= 1; x |= 1; x %= 1
y = a < b <= c != d is e is not f in g not in h
z = {**a, "b": 1}, {*a}, [*a], (*a,), {k: v for k, v in z}, {k for k in z}, (k for k in z)
print(*a, b, *c, d=1, **e)
-x, +x, ~x, not x, 1j, b"", ...
""",
    (3, 11): """
try:
    pass
except* (A, B) as e:
    f(e)
x[*a, 1] = y[*b]
def f(*args: *Ts): ...
""",
    (3, 12): """
type X[T: int, *Ts, **P] = list[T]
def f[T](x: T) -> T: return x
class C[T]: ...
y = f"{x["a"] + f"{1 + 2}"}"
""",
    (3, 13): """
type X[T = int] = list[T]
""",
    (3, 14): """
x = t"{name!r:>{width}}"
try:
    pass
except A, B:
    pass
""",
}
KNOWN = sys.version_info[:2]
CLASSES = {c for c in vars(ir).values() if isinstance(c, type) and issubclass(c, ir.Instruction)}


def instructions(block: ir.Block) -> Iterator[ir.Instruction]:
    """All instructions, those of nested blocks included."""
    for instruction in block:
        yield instruction
        for name in ("then", "orelse", "body", "condition", "final"):
            yield from instructions(getattr(instruction, name, []))
        for handler in getattr(instruction, "handlers", []):
            yield from instructions([*handler.of_type, *handler.body])


def lowered(module: Module) -> list[ir.Instruction]:
    """The instructions of a whole file: of its body and of every function."""
    found = list(instructions(module.body))
    for function in module.functions_in_order():
        found += instructions(function.body)
        assert isinstance(function.scope, tuple)
        assert function.is_generator in (True, False)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Lambda):
            found += instructions(module.function_of(node).body)
    return found


@pytest.mark.parametrize("since", CONSTRUCTS)
def test_every_construct_is_lowered(since: tuple[int, int]) -> None:
    if since > KNOWN:
        pytest.skip("a newer grammar")
    found = lowered(Module("x.py", CONSTRUCTS[since].encode()))
    assert all(type(i) in CLASSES for i in found)
    assert all(hasattr(i.at, "_fields") for i in found)


def test_no_statement_and_no_expression_is_left_out() -> None:
    """What has no lowering of its own binds names or holds parts; it is listed here."""
    statements = set(ast.stmt.__subclasses__()) - set(lower._STATEMENTS)
    others = set(ast.expr.__subclasses__()) - set(expressions._EXPRESSIONS)
    assert {c.__name__ for c in statements} <= {"TypeAlias"}
    assert {c.__name__ for c in others} <= {"TemplateStr", "Interpolation"}


def test_an_unknown_expression_evaluates_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(expressions._EXPRESSIONS, ast.JoinedStr)
    block = lower_body(ast.parse("x = f'{(y := g())}'").body)
    assert [i.name for i in block if isinstance(i, ir.Store)] == ["y", "x"]
    assert any(isinstance(i, ir.Call) for i in block)


def test_an_unknown_statement_binds_what_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(lower._STATEMENTS, ast.For)
    block = lower_body(ast.parse("for x in xs:\n    y.z = w").body)
    assert [i.name for i in block if isinstance(i, ir.Store)] == ["x"]


def scope(body: str) -> tuple[set[str], set[str]]:
    return Module("x.py", f"def f(p, *q, r=1, **s):\n{body}".encode()).functions["f"].scope


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ("    return x", ""),
        ("    return [x for x in y]", ""),
        ("    return [(x := y) for y in z]", "x"),
        ("    x[0] = y.z = 1", ""),
        ("    for x, (y, *z) in w: pass", "x y z"),
        ("    with a as x, b as (y, z): pass", "x y z"),
        ("    try: pass\n    except A as x: pass", "x"),
        ("    import a.b, c.d as x\n    from e import y, z as w", "a x y w"),
        ("    def x(y): z = 1", "x"),
        ("    class x: y = 1", "x"),
        ("    lambda x: (y := 1)", ""),
        ("    del x", "x"),
        ("    x: int", "x"),
        ("    match v:\n        case [x, *y]: pass\n        case {'k': C(z), **w}: pass", "x y z w"),
        ("    global x\n    x = 1", ""),
    ],
)
def test_names_are_local_where_python_makes_them_local(body: str, bound: str) -> None:
    assert scope(body)[0] - {"p", "q", "r", "s"} == set(bound.split())
    table = symtable.symtable(f"def f(p, *q, r=1, **s):\n{body}", "x.py", "exec").get_children()[0]
    local = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()}
    # Since 3.12 the names of a comprehension are listed with the function's.
    source = ast.parse(f"def f():\n{body}")
    targets = [node.target for node in ast.walk(source) if isinstance(node, ast.comprehension)]
    local -= {node.id for node in targets if isinstance(node, ast.Name)}
    assert scope(body)[0] == local


@pytest.mark.parametrize(
    "text",
    ["max, y = f()", "for max in x: pass", "with f() as max: pass", "x = (max := 1)\nmax += 1", "del max"],
)
def test_a_name_bound_in_another_way_is_not_the_builtin(text: str) -> None:
    module = Module("x.py", text.encode())
    assert "max" in module.multiple


def test_guards_of_a_long_match_cost_linear_work() -> None:
    cases = "".join(f"    case {i} if g({i}): h({i})\n" for i in range(40))
    block = lower_body(ast.parse(f"match x:\n{cases}").body)
    assert sum(isinstance(i, ir.Call) for i in instructions(block)) == 80


def test_a_long_chain_of_operators_does_not_recurse() -> None:
    lower_body(ast.parse("x = " + " + ".join(["y"] * 900)).body)


def library() -> list[Path]:
    """The standard library's own files, without its tests: a quarter of them, all with INPLACE_LINT_LONG=1."""
    root = Path(sysconfig.get_paths()["stdlib"])
    skipped = {"test", "tests", "site-packages", "idlelib", "lib2to3", "__pycache__", "turtledemo"}
    found = [p for p in sorted(root.rglob("*.py")) if not skipped & set(p.relative_to(root).parts)]
    return found if os.environ.get("INPLACE_LINT_LONG") else found[::4]


def test_the_standard_library_is_lowered() -> None:
    for path in library():
        found = lowered(Module(str(path), path.read_bytes()))
        unknown = {i.kind for i in found if isinstance(i, ir.Opaque)}
        matched = {f"match {what}" for what in ("sequence", "mapping", "class", "part", "rest")}
        assert unknown <= {"string", "exception", "statement"} | matched, path
