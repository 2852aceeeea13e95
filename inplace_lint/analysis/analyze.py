"""Chooses the functions of a file that are worth a run, runs them, and gathers what they found."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from ..syntax.module import candidate_rows, inner_bodies
from ..torchmodel import table
from . import attributes, calls, execute, names
from .findings import POSSIBLE, Finding, of_run
from .frames import Frame
from .guards import ALWAYS, literal
from .program import BASE_BITS, Program
from .run import OutOfBudget, Run
from .values import (
    Constant,
    FunctionValue,
    Instance,
    Phi,
    Scalar,
    Tensor,
    Unknown,
    Value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from ..syntax.module import ClassSource, FunctionSource, Module
    from .values import ClassValue

#: How far a function that writes its argument is followed to its callers, within its file.
_CALLERS = 3

_SCALAR_TYPES = frozenset("int float str bool bytes complex".split())


def analyze(module: Module, program: Program) -> list[Finding]:
    """Every finding of a file, each place once, at the highest confidence that any run gives it."""
    program.add(module)
    rows = candidate_rows(module.source, in_place_names())
    if not rows:
        return []
    found: dict[tuple[object, ...], Finding] = {}
    for run, root in runs(module, program, rows):
        for finding in of_run(run, module, root):
            known = found.get(finding.key())
            if known is None or known.confidence < finding.confidence:
                found[finding.key()] = finding
    return list(found.values())


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
        _in_place_names = frozenset(found)
    return _in_place_names


def runs(module: Module, program: Program, rows: list[int]) -> list[tuple[Run, FunctionSource | None]]:
    """One finished run for each function that holds a candidate, or calls one that writes what it is given."""
    functions = module.functions_in_order()
    chosen = _with_candidates(module, functions, rows)
    factories = _factories(module, chosen, rows)
    if factories:
        chosen.update(_with_candidates(module, functions, sorted({*rows, *_mentions(module, factories)})))
    pending: list[FunctionSource | None] = list(chosen)
    if _body_has_candidates(module, functions, rows):
        pending.append(None)
    done: dict[FunctionSource | None, Run] = {}
    for _ in range(_CALLERS):
        asked: set[str] = set()
        for root in pending:
            if root in done:
                continue
            run = run_function(program, root) if root is not None else run_body(program, module)
            done[root] = run
            if root is not None and (_is_private(root) or _needs_its_callers(run, module, root)):
                asked.add(_called_as(root))
        pending = [f for f in _callers(module, functions, asked) if f not in done]
        if not pending:
            break
    entered = {source for root, run in done.items() for source in run.entered if source is not root}
    return [
        (run, root)
        for root, run in done.items()
        if root is None or not _is_private(root) or not (root in entered or _is_dead(module, root))
    ]


def _called_as(root: FunctionSource) -> str:
    """The name that callers write: of the class, for what calling its objects runs."""
    if root.owner is not None and root.name in ("forward", "__call__"):
        return root.owner.name
    return root.name


def _is_private(root: FunctionSource) -> bool:
    """Whether all callers are in sight: nested, or with a leading underscore. Their facts are then its own."""
    if root.owner is None and root.module.functions.get(root.name) is not root:
        return True
    return root.name.startswith("_") and not root.name.endswith("__")


def _is_dead(module: Module, root: FunctionSource) -> bool:
    """Whether the file defines a private function that it never mentions."""
    return len(_mentions(module, {root.name})) <= 1 and root.owner is None


def _needs_its_callers(run: Run, module: Module, root: FunctionSource) -> bool:
    """Whether a caller may know what this run could not: that an argument it writes is saved, or requires grad."""
    return _writes_what_it_is_given(run) or (run.steps_unknown and run.trains) or any(
        finding.confidence == POSSIBLE for finding in of_run(run, module, root)
    )


def _with_candidates(
    module: Module, functions: list[FunctionSource], rows: list[int]
) -> dict[FunctionSource, None]:
    """Functions around the rows; where a row is in `__init__`, the methods that use what it builds."""
    chosen: dict[FunctionSource, None] = {}
    built: dict[str, set[bytes]] = {}
    for function in functions:
        first, last = function.node.lineno, function.node.end_lineno or 0
        inside = rows[bisect_left(rows, first) : bisect_right(rows, last)]
        if not inside:
            continue
        if function.name == "__init__" and function.owner is not None:
            built.setdefault(function.owner.name, set()).update(_attributes_built(function, inside))
            if all(b"inplace" in module.lines[row - 1] for row in inside):
                continue
        chosen[function] = None
    if built:
        for _ in range(2):  # a subclass runs what its base class built
            for cls in _classes(functions):
                for base in cls.bases:
                    inherited = built.get(getattr(base, "id", ""))
                    if inherited:
                        built.setdefault(cls.name, set()).update(inherited)
        for function in functions:
            names_built = built.get(function.owner.name) if function.owner is not None else None
            if names_built and function not in chosen and function.name != "__init__":
                lines = module.lines[function.node.lineno - 1 : function.node.end_lineno or 0]
                text = b"\n".join(lines)
                if any(name in text for name in names_built):
                    chosen[function] = None
    return chosen


def _attributes_built(function: FunctionSource, rows: list[int]) -> set[bytes]:
    """`self.x` for each attribute whose value is built on one of the rows of `__init__`; all of them if it cannot be told."""
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


def _classes(functions: list[FunctionSource]) -> list[ClassSource]:
    return list({function.owner: None for function in functions if function.owner is not None})


def _body_has_candidates(module: Module, functions: list[FunctionSource], rows: list[int]) -> bool:
    inside = [(f.node.lineno, f.node.end_lineno or 0) for f in functions]
    if any(not any(first <= row <= last for first, last in inside) for row in rows):
        return True
    return b".backward(" in module.source and any(
        b".backward(" in line and not any(first <= row <= last for first, last in inside)
        for row, line in enumerate(module.lines, 1)
    )


def _writes_what_it_is_given(run: Run) -> bool:
    """Whether the function writes an argument, or what hangs on its object: its callers may hold a save of that."""
    given = set()
    for value in run.root_args.values():
        held = [value]
        if isinstance(value, Instance):
            held = run.elements(value)
        for atom in held:
            tensor = atom.tensor if isinstance(atom, Unknown) else atom
            if isinstance(tensor, Tensor):
                given.add(tensor.storage)
    return any(write.storage in given for write in run.writes)


def _factories(module: Module, chosen: dict[FunctionSource, None], rows: list[int]) -> set[str]:
    """Functions that may build a module with `inplace=`: whoever calls them in `__init__` runs it."""
    found = set()
    for function in chosen:
        first, last = function.node.lineno, function.node.end_lineno or 0
        if function.owner is None and any(
            b"inplace" in module.lines[row - 1] for row in rows[bisect_left(rows, first) : bisect_right(rows, last)]
        ):
            found.add(function.name)
    return found


def _mentions(module: Module, words: set[str]) -> list[int]:
    """Rows on which one of the names stands."""
    pattern = re.compile(rb"\b(?:" + b"|".join(re.escape(w.encode()) for w in sorted(words)) + rb")\b")
    rows = []
    row, position = 1, 0
    for match in pattern.finditer(module.source):
        row += module.source.count(b"\n", position, match.start())
        position = match.start()
        rows.append(row)
    return rows


def _callers(
    module: Module, functions: list[FunctionSource], writers: set[str]
) -> list[FunctionSource | None]:
    """Functions whose text calls one of these names; for a class built in `__init__`, the builder's methods."""
    if not writers:
        return []
    rows = _mentions(module, writers)
    chosen: list[FunctionSource | None] = list(_with_candidates(module, functions, rows))
    inside = [(f.node.lineno, f.node.end_lineno or 0) for f in functions]
    heads = {f.node.lineno for f in functions} | {c.node.lineno for c in _classes(functions)}
    if any(r not in heads and not any(a <= r <= b for a, b in inside) for r in rows):
        chosen.append(None)
    return chosen


