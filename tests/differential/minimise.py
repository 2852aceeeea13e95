"""Makes a program smaller for as long as a disagreement persists: what is left shows the cause."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from functools import partial

from .compare import Comparison, compare
from .generator import Program
from .oracle import Discard


def minimise(comparison: Comparison) -> Comparison:
    """The smallest program that disagrees likewise, found by deleting and unwrapping."""
    wanted = kinds(comparison)
    # Round trip first, so that line numbers are those of the text that is cut down.
    current = (
        _attempt(ast.unparse(ast.parse(comparison.program.source)), comparison.program, wanted) or comparison
    )
    while True:
        for tree in _smaller(current.program.source):
            source = ast.unparse(tree)
            if len(source) >= len(current.program.source):
                continue
            smaller = _attempt(source, current.program, wanted)
            if smaller is not None:
                current = smaller
                break
        else:
            return current


def kinds(comparison: Comparison) -> set[str]:
    """How a comparison disagrees, in words that survive moved lines."""
    result = {f"false {finding.code}" for finding in comparison.false}
    result |= {"missed"} if comparison.missed else set()
    result |= {f"crash {finding.message}" for finding in comparison.crashes}
    if not result:
        result = {f"{finding.code} for {code}" for finding, code in comparison.codes}
    return result


def _attempt(source: str, program: Program, wanted: set[str]) -> Comparison | None:
    if not _idle(source, program.entry) <= _idle(program.source, program.entry):
        return None  # a function that nobody calls any more is another program
    try:
        comparison = compare(Program(source, program.form, program.entry, program.flags))
    except (Discard, SyntaxError, NameError, AttributeError, TypeError, LookupError):
        return None  # what is left does not run
    return comparison if kinds(comparison) & wanted else None


def _idle(source: str, entry: str) -> set[str]:
    """The functions and classes that nobody uses."""
    names = re.findall(r"^(?:def|class) (\w+)", source, re.MULTILINE)
    return {name for name in names if name != entry and len(re.findall(rf"\b{name}\b", source)) < 2}


def _smaller(source: str) -> Iterator[ast.Module]:
    """Variants with one thing less, the largest cuts first."""
    original = ast.parse(source)
    count = sum(1 for _ in _edits(original))
    for index in range(count):
        tree = copy.deepcopy(original)
        for position, edit in enumerate(_edits(tree)):
            if position == index:
                edit()
                break
        yield ast.fix_missing_locations(tree)


def _edits(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """All edits, in a fixed order: deletions and unwrappings of statements, then of expressions.

    `main` stays as it is: what a public function is given says what the analysis may assume of it.
    """
    nodes = [node for part in tree.body if getattr(part, "name", "") != "main" for node in ast.walk(part)]
    for node in (tree, *nodes):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if not isinstance(body, list) or [type(each) for each in body] == [ast.Pass]:
                continue
            for index in reversed(range(len(body))):
                yield partial(_replace, body, index, [])
                inner = getattr(body[index], "body", None)
                if isinstance(inner, list) and isinstance(body[index], (ast.If, ast.For, ast.With)):
                    yield partial(_replace, body, index, inner)
                    orelse = getattr(body[index], "orelse", [])
                    if orelse:
                        yield partial(_replace, body, index, orelse)
    for node in nodes:
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.BinOp):
                yield partial(setattr, node, field, value.left)
                yield partial(setattr, node, field, value.right)
            elif isinstance(value, ast.IfExp):
                yield partial(setattr, node, field, value.body)
                yield partial(setattr, node, field, value.orelse)
            elif (
                isinstance(value, ast.Call)
                and isinstance(value.func, ast.Attribute)
                and not isinstance(node, ast.Expr)
            ):
                owner = value.func.value
                if not (isinstance(owner, ast.Name) and owner.id in ("torch", "F", "nn")):
                    yield partial(setattr, node, field, owner)
                elif value.args:
                    yield partial(setattr, node, field, value.args[0])


def _replace(body: list[ast.stmt], index: int, by: list[ast.stmt]) -> None:
    body[index : index + 1] = by
    if not body:
        body.append(ast.Pass())
