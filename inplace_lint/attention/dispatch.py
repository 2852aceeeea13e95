"""Decides whether a file already chooses between an attention function and a fused kernel.

The choice may be a table, a variable bound twice, a conditional, a call that is given the function, or a method
override in a subclass. Names count only by what they resolve to; words inside strings never do.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..resolve.classes import heirs
from ..syntax.module import ClassSource, FunctionSource, Module
from ..syntax.nodes import children
from ..torchmodel.spelling import canonical
from .tree import nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..resolve.names import Names

#: Functions that are a fused attention kernel or select one; for packages with nothing else, see `_PACKAGES`.
_KERNELS = frozenset(
    {
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.attention.flex_attention.flex_attention",
        "xformers.ops.memory_efficient_attention",
        "cuequivariance_torch.triangle_attention",
        "cuequivariance_torch.primitives.triangle.triangle_attention",
        "deepspeed.ops.deepspeed4science.DS4Sci_EvoformerAttention",
        "torch_npu.npu_fusion_attention",
        "transformers.modeling_utils.ALL_ATTENTION_FUNCTIONS",
    }
)
_PACKAGES = frozenset({"flash_attn", "flash_attn_interface", "sageattention"})
_DEPTH = 6


def is_kernel(dotted: str) -> bool:
    """Whether a library function, by its full name, is a fused attention kernel."""
    return dotted in _KERNELS or dotted.partition(".")[0] in _PACKAGES


class Dispatch:
    """The choices between functions in one file, found once and queried for each function."""

    def __init__(self, module: Module, names: Names) -> None:
        self.module, self.names = module, names
        self._reaching: dict[int, bool] = {}
        self._choices: list[list[list[ast.AST]]] | None = None

    def offers_kernel(self, function: FunctionSource) -> bool:
        """Whether a choice between `function` and a kernel exists, or a subclass overrides `function` with a kernel."""
        name, owner = function.name.encode(), function.owner
        if self.module.source.count(name) < 2 and owner is None:
            return False
        for alternatives in self._all_choices():
            mine = [any(_names(one, function) for one in nodes) for nodes in alternatives]
            if any(mine) and any(
                not is_mine and any(self._reaches(self.module, one) for one in nodes)
                for is_mine, nodes in zip(mine, alternatives)
            ):
                return True
        return owner is not None and self._is_overridden(function, owner)

    def _is_overridden(self, function: FunctionSource, owner: ClassSource) -> bool:
        """Whether a subclass in the file overrides the method with code that reaches a kernel."""
        for heir in heirs(owner):
            method = heir.methods.get(function.name)
            if method is not None and self._reaches(self.module, method.node):
                return True
        return False

    # Collecting the choices

    def _all_choices(self) -> list[list[list[ast.AST]]]:
        """Each choice of the file as a list of alternatives; an alternative is the list of its expressions."""
        if self._choices is None:
            self._choices = []
            bound: dict[tuple[int, str], list[list[ast.AST]]] = {}
            for scope, node in _scoped(self.module.tree):
                if type(node) not in _CHOOSES:
                    continue
                self._choices += _of_expression(node)
                for name, value in _bindings(node):
                    bound.setdefault((scope, name), []).append([value])
            self._choices += [some for some in bound.values() if len(some) > 1]
        return self._choices

    # Reachability of a kernel

    def _reaches(self, module: Module, node: ast.AST, depth: int = 0) -> bool:
        """Whether an expression or definition names a kernel, directly or through definitions that it names."""
        known = self._reaching.get(id(node))
        if known is None:
            self._reaching[id(node)] = False  # breaks cycles
            known = self._reaching[id(node)] = self._names_kernel(module, node, depth)
        return known

    def _names_kernel(self, module: Module, node: ast.AST, depth: int) -> bool:
        inside = nodes_of(node)
        imported: dict[str, str] = {}
        for one in inside:
            if isinstance(one, ast.ImportFrom) and not one.level:
                imported.update({a.asname or a.name: f"{one.module}.{a.name}" for a in one.names})
            elif isinstance(one, ast.Import):
                imported.update({a.asname or a.name: a.name for a in one.names})
        for one in inside:
            if isinstance(one, ast.Attribute) or (
                isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
            ):
                path = _path(one)
                if path is None:
                    continue
                dotted = ".".join((imported[path[0]], *path[1:])) if path[0] in imported else None
                if dotted is not None and is_kernel(canonical(dotted)):
                    return True
                if self._leads(module, path, node, depth):
                    return True
        return False

    def _leads(self, module: Module, path: list[str], within: ast.AST, depth: int) -> bool:
        """Whether a dotted name resolves to a kernel, or to a definition that reaches one."""
        name, *rest = path
        if depth > _DEPTH:
            return False
        found = self.names.definition(module, name)
        what = None if found is None else found.what
        if isinstance(what, str) and is_kernel(canonical(".".join((what, *rest)))):
            return True
        if isinstance(what, Module):
            return bool(rest) and what is not module and self._leads(what, rest, within, depth + 1)
        if found is None or what is None or isinstance(what, str):
            owners = [cls for cls in module.classes.values() if rest and rest[0] in cls.methods]
            # Probably `self.method`: accepted if exactly one class of the file defines that method.
            own = owners[0].methods[rest[0]].node if len(owners) == 1 and len(rest) == 1 else None
            return own is not None and self._reaches(module, own, depth + 1)
        return self._reaches(found.module, _text_of(what, rest), depth + 1)


def _text_of(what: FunctionSource | ClassSource | ast.expr, rest: list[str]) -> ast.AST:
    """The syntax node to search: for a class with a method's name after it, that method; else the definition itself."""
    if isinstance(what, ClassSource) and rest and rest[0] in what.methods:
        return what.methods[rest[0]].node
    return what if isinstance(what, ast.expr) else what.node


