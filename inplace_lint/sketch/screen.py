"""Which functions of a file are worth a run: a screening by text, before anything is lowered."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from ..syntax.module import inner_bodies
from ..torchmodel import table
from .plain import writes_only_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from ..syntax.module import ClassSource, FunctionSource, Module
else:
    import _ast as ast

_in_place_names: frozenset[bytes] | None = None


def in_place_names() -> frozenset[bytes]:
    """Names with a trailing underscore that write a tensor."""
    global _in_place_names
    if _in_place_names is None:
        known = table.get()
        found = {
            name.encode()
            for space in ("Tensor", *known.spaces())
            for name in known.names(space)
            if name.endswith("_")
        }
        # In-place forms that do not exist, of operations that do: a call of one is a finding too.
        for space in ("Tensor", "torch.nn.functional"):
            found.update(f"{name}_".encode() for name in known.names(space) if not name.endswith("_"))
        _in_place_names = frozenset(found)
    return _in_place_names


def rows_of(module: Module) -> list[int]:
    """Rows of a file on which something stands that may be an in-place write, an optimizer step or a call with `out=`.

    It over-approximates: it only decides which functions are looked at.
    """
    if module.candidates is None:
        module.functions_in_order()
        rows = {statement.lineno for statement in module.writing if _may_write(statement)}
        module.calling = frozenset(_rows_of_calls(module.source))
        rows |= module.calling
        module.candidates = sorted(rows)
    return module.candidates


def _may_write(statement: ast.Assign | ast.AugAssign) -> bool:
    """Whether a statement may write a tensor: a string or list that is added to something makes that one as well."""
    if isinstance(statement, ast.AugAssign):
        return not isinstance(statement.value, ast.List) and not _is_text(statement.value)
    targets = list(statement.targets)
    while targets:
        target = targets.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            targets.extend(target.elts)
        elif isinstance(target, ast.Starred):
            targets.append(target.value)
        elif isinstance(target, ast.Attribute) and target.attr == "data":
            return True
        elif isinstance(target, ast.Subscript) and not _is_text(target.slice):
            return True  # a store under a string is a dict's
    return False


#: Methods that strings have and tensors do not.
_TEXT_METHODS = frozenset("format join lower lstrip replace rstrip strip upper".split())


def _is_text(node: ast.expr) -> bool:
    """Whether an expression can only be a string."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in _TEXT_METHODS
    return isinstance(node, ast.JoinedStr)


#: Calls that may write: of a method with a trailing underscore, with a flag or with `out=`, of an optimizer.
_CALLS = re.compile(
    rb"(?P<method>\w+_)\("
    rb"|\b(?:inplace|max_norm)=(?!False|None)"
    rb"|[(,][ \t]*True[ \t]*[,)]"
    rb"|[(,\s]out=(?!=)"
    rb"|\.(?:step|load_state_dict|train|fill)\("
    rb"|\b(?:copyto|vector_to_parameters|batch_norm)\("
)

#: What each line that matches holds, and the byte after which that is of no interest (`__init__(`, `bias=True`): a
#: search for plain bytes is many times faster than one for the pattern.
_MARKS = (
    (b"_(", ord("_")),
    (b"inplace=", -1),
    (b"max_norm=", -1),
    (b"out=", -1),
    (b".step(", -1),
    (b".load_state_dict(", -1),
    (b".train(", -1),
    (b".fill(", -1),
    (b"copyto(", -1),
    (b"vector_to_parameters(", -1),
    (b"batch_norm(", -1),
    (b"True,", ord("=")),
    (b"True)", ord("=")),
    (b"True ", ord("=")),
)


def _rows_of_calls(source: bytes) -> list[int]:
    starts: set[int] = set()
    for mark, dull in _MARKS:
        position = source.find(mark)
        while position >= 0:
            if source[position - 1] == dull:
                position = source.find(mark, position + 1)
                continue
            starts.add(source.rfind(b"\n", 0, position) + 1)
            end = source.find(b"\n", position)
            position = source.find(mark, end) if end >= 0 else -1
    rows: list[int] = []
    row, before = 1, 0
    steps = b".backward(" in source
    for start in sorted(starts):
        end = source.find(b"\n", start)
        line = source[start : end if end >= 0 else len(source)]
        for match in _CALLS.finditer(line):
            name = match.group("method")
            if name is not None:
                if name not in in_place_names():
                    continue
            elif not steps and match.group().startswith((b".step", b".load", b".train")):
                continue
            row += source.count(b"\n", before, start)
            before = start
            rows.append(row)
            break
    return rows


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
    chosen = around(module, rows)
    factories = _factories(module, chosen, rows)
    if factories:
        rows = mentions(module, factories)
        chosen.update(around(module, rows, rows))
    return chosen


