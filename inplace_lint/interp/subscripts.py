"""Models `obj[index]` and `obj[index] = value` for lists, dicts, tensors, arrays and unknown values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    arrays,
    concrete,
    containers,
    dynamic_names,
    elements,
    enums,
    exceptions,
    grad_evidence,
    indexing,
    inherited,
    instances,
    lookup,
    mappings,
    names,
    places,
    positions,
    protocols,
    stale_reads,
    unmodeled,
)
from .class_value import ClassValue
from .dispatch_tables import at_index, chosen, member
from .frames import FIRST, LENGTH
from .iterators import Iteration
from .joins import join
from .slices import Slice
from .storage import DOES
from .values import (
    ANY,
    Array,
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Text,
    TorchModule,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable

    from .guards import Guard
    from .run import Run


def get_item(run: Run, obj: Value, index: Value, at: ast.AST) -> Value:
    """obj[index]."""
    if run.program.second_look:
        grad_evidence.mark_integers(run, index)
    results = []
    for guard, held in run.live(obj):
        own = _item_method(run, held) if isinstance(held, Instance) else None
        atom = held if own is not None else inherited.contents(run, held)
        if isinstance(atom, Sequence_):
            results.append((guard, _element(run, atom, index, at)))
        elif isinstance(atom, Mapping_):
            results.append((guard, _under_key(run, atom, index, at)))
        elif isinstance(atom, (Tensor, Unknown)):
            if (key := _name(run, index)) is not None:
                entry = run.member(atom, key) if isinstance(atom, Unknown) else _entry(run, atom, key)
                results.append((guard, entry))
            elif (
                isinstance(atom, Unknown)
                and atom.tensor is None
                and isinstance(index, Constant)
                and not _adds_axis(index)
            ):
                results.append((guard, places.under_index(run, atom, index.value)))
            else:
                part = indexing.index(run, atom, index, at)
                stale_reads.picked(run, part, at)
                results.append((guard, part))
        elif isinstance(atom, Array) and (item := arrays.item(run, atom, index)) is not None:
            results.append((guard, item))
        elif isinstance(atom, Constant):
            results.append((guard, _letters(run, atom, index)))
        elif isinstance(atom, Scalar):
            element = run.scalar(("item", atom, _key(index)))
            if isinstance(atom, Array):
                arrays.note_element(run, atom, element)
            results.append((guard, element))
        elif isinstance(atom, Iteration) and isinstance(index, Slice) and _is_backwards(index):
            results.append((guard, atom.backwards()))
        elif (method := _item_method(run, atom)) is not None:
            path, run.path = run.path, guard
            results.append((guard, run.call(method, [index], {}, at)))
            run.path = path
        elif isinstance(atom, ClassValue):
            found = member(run, atom, index, at, by_name=True) if enums.is_enum(atom) else None
            results.append((guard, found or atom))  # `Stack[int]` of a generic class is the class
        elif _is_declared(run, atom):
            results.append((guard, atom))  # `kernel[grid](…)` launches the kernel itself
        elif isinstance(atom, (names.ModuleValue, Symbol)):
            results.append((guard, dynamic_names.entry(run, atom, index, at) or Unknown()))
        else:
            results.append((guard, Unknown()))
    return join(results) if results else Unknown()


def _item_method(run: Run, atom: Value) -> Value | None:
    """What `atom[index]` calls, for an object or a class of the project."""
    if isinstance(atom, Instance):
        return protocols.method(run, atom, "__getitem__")
    found = lookup.find(run, atom.order(), "__class_getitem__") if isinstance(atom, ClassValue) else None
    return None if found is None else Bound(found, [atom], {})


def _letters(run: Run, text: Constant, index: Value) -> Value:
    """text[index], of a string or a constant tuple."""
    bounds: list[object] = (
        [part.value for part in index.parts if isinstance(part, Constant)] if isinstance(index, Slice) else []
    )
    try:
        if len(bounds) == 3:
            return Constant(text.value[slice(*bounds)])  # type: ignore[index]  # else a TypeError, as in Python
        if isinstance(index, Constant):
            return Constant(text.value[index.value])  # type: ignore[index]  # the same
    except (TypeError, IndexError, ValueError):
        pass
    return Unknown()


def _under_key(run: Run, mapping: Mapping_, key: Value, at: ast.AST) -> Value:
    """mapping[key]; a `defaultdict` makes what is not there."""
    if mapping.factory is not None or (run.trying.catching and isinstance(key, Constant)):
        key = elements.constant(run, key)
        there = mappings.holds(run, mapping, key.value) if isinstance(key, Constant) else None
        absent = ANY not in mapping.keys if there is None else not run.split(there)[0]
        if absent and mapping.factory is not None:
            made = run.call(mapping.factory, [], {}, at)
            mappings.put_key(run, mapping, key, made)
            return made
        if absent and there is not None:
            exceptions.throw_builtin(run, "KeyError")
            return Unknown()
    named = None
    if isinstance(mapping.of, Instance) and isinstance(key, Scalar):
        named = dynamic_names.attribute(run, mapping.of, dynamic_names.name_in(at))
    return named or chosen(run, mapping, key, at) or mappings.get_key(run, mapping, key)


def _name(run: Run, index: Value) -> Hashable | None:
    """The key that an index is if no tensor takes it, as a string: the indexed value is a dict then; else None."""
    if _is_word(index):
        return index.value if isinstance(index, Constant) else index
    if isinstance(index, Sequence_):
        parts = run.elements(index)
        if index.kind == "tuple" and any(map(_is_word, parts)):
            told = [part.value for part in parts if isinstance(part, Constant)]
            return tuple(told) if len(told) == len(parts) else index
        return index if index.kind == "set" else None
    return index if isinstance(index, (ClassValue, FunctionValue, TorchModule)) else None


def _is_word(index: Value) -> bool:
    return isinstance(index, Text) or (isinstance(index, Constant) and isinstance(index.value, str))


def _entry(run: Run, mapping: Tensor, key: Hashable) -> Value:
    """The entry under a string key of an element that was taken for a tensor, but is a dict."""
    known = run.state.get((mapping.storage, "member", _entry_key(mapping, key)))
    if known is None:
        known = Unknown(mapping.storage.value)
        run.bottom().slots[(mapping.storage, "member", _entry_key(mapping, key))] = known
    return known


def _entry_key(mapping: Tensor, key: Hashable) -> tuple[object, Hashable]:
    return (None if mapping.taken is None else mapping.taken.key, key)


def _is_declared(run: Run, atom: Value) -> bool:
    """Whether something is declared of a function or name: indexed, it is a kernel with a launch grid."""
    if isinstance(atom, FunctionValue):
        return run.program.declared.of(atom.source) is not None
    return (
        isinstance(atom, Symbol) and run.program.declared.function(atom.dotted, run.frame.module) is not None
    )


def _adds_axis(index: Constant) -> bool:
    """`x[None]`, `x[...]`: only arrays and tensors take these."""
    return index.value is None or index.value is ...


def _is_backwards(index: Slice) -> bool:
    return [part.value for part in index.parts if isinstance(part, Constant)] == [None, None, -1]


def _ends_early(index: Slice) -> bool:
    """`[:-1]` and its kin, which leave out the last element."""
    behind = index.parts[1]
    return isinstance(behind, Constant) and type(behind.value) is int and behind.value < 0


def _key(index: Value) -> object:
    return repr(index.value) if isinstance(index, Constant) else index


def _element(run: Run, sequence: Sequence_, index: Value, at: ast.AST) -> Value:
    """sequence[index]."""
    if isinstance(index, Phi) and all(isinstance(atom, Constant) for _, atom in index.alternatives):
        return run.each(index, lambda one: _element(run, sequence, one, at))
    known = containers.items(run, sequence)
    if isinstance(index, Constant) and isinstance(index.value, int):
        if known is not None:
            if -len(known) <= index.value < len(known):
                return known[index.value]
            return Unknown()
        parts = containers.parts_of(run, sequence) or []
        way = parts[: index.value + 1] if index.value >= 0 else parts[index.value :]
        if len(way) >= max(index.value + 1, -index.value) and not any(starred for starred, _ in way):
            return parts[index.value][1]
        return _smeared(run, sequence, index.value)
    if isinstance(index, Slice):
        plain = [part.value for part in index.parts if isinstance(part, Constant)]
        bounds = [value for value in plain if value is None or isinstance(value, int)]
        if known is not None and len(bounds) == 3 and bounds[2] != 0:
            return containers.make(run, sequence.kind, known[slice(*bounds)])
        piece = Sequence_(sequence.kind)
        run.born[piece] = run.inexact
        for element in positions.but_last(run, sequence) if _ends_early(index) else run.elements(sequence):
            containers.smear(run, piece, element)
        places.cut(run, piece, sequence, index)
        if known is not None and plain[:1] == [None] and plain[-1] is None and not _ends_early(index):
            containers.begin(run, piece, known)
        return piece
    told = positions.by_round(run, sequence, index)
    if told is None and known is not None:
        told = at_index(run, known, index, at)
    if told is not None:
        return told
    if known and isinstance(known[0], Tensor) and elements.of_rounds(known):
        return elements.taken(run, sequence, known[0], index)  # one of what a loop made stands for any
    element = containers.any_element(run, sequence)
    return elements.taken(run, sequence, element, index) if ANY in sequence.keys else element


def _smeared(run: Run, sequence: Sequence_, index: int) -> Value:
    """The element at a constant index of a list of unknown length."""
    if sequence.kind == "fresh":
        return containers.fresh_element(run, sequence, ("part", index))
    end = positions.at_end(run, sequence, FIRST) if index == 0 else None
    if index == -1:
        end = positions.last(run, sequence)
    place = places.at(run, sequence, index)
    if end is not None:
        return elements.at_place(run, end, place)
    found = places.of_unknown(run, place)
    if found is not None:
        return found
    found = run.state.get((sequence, ANY))
    if found is None or elements.is_mixed(found):
        return Unknown()
    return containers.one_of_many(run, elements.taken(run, sequence, found, Constant(index), place))


def set_item(run: Run, obj: Value, index: Value, value: Value, at: ast.AST, augmented: bool) -> None:
    """obj[index] = value."""
    if run.program.second_look:
        grad_evidence.mark_integers(run, index)
        filled = [tensor.storage for _, tensor in run.tensors(obj)]
        run.found.filled += [
            (target, source.storage) for target in filled for _, source in run.tensors(value)
        ]
    stored = run.live(obj)
    observed = len(run.found.observations)
    # An unknown value beside a list or dict on other paths is taken for a container too.
    beside = any(isinstance(atom, (Sequence_, Mapping_)) for _, atom in stored)
    for guard, held in stored:
        method = protocols.method(run, held, "__setitem__") if isinstance(held, Instance) else None
        atom = inherited.contents(run, held)
        if method is not None:
            path, run.path = run.path, guard
            run.call(method, [index, value], {}, at)
            run.path = path
        elif isinstance(atom, Mapping_):
            mappings.put_key(run, atom, index, value)
        elif isinstance(atom, Sequence_):
            if atom in run.root.outside:
                run.heap.escape(run.tensors_within(value), run.path)
            value = elements.put_back(run, value)
            _set_element(run, atom, index, value, at)
        elif isinstance(atom, (Tensor, Unknown)):
            _set_part(run, atom, index, value, at, guard, beside and isinstance(atom, Unknown))
        elif isinstance(atom, Parameters):
            # One parameter, or a list of them; a number or a slice makes one parameter more likely.
            written = isinstance(value, (Constant, Scalar)) or isinstance(index, (Sequence_, Slice))
            parameter = run.as_tensor(atom) if written else None
            if parameter is not None:
                path, run.path = run.path, guard
                indexing.set_index(run, parameter, index, value, at)
                run.path = path
        elif isinstance(atom, Array):
            path, run.path = run.path, guard
            arrays.write(run, atom, "index assignment", at)
            run.path = path
    if not all(isinstance(atom, (Tensor, Unknown)) for _, atom in stored):
        for seen in run.found.observations[observed:]:
            seen.proved = False


def delete_item(run: Run, obj: Value, index: Value, at: ast.AST) -> None:
    """del obj[index]."""
    for _, atom in run.live(obj):
        atom = inherited.contents(run, atom)
        if isinstance(atom, Mapping_):
            mappings.remove_key(run, atom, index)
        elif isinstance(atom, Sequence_) and not isinstance(index, Slice):
            run.call(run.attribute(atom, "pop", at), [index], {}, at)
        elif (
            isinstance(atom, Sequence_)
            and isinstance(index, Slice)
            and not concrete.put_slice(run, atom, index, None)
        ):
            run.state.slots[(atom, LENGTH)] = Unknown()
            containers.forget_ends(run, atom)
        elif (
            isinstance(atom, Instance) and (method := protocols.method(run, atom, "__delitem__")) is not None
        ):
            run.call(method, [index], {}, at)


def _set_element(run: Run, sequence: Sequence_, index: Value, value: Value, at: ast.AST) -> None:
    """sequence[index] = value; under an unknown index, any element may be replaced."""
    count = containers.length(run, sequence)
    if isinstance(index, Constant) and isinstance(index.value, int) and count is not None:
        run.put(sequence, index.value if index.value >= 0 else count + index.value, value)
    elif not (isinstance(index, Slice) and concrete.put_slice(run, sequence, index, value)):
        containers.forget_ends(run, sequence)
        for key in list(sequence.keys):
            known = run.state.get((sequence, key))
            if known is not None:
                chosen, other = run.doubt(("item", at, key, run.uid()))
                run.put(sequence, key, join([(chosen, value), (other, known)]))
        if not sequence.keys:
            containers.smear(run, sequence, Unknown())  # the other elements are not known
            containers.smear(run, sequence, value)


def _told(run: Run, atom: Unknown, index: Value, value: Value) -> list[tuple[Guard, Tensor]]:
    """The tensors in a stored value that escape with it: other code may run backward on them.

    A tensor that an object keeps and writes in parts at each call would grow an endless graph. So a second look takes
    values that are only perhaps differentiable for data there.
    """
    tensors = [(g, t) for g, t in run.tensors_within(value) if not unmodeled.is_counted_on(t, atom)]
    kept = isinstance(atom.owner, Instance) or atom.is_option()
    if not (run.program.second_look and kept) or indexing.is_position(index):
        return tensors
    return [(g, t) for g, t in tensors if any(sure == DOES for _, sure in run.heap.gradients(t, g))]


def _set_part(
    run: Run,
    atom: Tensor | Unknown,
    index: Value,
    value: Value,
    at: ast.AST,
    guard: Guard,
    beside_list: bool,
) -> None:
    """atom[index] = value for a tensor or an unknown value; `beside_list`: it is taken for a list or dict."""
    name = _name(run, index)
    plain = index.value if isinstance(index, Constant) else name
    if isinstance(atom, Unknown):
        if plain is not None and (name is not None or isinstance(plain, int)):
            run.set_member(atom, plain, value)
            run.handed.stored.append((atom, plain))
        if atom.tensor is None or not atom.tensor.storage.is_tensor():
            run.heap.escape(_told(run, atom, index, value), run.path)
    elif name is not None:
        run.state.slots[(atom.storage, "member", _entry_key(atom, name))] = value
        run.heap.escape(run.tensors_within(value), run.path)
    if name is None and not beside_list and not instances.is_told_apart(run, atom, guard):
        path, run.path = run.path, guard
        stale_reads.swapped(run, atom, value, at)
        before = len(run.found.writes)
        indexing.set_index(run, atom, index, value, at)
        if indexing.is_position(index):
            for write in run.found.writes[before:]:
                write.into_list = True
                write.storage.puts += (write.time,)
        run.path = path