def new_run(program: Program, module: Module) -> Run:
    """A run that stands at the top level of the file."""
    if program.base_bits >= BASE_BITS:
        program.forget_objects()
    run = Run(program)
    frame = Frame(run.uid(), module, None, None, None, None)
    run.frame = frame
    run.frames[frame.uid] = frame
    return run


def run_function(program: Program, source: FunctionSource) -> Run:
    """Run a function for any arguments: of a method, on an object as its class builds it."""
    module = source.module
    cls = None if source.owner is None else program.class_value(source.owner)
    run = new_run(program, module)
    function: Value
    if cls is not None:
        function = attributes.method_value(run, cls, source.name)
    elif module.functions.get(source.name) is source:
        function = names.of_module(run, module, source.name)
    else:
        function = FunctionValue(source)
    if not isinstance(function, FunctionValue) or function.source is not source:
        function = FunctionValue(source)
        function.cls = cls
    args: dict[str, Value] = {}
    if cls is not None and source.parameters and attributes.descriptor(function) not in (
        "staticmethod",
        "classmethod",
    ):
        obj = Instance(cls) if source.name == "__init__" else build(program, cls)
        run.outside.add(obj)
        args[source.parameters[0].arg] = obj
    for parameter in (*source.parameters, *source.node.args.kwonlyargs):
        if parameter.arg not in args:
            args[parameter.arg] = argument(run, source, parameter)
    run.root_args = dict(args)
    try:
        result = calls.enter(run, function, [], args, source.node, force=True)
        run.path = run.path or ALWAYS
        run.returned = run.tensors_within(result)
        run.heap.escape(run.returned, ALWAYS)
    except OutOfBudget:
        pass
    return run


