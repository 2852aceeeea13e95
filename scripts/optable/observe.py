"""Runs one call under every grad pattern and sees what autograd kept: the oracle for composites and for the tests.

The graph is walked from the results down to the arguments; each node's `_saved_*` tensors are matched to the caller's
own arguments and results by storage, and a match counts only if the saved tensor shares the argument's version counter.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

Where = tuple[str, int]
"""A parameter's name and the element's place in its list (0 for a plain tensor)."""


@dataclass
class Observation:
    """What one call did. `saves` is target -> (node, attribute, the parameters of which any will do)."""

    present: dict[str, str] = field(default_factory=dict)
    saves: dict[str, tuple[str, str, tuple[str, ...]]] = field(default_factory=dict)
    gradients: tuple[str, ...] = ()
    clones: tuple[str, ...] | None = None
    writes: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    returns: tuple[tuple[str, str, bool, str], ...] = ()
    fields: tuple[str, ...] = ()
    consts: dict[str, Any] = field(default_factory=dict)


class Uncallable(Exception):
    """The sample does not run, or has no tensor that the table speaks of."""


def is_tensor_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in value)


def tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_in(v)]
    return []


def storage_of(tensor: torch.Tensor) -> int:
    try:
        return tensor.untyped_storage()._cdata if tensor.numel() else 0
    except (NotImplementedError, RuntimeError):
        return 0


def can_need_grad(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


class Trial:
    """One run of a call with grad required of the named parameters only."""

    def __init__(self, bound: dict[str, Any], needing: frozenset[str]) -> None:
        self.arguments: dict[str, Any] = {}
        self.own: dict[str, list[torch.Tensor]] = {}
        for name, value in bound.items():
            self.arguments[name] = self._fresh(value, name in needing)
            found = tensors_in(self.arguments[name])
            if found:
                self.own[name] = found
        self.stop = {t.grad_fn for ts in self.own.values() for t in ts if t.grad_fn is not None}
        self.before = {name: [(t._version, t.detach().clone()) for t in ts] for name, ts in self.own.items()}

    def _fresh(self, value: Any, needs_grad: bool) -> Any:
        if isinstance(value, torch.Tensor):
            copy = value.detach().clone()
            if needs_grad and can_need_grad(copy):
                copy = copy.requires_grad_().clone()
            return copy
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self._fresh(v, needs_grad) for v in value))
        if isinstance(value, (list, tuple)):
            return type(value)(self._fresh(v, needs_grad) for v in value)
        return value

    def run(self, call: Callable[[dict[str, Any]], Any]) -> Any:
        random.seed(0)
        torch.manual_seed(0)
        self.result = call(self.arguments)
        return self.result

    def outputs(self) -> list[Any]:
        return returned(self.result)

    def nodes(self) -> Iterator[Any]:
        written = [t for ts in self.own.values() for t in ts]
        todo = [t.grad_fn for t in [*tensors_in(self.result), *written] if t.grad_fn is not None]
        seen = set()
        while todo:
            node = todo.pop()
            if node is None or node in seen or node in self.stop:
                continue
            seen.add(node)
            yield node
            todo.extend(child for child, _ in node.next_functions if child is not None)

    def saved(self) -> Iterator[tuple[str, str, torch.Tensor]]:
        for node in self.nodes():
            for attr in saved_attributes(node):
                try:
                    value = getattr(node, attr)
                except RuntimeError:
                    continue
                name = attr.removeprefix("_saved_")
                for tensor in tensors_in(value):
                    yield node.name(), name, tensor


_attributes: dict[type, list[str]] = {}


def saved_attributes(node: Any) -> list[str]:
    kind = type(node)
    if kind not in _attributes:
        names = [a for a in dir(node) if a.startswith("_saved_")]
        _attributes[kind] = names or (["saved_tensors"] if hasattr(node, "saved_tensors") else [])
    return _attributes[kind]


def returned(result: Any) -> list[Any]:
    """The results of a call, a list of tensors counting as one."""
    if isinstance(result, tuple) and not isinstance(result, torch.Size):
        return list(result)
    return [result]


def shares_version(saved: torch.Tensor, own: torch.Tensor) -> bool:
    """Whether a write to `own` moves the counter of `saved`."""
    before = saved._version
    with torch.no_grad():
        try:
            torch._C._autograd._unsafe_set_version_counter((own,), (own._version + 1,))
        except (RuntimeError, AttributeError):
            return True
    return saved._version != before


def find_saves(trial: Trial) -> tuple[dict[str, tuple[str, str]], bool]:
    """Target -> (node, attribute), and whether some node holds a clone of the written self."""
    owners: dict[int, str] = {}
    holders: dict[str, list[torch.Tensor]] = {}
    for i, value in enumerate(trial.outputs()):
        if isinstance(value, torch.Tensor) and is_written(trial, value):
            owners[storage_of(value)] = f"r{i}"
            holders[f"r{i}"] = [value]
    for name, tensors in trial.own.items():
        for tensor in tensors:
            owners.setdefault(storage_of(tensor), name)
            holders.setdefault(name, []).append(tensor)
    for i, value in enumerate(trial.outputs()):
        for tensor in tensors_in(value):
            owners.setdefault(storage_of(tensor), f"r{i}")
            holders.setdefault(f"r{i}", []).append(tensor)
    owners.pop(0, None)
    found: dict[str, tuple[str, str]] = {}
    candidates: list[tuple[str, str, str, torch.Tensor]] = []
    cloned = False
    written = {
        name: [
            old for t, (version, old) in zip(ts, trial.before[name], strict=False) if t._version != version
        ]
        for name, ts in trial.own.items()
    }
    for node, attr, tensor in trial.saved():
        target = owners.get(storage_of(tensor))
        if target is not None:
            candidates.append((target, node, attr, tensor))
        elif (
            attr == "self"
        ):  # where PyTorch's code generator packs the clone; other buffers may hold old memory
            for olds in written.values():
                cloned = cloned or any(same_values(tensor, old) for old in olds)
    for target, node, attr, tensor in candidates:
        if target in found:
            continue
        mine = [t for t in holders[target] if storage_of(t) == storage_of(tensor)]
        if any(shares_version(tensor, t) for t in mine):
            found[target] = (node, attr)
    return found, cloned


def is_written(trial: Trial, value: torch.Tensor) -> bool:
    """Whether the result is an argument that the call wrote: what is saved of it then is the result."""
    return any(
        value is t and t._version != version
        for name, ts in trial.own.items()
        for t, (version, _) in zip(ts, trial.before[name], strict=False)
    )


def same_values(a: torch.Tensor, b: torch.Tensor) -> bool:
    return (
        a.shape == b.shape
        and a.dtype == b.dtype
        and a.numel() > 0
        and a.layout == b.layout == torch.strided
        and torch.equal(a, b)
    )


def observe(bound: dict[str, Any], call: Callable[[dict[str, Any]], Any]) -> Observation:
    """What the call does, over grad patterns: each parameter alone, and all of them.

    `bound` maps parameter names to values; `call` gets the same mapping with fresh copies of the tensors.
    """
    seen = Observation()
    grads = [n for n, v in bound.items() if any(can_need_grad(t) for t in tensors_in(v))]
    for name, value in bound.items():
        if isinstance(value, torch.Tensor):
            seen.present[name] = "T"
        elif is_tensor_list(value):
            seen.present[name] = "L"
        else:
            seen.consts[name] = value
    try:
        whole = run(bound, grads, call)
    except Uncallable:
        grads = [name for name in grads if runs(bound, [name], call)]
        whole = run(bound, grads, call)
    describe_results(whole, seen)
    describe_writes(whole, seen)
    patterns = [frozenset([name]) for name in grads]
    if len(grads) > 1:
        patterns.append(frozenset(grads))
    needs: dict[str, list[str]] = {}
    how: dict[str, tuple[str, str]] = {}
    gradients: list[str] = []
    clones: list[str] = []
    for pattern in patterns:
        trial = whole if pattern == frozenset(grads) else Trial(bound, pattern)
        if trial is not whole:
            try:
                trial.run(call)
            except Exception:
                continue
        requires = any(t.requires_grad for t in tensors_in(trial.result)) or any(
            t._version != v and t.requires_grad
            for n, ts in trial.own.items()
            for t, (v, _) in zip(ts, trial.before[n], strict=False)
        )
        found, cloned = find_saves(trial)
        single = next(iter(pattern)) if len(pattern) == 1 else None
        if single and requires:
            gradients.append(single)
        if cloned and single:
            clones.append(single)
        for target, pair in found.items():
            how.setdefault(target, pair)
            needs.setdefault(target, [])
            if single:
                needs[target].append(single)
    seen.gradients = tuple(gradients)
    seen.clones = tuple(clones) or None
    for target, pair in how.items():
        seen.saves[target] = (*pair, tuple(needs[target]))
    return seen


def run(bound: dict[str, Any], needing: list[str], call: Callable[[dict[str, Any]], Any]) -> Trial:
    trial = Trial(bound, frozenset(needing))
    try:
        trial.run(call)
    except Exception as error:
        raise Uncallable(str(error)) from error
    return trial


def runs(bound: dict[str, Any], needing: list[str], call: Callable[[dict[str, Any]], Any]) -> bool:
    """Whether the call takes arguments that need grad there: running statistics, for one, may not."""
    try:
        run(bound, needing, call)
    except Uncallable:
        return False
    return True


def describe_results(trial: Trial, seen: Observation) -> None:
    """How each result relates to the arguments: other, same, view, views, slices, list or new; its dtype's class."""
    result = trial.result
    seen.fields = tuple(getattr(type(result), "_fields", ())) or structseq_fields(result)
    kinds = []
    if not seen.fields and isinstance(result, (list, tuple)):
        whole = list_of_results(trial, result)
        if whole is not None:
            seen.returns = (whole,)
            return
    for value in trial.outputs():
        tensors = tensors_in(value)
        if isinstance(value, torch.Tensor):
            kind, of = alias_of(trial, value)
            dtype = dtype_class(value)
            kinds.append((kind, of, can_need_grad(value) and value.requires_grad, dtype))
        elif tensors:
            kind, of = alias_of(trial, tensors[0])
            kinds.append(
                (
                    {"new": "list", "same": "same"}.get(kind, "slices"),
                    of,
                    tensors[0].requires_grad,
                    dtype_class(tensors[0]),
                )
            )
        else:
            kinds.append(("other", "", False, "?"))
    seen.returns = tuple(kinds)


