"""Parses one file and indexes its top level, its functions and classes, and the statements that may write a tensor.

A file is parsed once; functions are lowered to IR only when the analysis asks for them (`FunctionSource.body`).
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from .module_memo import ModuleMemo
from .nodes import DULL, bound, bound_names, inner_bodies, key_of
from .parse import parse, without_comments, without_docstrings

if TYPE_CHECKING:
    from typing import TypeAlias

    from . import ir

    FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


_DESCRIPTORS = {"cached_property": "property"} | {k: k for k in ("staticmethod", "classmethod", "property")}


class FunctionSource:
    """A function, method or lambda of a file; its body is lowered on first use."""

    __slots__ = (
        "_body",
        "_bound",
        "_declared",
        "_defaults",
        "_stored",
        "_yields",
        "module",
        "name",
        "node",
        "origin",
        "owner",
        "parameters",
    )

    def __init__(self, module: Module, node: FunctionNode, owner: ClassSource | None = None) -> None:
        self.module = module
        self.node = node
        self.owner = owner
        #: the base's method, where this is an inherited method seen as one of a subclass
        self.origin: FunctionSource | None = None
        self.name = getattr(node, "name", "<lambda>")
        self._body: ir.Block | None = None
        self._yields = False
        self._stored: set[str] = set()
        #: positional parameters in order, the receiver included
        self.parameters: list[ast.arg] = node.args.posonlyargs + node.args.args
        self._defaults: dict[ast.arg, ast.expr | None] | None = None
        self._bound: tuple[set[str], set[str]] | None = None
        self._declared: set[str] | None = None

    @property
    def body(self) -> ir.Block:
        if self._body is None:
            from . import ir
            from .lower import lower_expression, lower_function

            if isinstance(self.node, ast.Lambda):
                block, register = lower_expression(self.node.body)
                block.append(ir.Return(self.node.body, register))
                self._body = block
            else:
                self._body, self._yields, self._stored = lower_function(self.node.body)
        return self._body

    @property
    def text(self) -> bytes:
        """Its rows, without those of decorators."""
        return self.module.text(self.node.lineno, self.node.end_lineno or self.node.lineno)

    def mentions(self, word: bytes) -> bool:
        """Whether the function's text contains these bytes."""
        starts = self.module.row_starts
        node = self.node
        return self.module.source.find(word, starts[node.lineno - 1], starts[node.end_lineno or 0]) >= 0

    @property
    def receiver(self) -> str:
        """The first parameter's name (`self`, `cls`); empty for functions and static methods."""
        if self.owner is None or not self.parameters or self.descriptor == "staticmethod":
            return ""
        return self.parameters[0].arg

    @property
    def descriptor(self) -> str:
        """The decorator that changes attribute access: "staticmethod", "classmethod", "property" or ""."""
        for decorator in getattr(self.node, "decorator_list", ()):
            how = _DESCRIPTORS.get(getattr(decorator, "id", getattr(decorator, "attr", "")))
            if how is not None:
                return how
        return ""

    @property
    def stored(self) -> set[str]:
        """Names that the body binds, also those declared global or nonlocal."""
        return self._stored if self.body is not None else set()

    def default_of(self, parameter: ast.arg) -> ast.expr | None:
        """The default's expression, or None."""
        if self._defaults is None:
            arguments = self.node.args
            self._defaults = dict(zip(reversed(self.parameters), reversed(arguments.defaults)))
            self._defaults.update(zip(arguments.kwonlyargs, arguments.kw_defaults))
        return self._defaults.get(parameter)

    @property
    def scope(self) -> tuple[set[str], set[str]]:
        """(names local to the function, names declared global or nonlocal)."""
        if self._bound is None:
            arguments = self.node.args
            bound = {name for name in self.stored if "@" not in name}  # without those of comprehensions
            bound.update(argument.arg for argument in (*self.parameters, *arguments.kwonlyargs))
            bound.update(extra.arg for extra in (arguments.vararg, arguments.kwarg) if extra is not None)
            self._bound = (bound - self.declared, self.declared)
        return self._bound

    @property
    def declared(self) -> set[str]:
        """Names that are declared global or nonlocal."""
        if self._declared is None:
            self._declared = set()
            text = self.text
            if not isinstance(self.node, ast.Lambda) and (b"global " in text or b"nonlocal " in text):
                bound_names(self.node.body, set(), self._declared)
        return self._declared

    @property
    def is_generator(self) -> bool:
        """Whether the function is a generator, so that a call runs nothing yet."""
        body = self.body
        return self._yields and bool(body)


