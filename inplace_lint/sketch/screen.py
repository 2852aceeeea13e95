"""Which functions of a file are worth a run: a screening by text, before anything is lowered."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from ..syntax.module import candidate_rows, inner_bodies
from ..torchmodel import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.module import ClassSource, FunctionSource, Module

_in_place_names: frozenset[bytes] | None = None


def in_place_names() -> frozenset[bytes]:
    """Names with a trailing underscore that write a tensor, initialisers left out: those run under no_grad."""
    global _in_place_names
    if _in_place_names is None:
        known = table.get()
        found = {
            name.encode()
            for space in ("Tensor", *known.spaces())
            if space != "torch.nn.init"
            for name in known.names(space)
            if name.endswith("_")
        }
        # In-place forms that do not exist, of operations that do: a call of one is a finding too.
        for space in ("Tensor", "torch.nn.functional"):
            found.update(f"{name}_".encode() for name in known.names(space) if not name.endswith("_"))
        _in_place_names = frozenset(found)
    return _in_place_names


def rows_of(module: Module) -> list[int]:
    """Rows of a file on which something stands that may be an in-place write."""
    if module.candidates is None:
        module.candidates = candidate_rows(module.source, in_place_names())
    return module.candidates


_SETS_STATE = re.compile(rb"^[ \t]*self\.\w+[ \t]*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


def sets_state(source: FunctionSource) -> bool:
    """Whether a method may assign an attribute of its object: what later methods see depends on it."""
    if source.owner is None:
        return False
    lines = source.module.lines[source.node.lineno - 1 : source.node.end_lineno or 0]
    return _SETS_STATE.search(b"\n".join(lines)) is not None


def with_candidates(module: Module) -> dict[FunctionSource, None]:
    """Functions that hold a candidate, or run a module that was built to work in place."""
    rows = rows_of(module)
    functions = module.functions_in_order()
    chosen = around(module, functions, rows)
    factories = _factories(module, chosen, rows)
    if factories:
        chosen.update(around(module, functions, sorted({*rows, *mentions(module, factories)})))
    return chosen


def around(module: Module, functions: list[FunctionSource], rows: list[int]) -> dict[FunctionSource, None]:
    """Functions around the rows; where a row is in `__init__`, the methods that use what it builds."""
    chosen: dict[FunctionSource, None] = {}
    built: dict[str, set[bytes]] = {}
    for function in functions:
        first, last = function.node.lineno, function.node.end_lineno or 0
        inside = rows[bisect_left(rows, first) : bisect_right(rows, last)]
        if not inside:
            continue
        if function.name == "__init__" and function.owner is not None:
            building = [row for row in inside if _BUILDS.search(module.lines[row - 1])]
            if building:
                built.setdefault(function.owner.name, set()).update(_attributes_built(function, building))
            if len(building) == len(inside):
                continue
        chosen[function] = None
    if built:
        for _ in range(2):  # a subclass runs what its base class built
            for cls in classes(functions):
                for base in cls.bases:
                    inherited = built.get(getattr(base, "id", ""))
                    if inherited:
                        built.setdefault(cls.name, set()).update(inherited)
        for function in functions:
            names_built = built.get(function.owner.name) if function.owner is not None else None
            if names_built and function not in chosen and function.name != "__init__":
                lines = module.lines[function.node.lineno - 1 : function.node.end_lineno or 0]
                text = b"\n".join(lines)
                if any(name in text and _word(name).search(text) for name in names_built):
                    chosen[function] = None
    return chosen


#: What hands `inplace=True` to a module that is built.
_BUILDS = re.compile(rb"\binplace\b|\bTrue\b")
_words: dict[bytes, re.Pattern[bytes]] = {}


def _word(name: bytes) -> re.Pattern[bytes]:
    known = _words.get(name)
    if known is None:
        known = _words[name] = re.compile(rb"\b" + re.escape(name) + rb"\b")
    return known


def _attributes_built(function: FunctionSource, rows: list[int]) -> set[bytes]:
    """`self.x` for each attribute that is built on one of the rows of `__init__`; all of them if unclear."""
    found: set[bytes] = set()
    everything: set[bytes] = set()
    told = True
    stack = list(getattr(function.node, "body", []))
    while stack:
        statement = stack.pop()
        bodies = inner_bodies(statement)
        if bodies:
            for body in bodies:
                stack.extend(body)
            continue
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        attributes_here = {b"self." + t.attr.encode() for t in targets if hasattr(t, "attr")}
        everything |= attributes_here
        first, last = statement.lineno, statement.end_lineno or 0
        inside = rows[bisect_left(rows, first) : bisect_right(rows, last)]
        if inside:
            if attributes_here:
                found |= attributes_here
            else:
                told = False
    return found if told else everything


def classes(functions: list[FunctionSource]) -> list[ClassSource]:
    return list({function.owner: None for function in functions if function.owner is not None})


def _factories(module: Module, chosen: dict[FunctionSource, None], rows: list[int]) -> set[str]:
    """Functions that may build a module with `inplace=`: whoever calls them in `__init__` runs it."""
    found = set()
    for function in chosen:
        first, last = function.node.lineno, function.node.end_lineno or 0
        if function.owner is None and any(
            b"inplace" in module.lines[row - 1]
            for row in rows[bisect_left(rows, first) : bisect_right(rows, last)]
        ):
            found.add(function.name)
    return found


def mentions(module: Module, words: set[str]) -> list[int]:
    """Rows on which one of the names stands."""
    return sorted(row for word in words for row in _rows_with(module, word.encode(), _word(word.encode())))


def _rows_with(module: Module, word: bytes, pattern: re.Pattern[bytes]) -> list[int]:
    """Rows that the pattern matches; every match holds the word, which is quicker to look for."""
    source = module.source
    rows = []
    row, before = 1, 0
    position = source.find(word)
    while position >= 0:
        start = source.rfind(b"\n", 0, position) + 1
        end = source.find(b"\n", position)
        if pattern.search(source, start, end if end >= 0 else len(source)):
            row += source.count(b"\n", before, start)
            before = start
            rows.append(row)
        position = source.find(word, end) if end >= 0 else -1
    return rows


def calls_of(module: Module, asked: set[FunctionSource]) -> list[int]:
    """Rows on which one of the functions is called; for a forward, rows on which its class is built to be kept."""
    rows: set[int] = set()
    built = set()
    for function in asked:
        forward = function.owner is not None and function.name in ("forward", "__call__")
        word = function.owner.name if forward and function.owner is not None else function.name
        name = re.escape(word.encode())
        if forward:
            built.add(word)
            pattern = rb"=[ \t]*(?:\w+\.)*%s\(|\b%s\([^\n]*\)\(" % (name, name)
        else:
            pattern = rb"(?<!def )\b%s\(" % name
        rows.update(_rows_with(module, word.encode(), re.compile(pattern)))
    if built:
        inits = [
            (f.node.lineno, f.node.end_lineno or 0)
            for f in module.functions_in_order()
            if f.name == "__init__"
        ]
        rows.update(r for r in mentions(module, built) if any(first < r <= last for first, last in inits))
    return sorted(rows)