_INITIALISES = re.compile(
    rb"^[ \t]*((?:\w+\.)*init)\.\w+_\(\w+\.(?!data\b)[^()]*(?:\([^()]*\)[^()]*)*\)[ \t]*(?:#.*)?$"
)


def only_initialises(module: Module, function: FunctionSource) -> bool:
    """Whether all that a function may write itself are attributes, by functions of torch.nn.init, which record nothing.

    Nothing is wrong with that for the function alone: what it writes is asked by those who call it.
    """
    rows = rows_of(module)
    first, last = function.node.lineno, function.node.end_lineno or 0
    inside = rows[bisect_left(rows, first) : bisect_right(rows, last)]
    for row in inside:
        found = _INITIALISES.match(module.lines[row - 1])
        if found is None:
            return False
        root, _, rest = found.group(1).decode().partition(".")
        known = module.imports.get(root)
        if known is None or known.level:
            return False
        if ".".join(filter(None, (known.module, known.member, rest))) != "torch.nn.init":
            return False
    return bool(inside)


def around(module: Module, rows: list[int], builds: list[int] | None = None) -> dict[FunctionSource, None]:
    """Functions around the rows; where a row is in `__init__`, the methods that use what it builds.

    What a row builds matters if it is one of `builds`; where that is not told, if the row hands it a flag.
    """
    calls = builds is not None
    functions = module.functions_in_order()
    chosen: dict[FunctionSource, None] = {}
    kept: dict[str, set[bytes]] = {}
    statements = module.writing_at
    rows_in: dict[FunctionSource, list[int]] = {}
    for row in rows:
        for function in module.functions_at(row):
            rows_in.setdefault(function, []).append(row)
    for function in sorted(rows_in, key=lambda function: function.node.lineno):
        inside = rows_in[function]
        writing = [statements[row] for row in inside if row in statements and row not in module.calling]
        if not calls and len(writing) == len(inside) and writes_only_own(function, writing):
            continue
        if function.name == "__init__" and function.owner is not None:
            building = [
                row
                for row in inside
                if (row in builds if builds is not None else _BUILDS.search(module.lines[row - 1]))
            ]
            if building:
                built = kept.setdefault(function.owner.name, set())
                built.update(_attributes_built(function, building))
                if _is_sequential(function.owner):
                    built.update((b"super", b"in self"))
            if len(building) == len(inside) and not calls:
                continue
        chosen[function] = None
    if kept:
        for _ in range(2):  # a subclass runs what its base class built
            for cls in classes(functions):
                for base in cls.bases:
                    inherited = kept.get(getattr(base, "id", ""))
                    if inherited:
                        kept.setdefault(cls.name, set()).update(inherited)
        for function in functions:
            names_built = kept.get(function.owner.name) if function.owner is not None else None
            if names_built and function not in chosen and function.name != "__init__":
                lines = module.lines[function.node.lineno - 1 : function.node.end_lineno or 0]
                text = b"\n".join(lines)
                if any(has_word(text, name) for name in names_built):
                    chosen[function] = None
    return chosen


#: What hands `inplace=True` (or `max_norm=1.0`) to a module that is built.
_BUILDS = re.compile(rb"\binplace\b|\bTrue\b|\bmax_norm\b")


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


def _is_sequential(cls: ClassSource) -> bool:
    """Whether the class reads like one that runs what its `__init__` builds by itself."""
    return any(getattr(base, "attr", getattr(base, "id", "")) == "Sequential" for base in cls.bases)


def _factories(module: Module, chosen: dict[FunctionSource, None], rows: list[int]) -> set[str]:
    """Functions and classes that may build a module with `inplace=`: whoever calls them in `__init__` runs it."""
    found = set()
    for function in module.functions_in_order():
        first, last = function.node.lineno, function.node.end_lineno or 0
        owner = function.owner
        builds = (
            function in chosen if owner is None else function.name == "__init__" and _is_sequential(owner)
        )
        if builds and any(
            b"inplace" in module.lines[row - 1]
            for row in rows[bisect_left(rows, first) : bisect_right(rows, last)]
        ):
            found.add(function.name if owner is None else owner.name)
    return found


def mentions(module: Module, words: set[str]) -> list[int]:
    """Rows on which one of the names stands."""
    return sorted(row for word in words for row in _rows_with(module, word.encode(), _stands))


def has_word(text: bytes, word: bytes) -> bool:
    """Whether a name stands in a text, and not only as a part of a longer one."""
    return _first(text, word, 0, len(text), _stands) >= 0