class ClassSource:
    """A class of a file: its methods, class-level assignments and base expressions."""

    __slots__ = ("assigned_later", "assignments", "classes", "found", "methods", "module", "name", "node")

    def __init__(self, module: Module, node: ast.ClassDef) -> None:
        self.module = module
        self.node = node
        self.name = node.name
        #: by name (`key_of`)
        self.methods: dict[str, FunctionSource] = {}
        self.assignments: dict[str, ast.expr | None] = {}
        self.classes = {inner.name: inner for inner in node.body if isinstance(inner, ast.ClassDef)}
        #: attributes assigned outside `__init__`, computed on demand (`attention.objects`)
        self.assigned_later: set[str] | None = None
        #: its methods by name, with those inherited in its file, computed on demand (`prefilter.inherited`)
        self.found: dict[str, FunctionSource] | None = None
        for statement in node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.methods[key_of(statement, statement.name)] = FunctionSource(module, statement, self)
            elif isinstance(statement, ast.Assign):
                for target, value in (pair for t in statement.targets for pair in bound(t, statement.value)):
                    if isinstance(target, ast.Name):
                        self.assignments[target.id] = value
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                self.assignments[statement.target.id] = statement.value

    @property
    def bases(self) -> list[ast.expr]:
        return self.node.bases

    @property
    def text(self) -> bytes:
        """Its rows, without those of decorators."""
        return self.module.text(self.node.lineno, self.node.end_lineno or self.node.lineno)


@dataclass(frozen=True, slots=True)
class ImportedName:
    """The target of an import: `member` of `module`, or the module itself if member is None."""

    module: str
    member: str | None
    level: int