def list_of_results(trial: Trial, result: Any) -> tuple[str, str, bool, str] | None:
    """The one return of `chunk`, `unbind`, `meshgrid`: a tuple of views counts as one list."""
    values = list(result)
    if not values or not all(isinstance(v, torch.Tensor) for v in values):
        return None
    aliases = [alias_of(trial, v) for v in values]
    if isinstance(result, tuple) and any(kind == "new" for kind, _ in aliases):
        return None
    needs_grad = any(v.requires_grad for v in values)
    of = aliases[0][1]
    if all(kind == "new" for kind, _ in aliases):
        return "list", "", needs_grad, dtype_class(values[0])
    multi = all(creation_of(v) == "MULTI_OUTPUT_NODE" for v in values)
    return "views" if multi else "slices", of, needs_grad, dtype_class(values[0])


def creation_of(tensor: torch.Tensor) -> str:
    try:
        return str(torch._C._autograd._get_creation_meta(tensor)).rpartition(".")[2]
    except RuntimeError:
        return ""


def structseq_fields(result: Any) -> tuple[str, ...]:
    if type(result).__module__.startswith("torch.return_types") or hasattr(result, "n_sequence_fields"):
        names = [
            n for n in dir(type(result)) if not n.startswith(("_", "n_")) and n not in ("count", "index")
        ]
        return tuple(
            sorted(names, key=lambda n: next((i for i, v in enumerate(result) if v is getattr(result, n)), 0))
        )
    return ()


