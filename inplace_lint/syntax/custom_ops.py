"""Reads the custom operators that a file defines with `torch.library`: what each one mutates, saves and returns.

PyTorch trusts the definition, whatever the body does: it bumps the version counters of the arguments that
`mutates_args` or the schema names, and takes results as new. It records nothing of the body; what backward needs,
`setup_context` saves.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..project.declarations import Declaration
from .annotations import annotated
from .declarations import parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .module import FunctionSource, Module

_MAKERS = ("torch.library.custom_op", "torch.library.triton_op")
_SCHEMA = re.compile(r"\s*(?P<name>\w*)\s*\((?P<given>.*)\)\s*->\s*(?P<returned>.+?)\s*\Z", re.DOTALL)
_TENSOR = re.compile(r"Tensor(\((?P<alias>\w+)(?P<written>!?)[^)]*\))?\??(?P<several>\[)?")


class CustomOp:
    """One operator: `namespace::name`, its declared effects, its function, and the name that it is bound to."""

    __slots__ = ("bound", "name", "said", "source", "taken")

    def __init__(
        self, name: str, said: Declaration, taken: tuple[str, ...], source: FunctionSource | None, bound: str
    ) -> None:
        self.name = name
        self.said = said
        #: its parameters in order, with "*" before the keyword-only ones
        self.taken = taken
        self.source = source
        self.bound = bound

    @property
    def dotted(self) -> str:
        """The name under which it can be called everywhere: `torch.ops.namespace.name`."""
        return "torch.ops." + self.name.replace("::", ".")


def of_file(module: Module) -> list[CustomOp]:
    """The operators that the top level of a file defines."""
    if b"library" not in module.source and b"Library(" not in module.source:
        return []
    found = [one for function in module.functions_in_order() for one in _decorated(module, function)]
    calls = list(_calls(module))
    libraries = _libraries(module, calls)
    for call, bound in calls:
        found += _made(module, call, bound)
        found += _defined(module, call, libraries)
    by_name = {key: one for one in found for key in (one.name, one.bound) if key}
    for call, _ in calls:
        _register(module, call, by_name)
    return found


def dotted(module: Module, node: ast.expr) -> str:
    """The full name of an imported expression, as `torch.library.define`; "" for anything else."""
    rest: list[str] = []
    while isinstance(node, ast.Attribute):
        rest.append(node.attr)
        node = node.value
    binding = module.imports.get(node.id) if isinstance(node, ast.Name) else None
    if binding is None or binding.level:
        return ""
    head = [binding.module] if binding.member is None else [binding.module, binding.member]
    return ".".join([*head, *reversed(rest)])


def _decorated(module: Module, function: FunctionSource) -> Iterator[CustomOp]:
    for decorator in getattr(function.node, "decorator_list", ()):
        if isinstance(decorator, ast.Call) and dotted(module, decorator.func) in _MAKERS:
            made = _of_function(module, decorator, function, function.name)
            if made is not None:
                yield made


def _made(module: Module, call: ast.Call, bound: str) -> Iterator[CustomOp]:
    """`op = custom_op("n::f", f, mutates_args=…)`, or `custom_op("n::f", mutates_args=…)(f)`."""
    maker, given = call, call.args[1:]
    if isinstance(call.func, ast.Call):
        maker, given = call.func, call.args
    if dotted(module, maker.func) not in _MAKERS or not given:
        return
    function = None
    if isinstance(given[0], ast.Name):
        function = module.functions.get(given[0].id)
    elif isinstance(given[0], ast.Lambda):
        function = module.function_of(given[0])
    made = None if function is None else _of_function(module, maker, function, bound)
    if made is not None:
        made.source = None  # the function keeps its own behaviour
        yield made


def _of_function(module: Module, maker: ast.Call, function: FunctionSource, bound: str) -> CustomOp | None:
    name = _string(maker.args[0]) if maker.args else None
    given = {keyword.arg: keyword.value for keyword in maker.keywords}
    written = given.get("mutates_args")
    place = (module.filename, maker.lineno)
    schema = _string(given["schema"]) if "schema" in given else None
    if name is None or written is None:
        return None
    if schema is not None:
        read = _read_schema(schema, place)
        return None if read is None else CustomOp(name, read[0], read[1], function, bound)
    taken = parameters(function)
    if _string(written) == "unknown":
        names = tuple(one.arg for one in _arguments(function) if annotated(one.annotation) == "Tensor")
    else:
        parts = [_string(part) for part in getattr(written, "elts", ())]
        if not isinstance(written, (ast.Tuple, ast.List, ast.Set)) or None in parts:
            return None
        names = tuple(part for part in parts if part in taken and part is not None)
    returns = _returned(getattr(function.node, "returns", None))
    keyword_only = [one.arg for one in function.node.args.kwonlyargs]
    order = tuple(one for one in taken if one not in keyword_only)
    star = ("*", *keyword_only) if keyword_only else ()
    return CustomOp(name, _said(place, names, returns, name), (*order, *star), function, bound)


def _arguments(function: FunctionSource) -> list[ast.arg]:
    return [*function.parameters, *function.node.args.kwonlyargs]


def _said(
    place: tuple[str, int], writes: tuple[str, ...], returns: tuple[tuple[str, str], ...], name: str
) -> Declaration:
    """The declaration for an operator: its writes and results; one that writes counts as having no gradient."""
    text = f"the operator {name}" + (f" changes {', '.join(writes)}" if writes else " changes nothing")
    return Declaration(text, place, writes=writes, returns=returns, no_grad=bool(writes), operator=name)


def _returned(annotation: ast.expr | None) -> tuple[tuple[str, str], ...]:
    """What a return annotation says of the results."""
    if isinstance(annotation, ast.Constant) and annotation.value is None:
        return (("no_tensor", ""),)
    if annotated(annotation) == "Tensor":
        return (("new", ""),)
    if isinstance(annotation, ast.Subscript) and annotated(annotation.value) in ("tuple", "Tuple"):
        parts = getattr(annotation.slice, "elts", ())
        if parts and all(annotated(part) == "Tensor" for part in parts):
            return (("new", ""),) * len(parts)
    return (("unknown", ""),)


def _defined(module: Module, call: ast.Call, libraries: dict[str, str]) -> Iterator[CustomOp]:
    """`torch.library.define("n::f", schema)`, `library.define("f(…) -> …")`."""
    words = [_string(arg) for arg in call.args[:2]]
    name = schema = None
    if dotted(module, call.func) == "torch.library.define" and len(words) == 2:
        name, schema = words
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "define" and words and words[0]:
        space = libraries.get(getattr(call.func.value, "id", ""))
        if space is not None:
            schema = words[0]
            name = f"{space}::{schema.partition('(')[0].strip().partition('.')[0]}"
    if name is None or schema is None:
        return
    place = (module.filename, call.lineno)
    read = _read_schema("(" + schema.partition("(")[2], place, name)
    if read is not None:
        yield CustomOp(name, read[0], read[1], None, "")


def _read_schema(
    schema: str, place: tuple[str, int], name: str = ""
) -> tuple[Declaration, tuple[str, ...]] | None:
    """The effects and the parameters that a schema states: `(Tensor(a!) x, int n=1) -> Tensor`."""
    found = _SCHEMA.match(schema)
    if found is None:
        return None
    taken: list[str] = []
    writes: list[str] = []
    aliases: dict[str, str] = {}
    for part in _parts(found["given"]):
        if part == "*":
            taken.append(part)
            continue
        words = part.partition("=")[0].split()
        if not words or not words[-1].isidentifier():
            return None
        one = words[-1]
        taken.append(one)
        tensor = _TENSOR.match(part)
        if tensor is not None and tensor["alias"]:
            aliases[tensor["alias"]] = one
            writes += [one] if tensor["written"] else []
    returns: list[tuple[str, str]] = []
    text = found["returned"]
    several = _parts(text[1:-1]) if text.startswith("(") and text.endswith(")") else [text]
    for part in several or ["()"]:
        tensor = _TENSOR.match(part)
        if tensor is None or tensor["several"]:
            returns.append(("no_tensor", "") if tensor is None else ("unknown", ""))
        elif tensor["alias"] in aliases:
            returns.append(("same" if tensor["written"] else "view", aliases[tensor["alias"]]))
        else:
            returns.append(("new", ""))
    if ("unknown", "") in returns:
        returns = [("unknown", "")]
    return _said(place, tuple(writes), tuple(returns), name), tuple(taken)


def _parts(text: str) -> list[str]:
    """Splits a list at its commas, except those in brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text + ","):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [part for part in parts if part]