class Module:
    """A parsed file.

    `functions`, `classes`, `imports` and `assignments` hold what the top level binds (also inside its `if` and
    `try` blocks); `stars` the modules of `from m import *`; `multiple` the names that are bound more than once, or by
    more than an assignment, with the call if one takes a part of what a call gives: `a, b = make()`.
    """

    def __init__(self, filename: str, source: bytes) -> None:
        self.filename = filename
        self.original = source
        if b"\r" in source:  # like Python's tokenizer, count every line end as one; positions stay the same
            source = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        #: the text in UTF-8: positions in the tree are byte offsets in it
        self.tree, self.commented = parse(filename, source)
        #: offset of each row, and of one past the last
        self.row_starts = [0, *accumulate(map(len, self.commented.splitlines(True)))]
        if not self.commented.endswith(b"\n"):
            self.row_starts[-1] += 1
        #: the text with comments and docstrings blanked, so that a word search finds only code
        self.source = without_docstrings(without_comments(self.commented), self.tree, self.row_starts)
        self.functions: dict[str, FunctionSource] = {}
        self.classes: dict[str, ClassSource] = {}
        self.imports: dict[str, ImportedName] = {}
        #: what an `except ImportError:` imports where a name of `imports` cannot be had
        self.instead: dict[str, ImportedName] = {}
        self.assignments: dict[str, ast.expr] = {}
        self.multiple: dict[str, ast.Call | None] = {}
        self.stars: list[tuple[str, int]] = []
        #: all functions with their classes, nested ones included, in order; None until they are asked for
        self._functions: list[FunctionSource] | None = None
        #: statements that may write a tensor: augmented assignments, and `x[i] = …`, `x.data = …`, `a, b = …`
        self.writing: list[ast.Assign | ast.AugAssign] = []
        #: (row, name) of each assignment to an attribute of a name
        self.keeping: list[tuple[int, str]] = []
        self._by_node: dict[int, FunctionSource | ClassSource] = {}
        #: facts that later passes computed
        self.memo = ModuleMemo()
        self._lines: list[bytes] | None = None
        self._inherited: dict[tuple[FunctionSource, ClassSource], FunctionSource] = {}
        #: names that are declared to write
        self.writers: frozenset[str] = frozenset()
        self._writing_at: dict[int, ast.Assign | ast.AugAssign] | None = None
        #: first row of each function, and the index of the enclosing one
        self._starts: list[int] = []
        self._around: list[int] | None = None
        self._body: ir.Block | None = None
        self._index(self.tree.body)

    @property
    def lines(self) -> list[bytes]:
        if self._lines is None:
            self._lines = self.commented.split(b"\n")
        return self._lines

    def text(self, first: int, last: int) -> bytes:
        """The text of these rows, with comments blanked."""
        starts = self.row_starts
        return self.source[starts[first - 1] : starts[last] - 1]

    @property
    def body(self) -> ir.Block:
        """The lowered top level."""
        if self._body is None:
            from .lower import lower_body

            self._body = lower_body(self.tree.body)
        return self._body

    def let_go(self) -> None:
        """Releases the syntax tree. The module must not be used afterwards: the file is parsed anew."""
        for source in self._by_node.values():
            del source.node
            if isinstance(source, FunctionSource):
                source._body = None
                source.parameters = []
                source._defaults = None
            else:
                source.assignments.clear()
        self._by_node.clear()
        self._inherited.clear()
        self.writing.clear()
        self._writing_at = None
        self.assignments.clear()
        self._body = None
        self.memo.binding = None
        del self.tree

    def function_of(self, node: FunctionNode, owner: ClassSource | None = None) -> FunctionSource:
        """The FunctionSource of a node, created once, so that its body is lowered once."""
        known = self._by_node.get(id(node))
        if isinstance(known, FunctionSource):
            return known
        made = FunctionSource(self, node, owner)
        self._by_node[id(node)] = made
        return made

    def as_method_of(self, method: FunctionSource, cls: ClassSource) -> FunctionSource:
        """An inherited method, perhaps of another file, as a method of the subclass `cls`."""
        known = self._inherited.get((method, cls))
        if known is None:
            known = self._inherited[method, cls] = FunctionSource(method.module, method.node, cls)
            known.origin = method.origin or method
        return known

    def class_of(self, node: ast.ClassDef) -> ClassSource:
        known = self._by_node.get(id(node))
        if isinstance(known, ClassSource):
            return known
        made = ClassSource(self, node)
        self._by_node[id(node)] = made
        for method in made.methods.values():
            self._by_node[id(method.node)] = method
        return made

    def binds(self, name: str) -> bool:
        """Whether the top level binds a name to something that can be resolved."""
        bound = (self.functions, self.classes, self.imports, self.assignments)
        return any(name in one for one in bound) or self.multiple.get(name) is not None

    @property
    def unpacked(self) -> dict[str, ast.Call]:
        """The names that take a part of what one call gives, with the call."""
        return {name: call for name, call in self.multiple.items() if call is not None}

    def _bind(self, name: str) -> None:
        if self.binds(name):
            self.multiple[name] = None

    def _bind_parts(self, node: ast.AST, value: ast.expr | None = None) -> None:
        """Binds the names in a target, or in a statement of which the values are unknown."""
        names: set[str] = set()
        bound_names([node], names, set())
        for name in sorted(names):
            once = not self.binds(name) and name not in self.multiple
            self.multiple[name] = value if once and isinstance(value, ast.Call) else None

    def _index(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._bind(statement.name)
                self.functions[statement.name] = self.function_of(statement)
            elif isinstance(statement, ast.ClassDef):
                self._bind(statement.name)
                self.classes[statement.name] = self.class_of(statement)
            elif isinstance(statement, ast.Import):
                for alias in statement.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    module = alias.name if alias.asname else name
                    self.imports[name] = ImportedName(module, None, 0)
            elif isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    if alias.name == "*":
                        self.stars.append((statement.module or "", statement.level))
                    else:
                        self.imports[alias.asname or alias.name] = ImportedName(
                            statement.module or "", alias.name, statement.level
                        )
            elif isinstance(statement, ast.Assign):
                for target, value in (pair for t in statement.targets for pair in bound(t, statement.value)):
                    if isinstance(target, ast.Name):
                        self._bind(target.id)
                        self.assignments[target.id] = value
                    else:
                        self._bind_parts(target, value)
            elif isinstance(statement, ast.AnnAssign):
                if isinstance(statement.target, ast.Name) and statement.value is not None:
                    self._bind(statement.target.id)
                    self.assignments[statement.target.id] = statement.value
            elif isinstance(statement, ast.AugAssign):
                if isinstance(statement.target, ast.Name):
                    self.multiple[statement.target.id] = None
            elif isinstance(statement, ast.If):
                self._index(statement.body)
                self._index(statement.orelse)
            elif isinstance(statement, ast.Try):
                before = {*self.imports.items()}
                for handler in statement.handlers:
                    self._index(handler.body)
                self.instead.update({*self.imports.items()} - before)
                self._index(statement.body)
                self._index(statement.orelse)
                self._index(statement.finalbody)
            elif not isinstance(statement, ast.Expr):
                # The values that a loop, `with` or `match` binds are unknown.
                self._bind_parts(statement)

    def functions_in_order(self) -> list[FunctionSource]:
        """All functions and methods, nested ones too but no lambdas, in text order."""
        if self._functions is None:
            self._functions = []
            self._collect(self.tree.body, self._functions, None)
        return self._functions

    @property
    def writing_at(self) -> dict[int, ast.Assign | ast.AugAssign]:
        """The statements of `writing` by their row."""
        if self._writing_at is None:
            self._writing_at = {statement.lineno: statement for statement in self.writing}
        return self._writing_at

    def functions_at(self, row: int) -> list[FunctionSource]:
        """The functions around a row, the innermost first."""
        functions = self.functions_in_order()
        if self._around is None:
            self._starts = [function.node.lineno for function in functions]
            self._around = []
            open_ones: list[int] = []
            for i, function in enumerate(functions):
                while open_ones and (functions[open_ones[-1]].node.end_lineno or 0) < function.node.lineno:
                    open_ones.pop()
                self._around.append(open_ones[-1] if open_ones else -1)
                open_ones.append(i)
        found: list[FunctionSource] = []
        at = bisect_right(self._starts, row) - 1
        while at >= 0:
            if (functions[at].node.end_lineno or 0) >= row:
                found.append(functions[at])
            at = self._around[at]
        return found

    def kept_in(self, source: FunctionSource) -> set[str]:
        """The names in a function with an attribute that it assigns (`x` for `x.attr = …` and `x.attr += …`)."""
        self.functions_in_order()
        first = bisect_left(self.keeping, (source.node.lineno, ""))
        last = bisect_right(self.keeping, (source.node.end_lineno or source.node.lineno, "\U0010ffff"))
        return {name for _, name in self.keeping[first:last]}

    def _collect(
        self, body: list[ast.stmt], functions: list[FunctionSource], owner: ClassSource | None
    ) -> None:
        for statement in body:
            if type(statement) in DULL:
                continue
            if type(statement) is ast.Assign:  # faster than `isinstance`: runs for every statement
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        continue
                    if not isinstance(target, ast.Attribute) or target.attr == "data":
                        self.writing.append(statement)
                    elif isinstance(target.value, ast.Name):
                        self.keeping.append((statement.lineno, target.value.id))
            elif type(statement) is ast.AugAssign or type(statement) is ast.AnnAssign:
                if type(statement) is ast.AugAssign:
                    self.writing.append(statement)
                place = statement.target
                if isinstance(place, ast.Attribute) and isinstance(place.value, ast.Name):
                    self.keeping.append((statement.lineno, place.value.id))
            elif type(statement) is ast.If:
                self._collect(statement.body, functions, owner)
                if statement.orelse:
                    self._collect(statement.orelse, functions, owner)
            elif type(statement) is ast.FunctionDef or type(statement) is ast.AsyncFunctionDef:
                functions.append(self.function_of(statement, owner))
                self._collect(statement.body, functions, None)
            elif type(statement) is ast.ClassDef:
                self._collect(statement.body, functions, self.class_of(statement))
            else:
                for inner in inner_bodies(statement):
                    self._collect(inner, functions, owner)