def run_body(program: Program, module: Module) -> Run:
    """Run the statements at the top level of a file."""
    run = new_run(program, module)
    run.module_frames[module.filename] = run.frame
    try:
        execute.block(run, module.body)
    except OutOfBudget:
        pass
    return run


def argument(run: Run, source: FunctionSource, parameter: ast.arg) -> Value:
    """What is known of an argument before any call is seen: its annotation and its default."""
    annotation = _annotation(parameter.annotation)
    if annotation in _SCALAR_TYPES and annotation != "bool":
        return Scalar()
    default = source.default_of(parameter)
    constant = getattr(default, "value", None) if default is not None and not hasattr(default, "attr") else None
    if annotation == "bool" or isinstance(constant, bool):
        bit = run.bit(("argument", source, parameter.arg))
        return Phi(((literal(bit, True), Constant(True)), (literal(bit, False), Constant(False))))
    if isinstance(constant, (int, float, str)):
        return Scalar()
    value = Unknown()
    if annotation == "Tensor":
        tensor = run.as_tensor(value)
        if tensor is not None:
            tensor.storage.proved = True
    return value


def _annotation(node: ast.expr | None) -> str:
    """The last name of a plain annotation: `Tensor` of `torch.Tensor`, and of `Optional[Tensor]`, `Tensor | None`."""
    if node is None:
        return ""
    name = getattr(node, "attr", None) or getattr(node, "id", None)
    if isinstance(name, str):
        return name
    left, right = getattr(node, "left", None), getattr(node, "right", None)
    if left is not None and right is not None:
        return _annotation(left) if getattr(right, "value", 0) is None else ""
    outer = getattr(node, "value", None)
    if isinstance(outer, str):
        return outer.rpartition(".")[2]
    if getattr(outer, "id", getattr(outer, "attr", "")) == "Optional":
        return _annotation(getattr(node, "slice", None))
    return ""


def build(program: Program, cls: ClassValue) -> Instance:
    """One object of a class, to be built with arguments of which only the defaults are known."""
    known = program.built.get(cls)
    if known is not None:
        return known
    run = program.building_run(cls.source.module)
    if not cls.bases and cls.source.bases:
        cls.bases = [names.evaluate_in(run, cls.source.module, base) for base in cls.source.bases]
    obj = program.built[cls] = Instance(cls, shared=True)
    init = attributes.find_in_classes(run, cls.order(), "__init__")
    if isinstance(init, FunctionValue):
        args: dict[str, Value] = {}
        parameters = init.source.parameters
        for parameter in (*parameters[1:], *init.source.node.args.kwonlyargs):
            args[parameter.arg] = argument(run, init.source, parameter)
        obj.pending = ([], args)
    else:
        for name in calls.fields(cls):
            obj.keys[name] = None
            program.base.slots[(obj, name)] = Unknown()
    return obj