def _register(module: Module, call: ast.Call, by_name: dict[str, CustomOp]) -> None:
    """`op.register_autograd(backward, setup_context=…)`, `torch.library.register_autograd("n::f", …)`."""
    made = None
    if dotted(module, call.func) == "torch.library.register_autograd" and call.args:
        made = by_name.get(_string(call.args[0]) or str(getattr(call.args[0], "id", "")))
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "register_autograd":
        made = by_name.get(getattr(call.func.value, "id", ""))
    setup = next((one.value for one in call.keywords if one.arg == "setup_context"), None)
    function = module.functions.get(setup.id) if isinstance(setup, ast.Name) else None
    if made is not None and function is not None:
        from dataclasses import replace

        taken = [name for name in made.taken if name != "*"]
        saves = _kept(function, taken, len(made.said.returns))
        made.said = replace(made.said, saves=saves)


def _kept(function: FunctionSource, taken: list[str], results: int) -> tuple[str, ...]:
    """What `setup_context(ctx, inputs, output)` passes to `save_for_backward`: parameters, or results."""
    names = parameters(function)
    body: list[ast.stmt] = getattr(function.node, "body", [])
    if len(names) < 3:
        return ()
    context, inputs, output = (names[0], names[1], names[-1])
    outputs = ["result"] if results == 1 else [f"result#{i}" for i in range(results)]
    held: dict[str, object] = {inputs: taken, output: outputs if results > 1 else "result"}

    def meant(node: ast.expr) -> object:
        if isinstance(node, ast.Name):
            return held.get(node.id)
        if isinstance(node, ast.Subscript):
            whole, at = meant(node.value), getattr(node.slice, "value", None)
            return whole[at] if isinstance(whole, list) and type(at) is int and at < len(whole) else None
        return None

    kept: list[str] = []
    for statement in body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], meant(statement.value)
            if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, list):
                pairs = zip(target.elts, value)
                held.update({part.id: one for part, one in pairs if isinstance(part, ast.Name)})
            elif isinstance(target, ast.Name):
                held[target.id] = value
        call = statement.value if isinstance(statement, ast.Expr) else None
        called = call.func if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and isinstance(called, ast.Attribute):
            own = getattr(called.value, "id", "") == context
            if own and called.attr == "save_for_backward":
                kept += [one for one in map(meant, call.args) if isinstance(one, str)]
    return tuple(dict.fromkeys(kept))


def _calls(module: Module) -> list[tuple[ast.Call, str]]:
    """The calls at the top level that are statements or are assigned to a name, with that name."""
    found: list[tuple[ast.Call, str]] = []
    pending = list(reversed(module.tree.body))
    while pending:
        statement = pending.pop()
        value = getattr(statement, "value", None)
        if isinstance(statement, (ast.Expr, ast.Assign)) and isinstance(value, ast.Call):
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            found.append((value, getattr(targets[0], "id", "") if targets else ""))
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            inner = [*statement.body, *getattr(statement, "orelse", ()), *getattr(statement, "finalbody", ())]
            pending.extend(reversed(inner))
    return found


def _libraries(module: Module, calls: list[tuple[ast.Call, str]]) -> dict[str, str]:
    """name -> namespace, for `name = Library("namespace", …)`."""
    found = {}
    for call, bound in calls:
        if bound and call.args and dotted(module, call.func) == "torch.library.Library":
            found[bound] = _string(call.args[0]) or ""
    return found


def _string(node: ast.expr) -> str | None:
    value = getattr(node, "value", None)
    return value if isinstance(node, ast.Constant) and isinstance(value, str) else None
