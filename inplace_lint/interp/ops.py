"""Applies a row of the op table to a call, the transfer function of an op: results, saves, writes and the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from ..torchmodel.facts import WEIGHT, Const
from . import axes, containers, contents, cuts, holding, restored, results, saving, stale_reads, writing
from .application import Application
from .event import Event
from .guards import both
from .joins import join
from .sharing import observe
from .storage import strongest
from .values import ANY, Constant, Mapping_, Parameters, Phi, Scalar, Sequence_, Tensor, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from ..torchmodel.facts import Facts, Param
    from ..torchmodel.op import Op
    from .application import Operands
    from .guards import Guard
    from .run import Run

_NO_TENSOR = "N"
_chosen: dict[object, object] = {}


def kind(run: Run, value: Value) -> str | Const:
    """The kind of an argument for the op table: T tensor, L list of tensors, N no tensor, ? unknown, or a constant."""
    if isinstance(value, Tensor):
        return "T" if value.storage.is_tensor() else "?"  # arithmetic on what may be a number
    if isinstance(value, Constant):
        plain = value.value
        return Const(plain) if plain is None or isinstance(plain, (bool, int, float, str)) else _NO_TENSOR
    if isinstance(value, Parameters):
        return "T"
    if isinstance(value, Unknown):
        return "?"
    if isinstance(value, Sequence_):
        kinds = {_plain(kind(run, element)) for element in run.elements(value)}
        if "T" in kinds or "L" in kinds:
            return "L"
        return (
            "?" if "?" in kinds or (not kinds and ANY not in value.keys and value.kind == "unknown") else "N"
        )
    if isinstance(value, Phi):
        kinds_of = [kind(run, atom) for atom in run.possible(value)]
        if kinds_of and all(k == kinds_of[0] for k in kinds_of):
            return kinds_of[0]
        plain_kinds = {_plain(k) for k in kinds_of}
        for found in ("T", "L", "?"):
            if found in plain_kinds:
                return found
        return "?" if any(isinstance(k, Const) for k in kinds_of) else _NO_TENSOR
    return _NO_TENSOR


def _plain(found: str | Const) -> str:
    return found if isinstance(found, str) else _NO_TENSOR


def apply(
    run: Run, op: Op, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST, function: bool = True
) -> Value:
    """The value of a call of an op; `function`: the call proves its operands to be tensors (an operator does not)."""
    if args and type(args[-1]) is Sequence_ and op.takes_several(len(args) - 1):
        args = [*args[:-1], *(containers.items(run, args[-1]) or args[-1:])]
    given: list[tuple[int | str, Value]] = [*enumerate(args), *kwargs.items()]
    for place, value in given:
        if isinstance(value, Phi) and all(
            isinstance(atom, Constant) or (type(atom) is Scalar and op.tests_zero)
            for _, atom in value.alternatives
        ):
            return _for_each_constant(run, op, args, kwargs, place, value, at, function)
    kinds = [kind(run, value) for value in args]
    named = {name: kind(run, value) for name, value in kwargs.items()}
    found = _choose(op, kinds, named)
    if found is None and "T" in kinds:
        # A tensor of one element is accepted as a number: `torch.rand(count)`.
        kept = 1 if op.name.startswith("Tensor.") else 0
        found = _choose(op, [k if i < kept or k != "T" else "N" for i, k in enumerate(kinds)], named)
    if run.found.observed:
        facts_of, places = (None, ()) if found is None else found[:2]
        holding.applied(run, facts_of, places, given, at)
    if found is None:
        return Unknown()
    facts, binding, settled, numbers = found
    values: list[Value | None] = []
    for at_place in binding:
        if at_place is None:
            values.append(None)
        else:
            values.append(args[at_place] if isinstance(at_place, int) else kwargs[at_place])
    if facts.layout.axes.reshapes and cuts.only_splits(run, args):
        view = table.method("view")
        if view is not None:
            return apply(run, view, args, kwargs, at, function)
    if len(given) == 1 and facts.layout.refuses_grad:
        for guard, tensor in run.tensors(args[0]) if args else ():
            run.heap.refuse(tensor, guard)
    result = perform(run, op.name, facts, values, at, function, settled=settled, numbers=numbers)
    if facts.factory or facts.layout.axes.names_every_axis or facts.layout.axes.has_one_axis:
        axes.count(run, facts, binding, args, result)
    return result


def _for_each_constant(
    run: Run,
    op: Op,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    place: int | str,
    value: Phi,
    at: ast.AST,
    function: bool,
) -> Value:
    """Apply an op once for each value of the argument `place`, a constant that differs between paths."""
    results: list[tuple[Guard, Value]] = []
    path = run.path
    for guard, constant in value.alternatives:
        run.path = both(path, guard)
        if run.path:
            inner_args = [constant if i == place else a for i, a in enumerate(args)]
            inner_kwargs = {n: constant if n == place else a for n, a in kwargs.items()}
            results.append((run.path, apply(run, op, inner_args, inner_kwargs, at, function)))
    run.path = path
    return join(results) if results else Unknown()


def _choose(
    op: Op, kinds: list[str | Const], named: dict[str, str | Const]
) -> tuple[Facts, Sequence[int | str | None], frozenset[int], frozenset[int]] | None:
    """The facts, the binding of arguments, the saves made even if unknown operands are numbers, which those may be.

    Operands of unknown kind are taken for tensors: whether they are is asked when a finding depends on it.
    """
    key = (op.name, tuple(kinds), tuple(named.items()))
    if key in _chosen:
        return _chosen[key]  # type: ignore[return-value]  # it was kept under this very key
    result = op.facts(kinds, named)
    settled: frozenset[int] = frozenset()
    perhaps: frozenset[int] = frozenset()
    if result is not None and ("?" in kinds or "?" in named.values()):
        facts, binding = result
        tensors, numbers = list(kinds), list(kinds)
        tensor_names, number_names = dict(named), dict(named)
        for param, place in zip(facts.params, binding):
            if param.kind not in ("tensor", "number", "tensors"):
                continue
            if isinstance(place, int) and kinds[place] == "?":
                tensors[place] = "L" if param.kind == "tensors" else "T"
                numbers[place] = tensors[place] if place == 0 else "N"
            elif isinstance(place, str) and named[place] == "?":
                tensor_names[place] = "L" if param.kind == "tensors" else "T"
                number_names[place] = "N"
        as_tensors = op.facts(tensors, tensor_names)
        if as_tensors is not None:
            as_numbers = op.facts(numbers, number_names)
            result = as_tensors
            sure = {s.target for s in as_numbers[0].saves if s.certainty == "always"} if as_numbers else set()
            settled = frozenset(sure)
            if as_numbers is not None:
                taken = {p for param, p in zip(as_numbers[0].params, as_numbers[1]) if param.kind == "number"}
                perhaps = frozenset(i for i, p in enumerate(as_tensors[1]) if p is not None and p in taken)
    chosen = None if result is None else (result[0], result[1], settled, perhaps)
    if len(_chosen) > 50_000:
        _chosen.clear()
    _chosen[key] = chosen
    return chosen


def perform(
    run: Run,
    name: str,
    facts: Facts,
    values: Sequence[Value | None],
    at: ast.AST,
    proves: bool,
    weights: Tensor | None = None,
    settled: frozenset[int] = frozenset(),
    numbers: frozenset[int] = frozenset(),
) -> Value:
    """Apply the facts of an op, with `values` bound to its parameters and `weights` the parameters of a module.

    `settled` are the saves that need no proof of tensors; `numbers` the operands that may be numbers as well.
    """
    records = run.grad in ("on", "unknown") and not facts.no_grad
    op = Application(_spoken(name, facts.key), facts, values, run.place(at), weights, records)
    op.settled = settled
    _take(run, op, proves, numbers)
    if records:
        _hang_on(run, op)
    if op.grads and not _may_hand_back(facts):
        _stale_views(run, op)
    if run.found.written:
        _stale_reads(run, op)
    if facts.writes:
        writing.events(run, op)
        if at in run.found.observed:
            for i in facts.writes:
                for guard, tensor in op.operands[i] if i < len(op.operands) else ():
                    observe(run, facts, op.place, tensor, guard, values)
    if op.grads:
        _link(run, op)
        # An op saves its inputs before it writes: `x.pow_(x)` makes its own save stale.
        saving.of_operands(run, op)
    writing.write(run, op)
    if facts.metadata_only:
        results.turn_in_place(run, facts, op.operands, values)
    if WEIGHT in facts.writes and weights is not None:
        # `max_norm` renormalises under no_grad
        run.found.writes.append(run.heap.write(weights.storage, run.path, op.name, op.place))
    if op.grads:
        used(run, op.operands)
    made, result = results.of(run, op)
    contents.note_result(run, op, result)
    restored.note(run, op, result)
    if op.grads:
        saving.of_results(run, op, made)
    return result


def _take(run: Run, op: Application, proves: bool, numbers: frozenset[int]) -> None:
    """Find the tensors of each operand, and prove unknown ones to be tensors if the op takes nothing else."""
    facts = op.facts
    for i in facts.operands:
        param = facts.params[i]
        op.operands[i] = found = _operands(run, param, op.values[i])
        for guard, tensor in found:
            storage = tensor.storage
            if (not storage.proved or storage.parts_only) and param.kind in ("tensor", "tensors"):
                if (proves and i not in numbers) or facts.layout.takes_only_tensors:
                    # An unknown value passed as a list of tensors is more likely a list than one tensor.
                    storage.parts_only = tensor.part or (
                        param.kind == "tensors" and not isinstance(op.values[i], Sequence_)
                    )
                    storage.prove()
                elif not storage.is_tensor():
                    op.unproved.append((guard, storage))


def _hang_on(run: Run, op: Application) -> None:
    """Compute when the results require grad: if an operand or the weights do."""
    facts = op.facts
    if not facts.differentiable and not facts.writes:
        return
    grads: list[tuple[Guard, int]] = []
    for i in facts.gradients:
        grads.extend(op.gradients_of(run, i))
    if op.weights is not None and WEIGHT in _needs(facts):
        grads.extend(run.heap.gradients(op.weights, run.path))
    op.grads = strongest(grads)


def _link(run: Run, op: Application) -> None:
    """Add edges from the node of the op to the nodes of its operands and weights.

    The old value of a written operand stays in the graph: even `copy_` passes a gradient of zeros on to it.
    """
    edges = op.node.edges
    for i in {*op.facts.gradients, *op.facts.writes}:
        if i < len(op.operands):
            for guard, tensor in op.operands[i]:
                edges.extend(run.heap.nodes(tensor, guard))
    if op.weights is not None:
        edges.extend(run.heap.nodes(op.weights, run.path))


def _may_hand_back(facts: Facts) -> bool:
    """Whether the op may return its operand itself (`contiguous`, `to`): then it does not use a view."""
    converts = facts.layout.dtype_after is not None or facts.layout.same_if_contiguous
    return not facts.writes and all(
        r.kind == "same" or (r.kind == "maybe" and converts) for r in facts.returns
    )


def _spoken(name: str, key: str) -> str:
    """What to call the op in a message: the last word of its name; for an operator, the method behind it."""
    last = name.rpartition(".")[2]
    return last if last.isidentifier() else key.rpartition("::")[2].partition(".")[0]


def _needs(facts: Facts) -> set[int]:
    """The operands on whose requiring grad the results or saves depend."""
    return {i for save in facts.saves for i in save.needs} | set(facts.gradients)


#: Parameter codes of declared functions: a list passed there stands for its elements.
_OPENED = frozenset(["a", "av", "m", "mv"])


def _operands(run: Run, param: Param, value: Value | None) -> Operands:
    """The guarded tensors that are bound to a parameter."""
    if value is None:
        return []
    if param.kind == "tensors" or (param.code in _OPENED and isinstance(value, (Sequence_, Mapping_))):
        return run.tensors_within(value)
    if param.kind == "number":
        return [(g, t) for g, t in run.tensors(value) if t.storage.proved]
    return run.tensors(value)


def _stale_reads(run: Run, op: Application) -> None:
    """Report reads of operands whose values were changed since their names were bound."""
    facts = op.facts
    if facts.layout.asks_for_form or (op.name == "getitem" and facts.returns[0].kind != "fresh"):
        return  # `x[1:]` reads no values yet
    replaced = facts.writes if facts.overwrites else ()
    written = [
        t
        for i, found in enumerate(op.operands)
        if i not in replaced
        for _, t in found
        if t in run.found.written
    ]
    if written:
        stale_reads.reads(run, op.name, op.place.at, written, facts.overwrites)
        for param, value in zip(facts.params, op.values):
            if param.kind == "tensors" and value is not None:
                stale_reads.repeated(run, op.name, op.place.at, value)


def _stale_views(run: Run, op: Application) -> None:
    """Report uses that raise: of a multi-output view, or one made under no_grad, after a write of its base."""
    for found in op.operands:
        for guard, tensor in found:
            cause = tensor.multi or tensor.no_grad_view
            if cause is None or tensor.detached:
                continue
            if run.heap.written_since(tensor.storage, tensor.made_at, guard):
                kind = "multi-view" if tensor.multi is not None else "no-grad-view"
                evidence = max((e for _, e in run.heap.gradients(tensor, guard)), default=0)
                if evidence:
                    stale = Event(kind, op.place, guard, op.name, tensor.storage, evidence, cause)
                    stale.used = True
                    run.found.events.append(stale)


def used(run: Run, operands: list[Operands]) -> None:
    """Clear `early` on operands that require grad: a use gives a view the graph of its base."""
    for found in operands:
        for guard, tensor in found:
            if tensor.early and run.heap.gradients(tensor, guard):
                tensor.early = False
