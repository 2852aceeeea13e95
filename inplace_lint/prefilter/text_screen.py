"""Screens a file by text for functions that may write in place, before anything is lowered."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from ..syntax.nodes import asks_for_main, bound_names, first_name, is_special
from ..torchmodel import table, writers
from . import init_attributes, initializers
from .local_writes import writes_only_own
from .source_words import (
    Pattern,
    begins_name,
    called,
    has_word,
    last_word,
    may_run,
    mentions,
    paths_in,
    rows_with,
    runs_backward,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.module import ClassSource, FunctionSource, Module

_in_place_names: frozenset[str] | None = None


def in_place_names() -> frozenset[str]:
    """Names with a trailing underscore that write a tensor: `add_`."""
    global _in_place_names
    if _in_place_names is None:
        known = table.get()
        found = {
            name for space in ("Tensor", *known.spaces()) for name in known.names(space) if name.endswith("_")
        }
        # In-place forms that torch lacks, as `softmax_`: a call of one is a finding too.
        for space in ("Tensor", "torch.nn.functional"):
            found.update(f"{name}_" for name in known.names(space) if not name.endswith("_"))
        _in_place_names = frozenset(found)
    return _in_place_names


def rows_of(module: Module) -> list[int]:
    """The rows with a possible in-place write, optimizer step, or call with `out=`.

    An over-approximation: it only selects the functions to look at.
    """
    if module.memo.candidates is None:
        module.functions_in_order()
        rows = {statement.lineno for statement in module.writing if _may_write(statement)}
        module.memo.declaring = frozenset(_rows_of_declared(module)) if module.writers else frozenset()
        module.memo.calling = frozenset(_rows_of_calls(module)) | module.memo.declaring
        rows |= module.memo.calling
        module.memo.candidates = sorted(rows)
    return module.memo.candidates


#: What cannot be added to a tensor: PyTorch raises a TypeError.
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)


def _may_write(statement: ast.Assign | ast.AugAssign) -> bool:
    """Whether a statement may write a tensor: adding a string, a list or a tuple shows that the target is one too."""
    if isinstance(statement, ast.AugAssign):
        return not isinstance(statement.value, _DISPLAYS) and not _is_text(statement.value)
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
            return True  # a string key is a dict's
    return False


#: Methods of strings that tensors lack.
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


def _is_method(text: bytes, start: int, end: int) -> bool:
    """Whether a call, up to its last underscore, is of an in-place method, and not of `__init__`."""
    return text[start - 1 : start] != b"_" and last_word(text, start + 1) in in_place_names()


def _is_flag(text: bytes, start: int, end: int) -> bool:
    """Whether an argument with exactly this name is given, and not as False or None."""
    return not text.startswith((b"False", b"None"), end) and begins_name(text, start)


#: What follows a key that is given a value, other than False or None: `{"inplace": True}`, `kwargs["inplace"] = True`.
_GIVES = Pattern(rb"[ \t]*(?::|,|\][ \t]*=(?!=))[ \t]*(?!False|None)")


def _is_key(text: bytes, start: int, end: int) -> bool:
    """Whether a string of exactly these letters is the key of an option, not given as False or None."""
    return text[start - 1 : start] == text[end - 1 : end] and _GIVES().match(text, end) is not None


#: What follows an attribute that is set, not to False or None; and one that is an argument: `nn.ReLU(cfg.inplace)`.
_SETS_OR_GIVEN = Pattern(rb"[ \t]*(?:=(?!=)[ \t]*(?!False|None)|[,)])")


def _is_set_or_given(text: bytes, start: int, end: int) -> bool:
    """Whether an attribute is set, and not to False or None; or is an argument, whatever it holds."""
    return _SETS_OR_GIVEN().match(text, end) is not None


def _is_out(text: bytes, start: int, end: int) -> bool:
    """Whether a match is a keyword argument, not a comparison."""
    return text[start - 1 : start] in _BEFORE_OUT and text[end : end + 1] != b"="


_BEFORE_OUT = frozenset([b"(", b",", b" ", b"\t"])
#: Text before a `True` that is the default of a look-up: `getattr(x, "flag", True)`.
_LOOKED_UP = Pattern(rb"(?:\bgetattr|\.(?:get|pop|setdefault))\([^()]*\Z")


#: So much of a row is looked at around a `True`, so that a row of many costs no more than its length.
_NEAR = 200
#: Text that ends inside of a list, or of a tuple: `"stages": (None, True,`.
_IN_DISPLAY = Pattern(rb"(?:\[|(?:[=:,(\[]|\breturn)[ \t]*\()[^()\[\]]*\Z")


def _is_given_by_place(text: bytes, start: int, end: int) -> bool:
    """Whether a `True` is a positional argument, and so perhaps `inplace`."""
    if text[start - 1 : start] == b"=":
        return False
    first = max(start - _NEAR, 0)
    before = text[max(text.rfind(b"\n", first, start) + 1, first) : start].rstrip(b" \t")
    if before[-1:] not in (b"(", b",") or _IN_DISPLAY().search(before):
        return False
    after = text[end : end + _NEAR].lstrip(b" \t")
    return after[:1] in (b",", b")") and not _LOOKED_UP().search(before[:-1])


def _is_method_call(text: bytes, start: int, end: int) -> bool:
    return text[start - 1 : start] == b"."


def _is_function_call(text: bytes, start: int, end: int) -> bool:
    return begins_name(text, start)


#: Marks of a call that may write, each with the check of its context; searching bytes is much faster than a regex.
_MARKS = (
    (b"inplace=", _is_flag),
    (b'inplace"', _is_key),
    (b"inplace'", _is_key),
    (b"max_norm=", _is_flag),
    (b".inplace", _is_set_or_given),
    (b"out=", _is_out),
    (b"True", _is_given_by_place),
)
#: Other functions and methods that may write.
_WRITERS = {
    **dict.fromkeys(writers.METHODS, _is_method_call),
    **dict.fromkeys(writers.FUNCTIONS, _is_function_call),
}
#: Calls that only matter in a file that runs a backward.
_STEPS = dict.fromkeys(writers.STEPS | writers.MODES, _is_method_call)


def _rows_of_calls(module: Module) -> set[int]:
    """The rows with a call that may write: an in-place method, a flag or `out=`, or an optimizer step."""
    source = module.source
    names = called(module)
    rows: set[int] = set()
    for mark, holds in _MARKS:
        rows.update(rows_with(module, mark, holds))
    # Most small files call nothing that ends in one underscore, and need no table.
    may = _in_place_names is not None or source.count(b"_(") > source.count(b"__(")
    if may and not in_place_names().isdisjoint(names):
        rows.update(rows_with(module, b"_(", _is_method))
    rows.update(_rows_of_methods_as_values(module))
    words = {**_WRITERS, **_STEPS} if runs_backward(module) else _WRITERS
    for word in words.keys() & names:
        rows.update(rows_with(module, word.encode() + b"(", words[word]))
    rows.update(mentions(module, _renamed(module)))
    return rows


def _renamed(module: Module) -> set[str]:
    """Names under which a file imports a function that writes: `from operator import imul as times`."""
    return {
        name
        for name, binding in module.imports.items()
        if binding.member is not None
        and name != binding.member
        and (binding.member in writers.FUNCTIONS or _is_in_place(binding.member))
    }


#: A name with a trailing underscore that is not called at once: `h.mul_`, or the string "mul_".
_AS_VALUE = Pattern(rb"\.([a-z]\w*_)(?![\w(])|[\"']([a-z]\w*_)[\"']")


def _rows_of_methods_as_values(module: Module) -> Iterator[int]:
    """The rows that name an in-place method which something else calls: `m = h.mul_`, `getattr(h, "mul_")`."""
    for match in _AS_VALUE().finditer(module.source):
        if table.method((match[1] or match[2]).decode()) is not None:  # not the `mean_` of other libraries
            yield bisect_right(module.row_starts, match.start())


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__") and name in in_place_names()


def _rows_of_declared(module: Module) -> list[int]:
    """The rows with a name that is declared to write, or with its import alias."""
    aliases = {name for name, binding in module.imports.items() if binding.member in module.writers}
    return mentions(module, aliases.union(module.writers))


def may_compute(module: Module) -> bool:
    """Whether a file may compute with tensors: it names torch, or calls a method that tensors have as well."""
    return b"torch" in module.source or any(table.method(name) is not None for name in called(module))


def sets_state(source: FunctionSource) -> bool:
    """Whether a method may assign an attribute of `self`, which later calls then see."""
    if source.owner is None or not source.parameters:
        return False
    return source.parameters[0].arg in source.module.kept_in(source)


def with_candidates(module: Module) -> dict[FunctionSource, None]:
    """Functions with a candidate row, or that use a module that was built to work in place."""
    rows = rows_of(module)
    chosen = around(module, rows)
    factories = _factories(module, chosen, rows)
    for _ in range(_BUILDERS if factories else 0):
        rows = mentions(module, factories)
        users = around(module, rows, rows, named=True)
        chosen.update(users)
        more = {function.name for function in users if hands_on(function)} - factories
        if not more:
            break
        factories |= more
    return chosen


#: Functions through which a builder of an in-place module is followed.
_BUILDERS = 2


def _only_builds(function: FunctionSource, rows: list[int], building: list[int]) -> bool:
    """Whether an `__init__` only builds, initialises and counts on these rows."""
    module = function.module
    rest = [row for row in rows if row not in building and not initializers.initialises(module, row)]
    statements = module.writing_at
    counting = [statements[row] for row in rest if row in statements and row not in module.memo.calling]
    return len(counting) == len(rest) and (not rest or writes_only_own(function, counting, counts=True))


def around(
    module: Module, rows: list[int], builds: list[int] | None = None, named: bool = False
) -> dict[FunctionSource, None]:
    """Functions around the rows; for a row in `__init__`, also the methods that use what it builds.

    Only builds on the rows `builds` count; if None, rows that pass a flag such as `inplace=`. `named`: the rows mention
    the name of a builder.
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
        writing = [statements[row] for row in inside if row in statements and row not in module.memo.calling]
        if not calls and len(writing) == len(inside) and writes_only_own(function, writing):
            continue
        if function.name == "__init__" and function.owner is not None:
            building = [row for row in inside if (_builds(module, row) if builds is None else row in builds)]
            if building:
                attributes = kept.setdefault(function.owner.name, set())
                attributes.update(init_attributes.attributes_built(function, building, named))
                if is_sequential(function.owner):
                    attributes.add(b"")
            if not calls and _only_builds(function, inside, building):
                continue
        chosen[function] = None
    if kept:
        for _ in range(2):  # a subclass uses what its base built
            for cls in classes(functions):
                for base in cls.bases:
                    inherited = kept.get(getattr(base, "id", ""))
                    if inherited:
                        kept.setdefault(cls.name, set()).update(inherited)
        for function in functions:
            names_built = kept.get(function.owner.name) if function.owner is not None else None
            if not names_built or function in chosen or function.name == "__init__":
                continue
            if init_attributes.uses(function, names_built, may_run):
                chosen[function] = None
    return chosen