def _rows_with(module: Module, word: bytes, holds: Callable[[bytes, int, int], bool]) -> list[int]:
    """Rows on which a word stands as it should, which is told by the text and where the word begins and ends in it."""
    source = module.source
    rows = []
    row, before = 1, 0
    position = _first(source, word, 0, len(source), holds)
    while position >= 0:
        row += source.count(b"\n", before, position)
        before = position
        rows.append(row)
        end = source.find(b"\n", position)
        position = _first(source, word, end, len(source), holds) if end >= 0 else -1
    return rows


def _first(text: bytes, word: bytes, start: int, end: int, holds: Callable[[bytes, int, int], bool]) -> int:
    """Where a word first stands as it should; -1 where it does not. (A pattern had to be compiled for each word.)"""
    position = text.find(word, start, end)
    while position >= 0 and not holds(text, position, position + len(word)):
        position = text.find(word, position + 1, end)
    return position


def _stands(text: bytes, start: int, end: int) -> bool:
    """Whether no name goes on before or after a word."""
    return text[start - 1 : start] not in _OF_NAMES and text[end : end + 1] not in _OF_NAMES


def _is_called(text: bytes, start: int, end: int) -> bool:
    """Whether a word is called, and not defined."""
    return (
        text[end : end + 1] == b"("
        and text[start - 1 : start] not in _OF_NAMES
        and text[start - 4 : start] != b"def "
    )


def _is_run(text: bytes, start: int, end: int) -> bool:
    """Whether a class is called and the object kept or called itself."""
    if text[end : end + 1] != b"(" or text[start - 1 : start] in _OF_NAMES:
        return False
    stop = text.find(b"\n", end)
    if text.find(b")(", end, stop if stop >= 0 else len(text)) >= 0:
        return True
    return _KEPT.search(text, text.rfind(b"\n", 0, start) + 1, start) is not None


_KEPT = re.compile(rb"=[ \t]*(?:\w+\.)*\Z")
#: The bytes that names are made of.
_OF_NAMES = frozenset(bytes([c]) for c in range(256) if c == 0x5F or c > 0x7F or chr(c).isalnum())

#: Bytes of names as they are, all others blank; and how much of a text before a parenthesis may be one.
_NAMES = bytes(c if bytes([c]) in _OF_NAMES else 0x20 for c in range(256))
_LONGEST = 100


def called_in(text: bytes) -> set[str]:
    """The words before an opening parenthesis. (A pattern would take ten times as long.)"""
    words = {part[-_LONGEST:].translate(_NAMES).rpartition(b" ")[2] for part in text.split(b"(")[:-1]}
    return {word.decode(errors="replace") for word in words}


#: More names than this are not looked for one by one, nor any name in a text of more bytes.
_FEW = 30
_LARGE = 100_000


def _rows_of_call(
    module: Module, name: str, holds: Callable[[bytes, int, int], bool], names: int
) -> list[int]:
    """Rows on which the function of that name is called, one of so many `names` that are looked for."""
    word = name.encode()
    if names <= _FEW and len(module.source) <= _LARGE:
        return _rows_with(module, word, holds)
    known = module.calls
    if known is None:
        known = module.calls = {}
        for row, line in enumerate(module.lines, 1):
            if b"(" in line:
                for called in called_in(line):
                    known.setdefault(called, []).append(row)
    lines = module.lines
    return [
        row for row in known.get(name, ()) if _first(lines[row - 1], word, 0, len(lines[row - 1]), holds) >= 0
    ]


def _rows_of_inits(module: Module) -> list[int]:
    """Rows in `__init__`, any of which may build an object of a class."""
    return [
        row
        for function in module.functions_in_order()
        if function.name == "__init__"
        for row in range(function.node.lineno + 1, (function.node.end_lineno or 0) + 1)
    ]


def callers(module: Module, asked: set[FunctionSource]) -> tuple[dict[FunctionSource, None], list[int]]:
    """Functions of the file that call one of these, and the rows of those calls.

    What calls a forward is who runs an object of its class: the methods that use what `__init__` builds of it.
    """
    rows: set[int] = set()
    built = set()
    for function in asked:
        forward = function.owner is not None and function.name in ("forward", "__call__")
        word = function.owner.name if forward and function.owner is not None else function.name
        if forward:
            built.add(word)
        rows.update(_rows_of_call(module, word, _is_run if forward else _is_called, len(asked)))
    builds: list[int] = []
    if built:
        builds = [
            row
            for row in (mentions(module, built) if len(built) <= _FEW else _rows_of_inits(module))
            if any(f.name == "__init__" and f.node.lineno < row for f in module.functions_at(row))
        ]
    in_order = sorted(rows.union(builds))
    return around(module, in_order, builds), in_order
