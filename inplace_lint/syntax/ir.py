"""Defines the IR: a flat list of instructions per function, in which `if`, loops, `with` and `try` nest blocks.

Every expression becomes instructions over registers (small integers), so that each part of the source is evaluated
exactly once, in Python's order. The classes are plain and mutable, since a run creates hundreds of thousands of them.
`at` is the syntax tree node that an instruction came from: its place in the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from typing import TypeAlias

    Block: TypeAlias = "list[Instruction]"


class Instruction:
    """Base of all instructions; `at` is the syntax tree node it came from."""

    __slots__ = ("at",)
    at: ast.AST


class Constant(Instruction):
    __slots__ = ("dst", "value")

    def __init__(self, at: ast.AST, dst: int, value: object) -> None:
        self.at, self.dst, self.value = at, dst, value


class Load(Instruction):
    """dst = name, looked up as Python does: local, enclosing functions, module, builtins."""

    __slots__ = ("dst", "name")

    def __init__(self, at: ast.AST, dst: int, name: str) -> None:
        self.at, self.dst, self.name = at, dst, name


class Store(Instruction):
    __slots__ = ("name", "src")

    def __init__(self, at: ast.AST, name: str, src: int) -> None:
        self.at, self.name, self.src = at, name, src


class Delete(Instruction):
    __slots__ = ("name",)

    def __init__(self, at: ast.AST, name: str) -> None:
        self.at, self.name = at, name


class Move(Instruction):
    """dst = src: joins the two arms of a conditional expression in one register."""

    __slots__ = ("dst", "src")

    def __init__(self, at: ast.AST, dst: int, src: int) -> None:
        self.at, self.dst, self.src = at, dst, src


class GetAttribute(Instruction):
    __slots__ = ("dst", "name", "obj")

    def __init__(self, at: ast.AST, dst: int, obj: int, name: str) -> None:
        self.at, self.dst, self.obj, self.name = at, dst, obj, name


class SetAttribute(Instruction):
    __slots__ = ("name", "obj", "src")

    def __init__(self, at: ast.AST, obj: int, name: str, src: int) -> None:
        self.at, self.obj, self.name, self.src = at, obj, name, src


class GetItem(Instruction):
    __slots__ = ("dst", "index", "obj")

    def __init__(self, at: ast.AST, dst: int, obj: int, index: int) -> None:
        self.at, self.dst, self.obj, self.index = at, dst, obj, index


class SetItem(Instruction):
    """obj[index] = src; `augmented`: the store that ends `obj[index] op= value`."""

    __slots__ = ("augmented", "index", "obj", "src")

    def __init__(self, at: ast.AST, obj: int, index: int, src: int, augmented: bool = False) -> None:
        self.at, self.obj, self.index, self.src, self.augmented = at, obj, index, src, augmented


class DeleteItem(Instruction):
    """del obj[index]."""

    __slots__ = ("index", "obj")

    def __init__(self, at: ast.AST, obj: int, index: int) -> None:
        self.at, self.obj, self.index = at, obj, index


class DeleteAttribute(Instruction):
    """del obj.name."""

    __slots__ = ("name", "obj")

    def __init__(self, at: ast.AST, obj: int, name: str) -> None:
        self.at, self.obj, self.name = at, obj, name


class Call(Instruction):
    """dst = func(*args, **kwargs). A starred argument is (True, register); `**mapping` has the name None.

    `unused`: the call is a statement, so its value is discarded.
    """

    __slots__ = ("args", "dst", "func", "kwargs", "unused")

    def __init__(
        self,
        at: ast.AST,
        dst: int,
        func: int,
        args: list[tuple[bool, int]],
        kwargs: list[tuple[str | None, int]],
    ) -> None:
        self.at, self.dst, self.func, self.args, self.kwargs = at, dst, func, args, kwargs
        self.unused = False


class Binary(Instruction):
    """dst = left op right, op as it is written: "+", "@", …"""

    __slots__ = ("dst", "left", "op", "right")

    def __init__(self, at: ast.AST, dst: int, op: str, left: int, right: int) -> None:
        self.at, self.dst, self.op, self.left, self.right = at, dst, op, left, right


class Augmented(Binary):
    """dst = (left op= right), in place if left's type supports it; the store back is a separate instruction."""

    __slots__ = ()


class Compare(Binary):
    """dst = left op right, op one of == != < <= > >= is, is not, in, not in."""

    __slots__ = ()


class Unary(Instruction):
    """dst = op operand, op one of "neg", "pos", "invert", "not"."""

    __slots__ = ("dst", "op", "operand")

    def __init__(self, at: ast.AST, dst: int, op: str, operand: int) -> None:
        self.at, self.dst, self.op, self.operand = at, dst, op, operand


class Build(Instruction):
    """dst = a new tuple, list, set, slice or string of `items`; (True, register) is a starred item."""

    __slots__ = ("dst", "items", "kind")

    def __init__(self, at: ast.AST, dst: int, kind: str, items: list[tuple[bool, int]]) -> None:
        self.at, self.dst, self.kind, self.items = at, dst, kind, items