#: A row that may build a layer with `inplace=True` or `max_norm=1.0`.
_BUILDS = Pattern(rb"\binplace\b|[(,]\s*True\s*[,)]|\bmax_norm\b")


def _builds(module: Module, row: int) -> bool:
    return row in module.memo.declaring or _BUILDS().search(module.text(row, row)) is not None


def _is_within(rows: list[int], first: int, last: int) -> bool:
    """Whether one of the rows lies between two."""
    return bisect_left(rows, first) < bisect_right(rows, last)


def classes(functions: list[FunctionSource]) -> list[ClassSource]:
    return list({function.owner: None for function in functions if function.owner is not None})


def chains_of(module: Module, names: set[str]) -> set[str]:
    """The `Sequential` classes of a file whose `__init__` names one of these, or another such chain."""
    found: set[str] = set()
    inits = {
        cls.name: cls.methods["__init__"].text
        for cls in module.classes.values()
        if "__init__" in cls.methods and is_sequential(cls)
    }
    new = names
    while new:
        words = [name.encode() for name in new]
        new = {
            name
            for name, text in inits.items()
            if name not in found and name not in names and any(has_word(text, word) for word in words)
        }
        found |= new
    return found


def is_sequential(cls: ClassSource) -> bool:
    """Whether a base is named `Sequential`, so that the class runs what its `__init__` builds."""
    return any(getattr(base, "attr", getattr(base, "id", "")) == "Sequential" for base in cls.bases)