def alias_of(trial: Trial, tensor: torch.Tensor) -> tuple[str, str]:
    for name, own in trial.own.items():
        if any(tensor is t for t in own):
            return "same", name
    where = storage_of(tensor)
    if where:
        for name, own in trial.own.items():
            if any(storage_of(t) == where for t in own):
                return "multi" if creation_of(tensor) == "MULTI_OUTPUT_NODE" else "view", name
    return "new", ""


def dtype_class(tensor: torch.Tensor) -> str:
    if tensor.dtype == torch.bool:
        return "b"
    if tensor.is_complex():
        return "c"
    return "s" if tensor.is_floating_point() else "i"


def describe_writes(trial: Trial, seen: Observation) -> None:
    counted, silent = [], []
    for name, tensors in trial.own.items():
        for tensor, (version, old) in zip(tensors, trial.before[name], strict=False):
            if tensor._version != version:
                counted.append(name)
                break
            if (
                tensor.shape == old.shape
                and tensor.layout == torch.strided
                and not equal_with_nan(tensor, old)
            ):
                silent.append(name)
                break
    seen.writes, seen.uncounted = tuple(counted), tuple(silent)


def equal_with_nan(a: torch.Tensor, b: torch.Tensor) -> bool:
    try:
        return bool(torch.equal(a.detach(), b)) or bool(
            torch.allclose(a.detach(), b, rtol=0, atol=0, equal_nan=True)
        )
    except (RuntimeError, NotImplementedError):
        return True