def _names(node: ast.AST, function: FunctionSource) -> bool:
    """Whether an expression names the function; for a method, its class or an attribute of the method's name."""
    owner = function.owner
    for one in nodes_of(node):
        if isinstance(one, ast.Name) and one.id == (function.name if owner is None else owner.name):
            return True
        if owner is not None and isinstance(one, ast.Attribute) and one.attr == function.name:
            return True
    return False


#: Nodes that choose between values, or bind a name that other statements may bind, too.
_CHOOSES = frozenset([ast.AnnAssign, ast.Assign, ast.Call, ast.Dict, ast.If, ast.IfExp, ast.Return])


def _of_expression(node: ast.AST) -> list[list[list[ast.AST]]]:
    """The choices that a single node makes; a call chooses between its callee and the functions that it is given."""
    if isinstance(node, ast.Dict):
        return [[[value] for value in node.values]]
    if isinstance(node, ast.IfExp):
        return [[[node.body], [node.orelse]]]
    if isinstance(node, ast.If) and node.orelse:
        return [[list(node.body), list(node.orelse)]]
    if isinstance(node, ast.Call):
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        named = [one for one in given if isinstance(one, (ast.Name, ast.Attribute))]
        return [[[node.func], list(named)]] if named else []
    return []


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """(name, value) of each binding of a name or table by a statement; calls are skipped, except `table.get(...)`."""
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    elif isinstance(node, ast.Return) and isinstance(node.value, (ast.Name, ast.Attribute)):
        yield "return", node.value
        return
    else:
        return
    value = node.value
    if value is None or (isinstance(value, ast.Call) and getattr(value.func, "attr", "") != "get"):
        return
    for target in targets:
        if isinstance(target, ast.Subscript):
            target = target.value
        path = _path(target)
        if path is not None:
            yield ".".join(path), value


def _scoped(tree: ast.AST) -> Iterator[tuple[int, ast.AST]]:
    """Every node with the id of the enclosing function or class, so that equal names in two scopes stay apart."""
    stack: list[tuple[int, ast.AST]] = [(0, tree)]
    while stack:
        scope, node = stack.pop()
        yield scope, node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            scope = id(node)
        stack += [(scope, child) for child in children(node)]


def _path(node: ast.AST) -> list[str] | None:
    """The names in `a.b.c`, in order; None if the expression is anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else None