def _is_built_in_place(cls: ClassSource, init: FunctionSource) -> bool:
    """Whether a class is a chain of layers, or a layer of its own: `super().__init__(inplace=True)`."""
    return is_sequential(cls) or b".__init__(inplace" in init.text


def _factories(module: Module, chosen: dict[FunctionSource, None], rows: list[int]) -> set[str]:
    """Names of the file that may build a module with `inplace=`: whoever uses them may run it."""
    building = [row for row in rows if _builds(module, row)]
    places = _bindings(module) if building else []
    found = {name for first, last, names in places if _is_within(building, first, last) for name in names}
    for function in module.functions_in_order():
        first, last = function.node.lineno, function.node.end_lineno or 0
        owner = function.owner
        is_module = function.name == "__init__" and owner is not None and _is_built_in_place(owner, function)
        if (is_module or (function in chosen and hands_on(function))) and _is_within(building, first, last):
            found.add(owner.name if is_module and owner is not None else function.name)
    known = {name.encode() for name in found}
    for first, last, names in places if found else ():
        if not known.isdisjoint(paths_in(module.text(first, last))):
            known.update(name.encode() for name in names)
            found |= names
    return found


def _bindings(module: Module) -> list[tuple[int, int, set[str]]]:
    """The statements of the top level, and of class bodies, that bind or fill names: their rows, and the names."""
    bodies = [module.tree.body, *(cls.node.body for cls in module.classes.values())]
    found = []
    for statement in (one for body in bodies for one in body if not isinstance(one, _DEFINES)):
        names: set[str] = set()
        if isinstance(statement, ast.Expr):
            names.add(first_name(statement.value) or "")  # `LAYERS.append(…)`
        elif not (isinstance(statement, ast.If) and asks_for_main(statement.test)):
            bound_names([statement], names, set())
        names.discard("")
        if names:
            found.append((statement.lineno, statement.end_lineno or statement.lineno, names))
    return found


_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def hands_on(function: FunctionSource) -> bool:
    """Whether a function may return a module that it builds; a `forward` only runs modules."""
    runs = function.owner is not None and (function.name == "forward" or is_special(function.name))
    return not runs and b"return" in function.text