class BuildDict(Instruction):
    """dst = {key: value, …}; the key is None for `**mapping`."""

    __slots__ = ("dst", "items")

    def __init__(self, at: ast.AST, dst: int, items: list[tuple[int | None, int]]) -> None:
        self.at, self.dst, self.items = at, dst, items


class Append(Instruction):
    """A comprehension adds an element (with a key, where it builds a dict)."""

    __slots__ = ("key", "obj", "src")

    def __init__(self, at: ast.AST, obj: int, src: int, key: int | None = None) -> None:
        self.at, self.obj, self.src, self.key = at, obj, src, key


class Unpack(Instruction):
    """dsts = the elements of src; `star` is the position of the starred target, or -1."""

    __slots__ = ("dsts", "src", "star")

    def __init__(self, at: ast.AST, dsts: list[int], src: int, star: int) -> None:
        self.at, self.dsts, self.src, self.star = at, dsts, src, star


class MakeFunction(Instruction):
    """dst = the function or lambda `node`, with the decorators and defaults evaluated here.

    `renamed`: the names of the comprehensions around it, as they are stored (`x@3`).
    """

    __slots__ = ("decorators", "defaults", "dst", "node", "renamed")

    def __init__(
        self,
        at: ast.AST,
        dst: int,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        decorators: list[int],
        defaults: list[int | None],
        renamed: dict[str, str],
    ) -> None:
        self.at, self.dst, self.node, self.decorators, self.defaults = at, dst, node, decorators, defaults
        self.renamed = renamed


class MakeClass(Instruction):
    __slots__ = ("dst", "node")

    def __init__(self, at: ast.AST, dst: int, node: ast.ClassDef) -> None:
        self.at, self.dst, self.node = at, dst, node


class Import(Instruction):
    """name = module[.member]: `module` is absolute after `level` is applied to the file's own package."""

    __slots__ = ("level", "member", "module", "name")

    def __init__(self, at: ast.AST, name: str, module: str, member: str | None, level: int) -> None:
        self.at, self.name, self.module, self.member, self.level = at, name, module, member, level


class Opaque(Instruction):
    """dst = a value that is not modelled, made from `operands`; `kind` says which sort ("string", "yield", …)."""

    __slots__ = ("dst", "kind", "operands")

    def __init__(self, at: ast.AST, dst: int, kind: str, operands: list[int]) -> None:
        self.at, self.dst, self.kind, self.operands = at, dst, kind, operands


class Yield(Instruction):
    """Yields the value; the function may be resumed, and dst is what is sent in."""

    __slots__ = ("dst", "src")

    def __init__(self, at: ast.AST, dst: int, src: int | None) -> None:
        self.at, self.dst, self.src = at, dst, src


class If(Instruction):
    __slots__ = ("orelse", "test", "then")

    def __init__(self, at: ast.AST, test: int, then: Block, orelse: Block) -> None:
        self.at, self.test, self.then, self.orelse = at, test, then, orelse


class For(Instruction):
    """For each element of `iterable`: store it in register `element`, run body (which binds it); then orelse."""

    __slots__ = ("body", "element", "iterable", "orelse")

    def __init__(self, at: ast.AST, element: int, iterable: int, body: Block, orelse: Block) -> None:
        self.at, self.element, self.iterable, self.body, self.orelse = at, element, iterable, body, orelse


class While(Instruction):
    """Loop: run `condition`, leave if register `test` is false, run body; then orelse."""

    __slots__ = ("body", "condition", "orelse", "test")

    def __init__(self, at: ast.AST, condition: Block, test: int, body: Block, orelse: Block) -> None:
        self.at, self.condition, self.test, self.body, self.orelse = at, condition, test, body, orelse


class With(Instruction):
    """Enter `manager` (its value goes to `dst`), run the body, leave."""

    __slots__ = ("body", "dst", "manager")

    def __init__(self, at: ast.AST, manager: int, dst: int, body: Block) -> None:
        self.at, self.manager, self.dst, self.body = at, manager, dst, body


class Handler:
    """One `except`: the block that computes its class into register `type` (None: it takes all), and its body."""

    __slots__ = ("body", "of_type", "type")

    def __init__(self, of_type: Block, type_: int | None, body: Block) -> None:
        self.of_type, self.type, self.body = of_type, type_, body


class Try(Instruction):
    __slots__ = ("body", "final", "handlers", "orelse")

    def __init__(
        self, at: ast.AST, body: Block, handlers: list[Handler], orelse: Block, final: Block
    ) -> None:
        self.at, self.body, self.handlers, self.orelse, self.final = at, body, handlers, orelse, final


class Return(Instruction):
    __slots__ = ("src",)

    def __init__(self, at: ast.AST, src: int | None) -> None:
        self.at, self.src = at, src


class Raise(Instruction):
    """Raise what is in register `src`; None: what is being handled."""

    __slots__ = ("src",)

    def __init__(self, at: ast.AST, src: int | None = None) -> None:
        self.at, self.src = at, src


class Break(Instruction):
    __slots__ = ()

    def __init__(self, at: ast.AST) -> None:
        self.at = at


class Continue(Break):
    __slots__ = ()


class Assert(Instruction):
    """Leave the function unless register `test` is true."""

    __slots__ = ("test",)

    def __init__(self, at: ast.AST, test: int) -> None:
        self.at, self.test = at, test
