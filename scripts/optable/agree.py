"""Compares the shipped table with torch over all of `op_db`: `python -m scripts.optable.agree [--show]`.

Every sample is called by the op's public name, under every grad pattern (each argument alone, and all of them).
It agrees when everything that the table says is always kept was kept, and nothing was kept that the table does not
speak of.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import torch
from torch.testing._internal.common_methods_invocations import op_db

from inplace_lint.torchmodel import table
from inplace_lint.torchmodel.facts import Facts
from inplace_lint.torchmodel.op import Op
from scripts.optable import names
from scripts.optable.composites import code_of
from scripts.optable.observe import Trial, can_need_grad, find_saves, tensors_in
from scripts.optable.samples import Sample, default_dtype, generate


@dataclass
class Tally:
    """Samples that agree, and one line for each that does not, by op."""

    agreed: int = 0
    exact: int = 0
    ops: set[str] = field(default_factory=set)
    differing: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    uncalled: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        return self.agreed + sum(len(lines) for lines in self.differing.values())


def public_names() -> dict[int, str]:
    """The callable's id -> its canonical dotted name."""
    found: dict[int, str] = {}
    for space, here in names.functions().items():
        for name in here:
            found.setdefault(id(getattr(names.SPACES[space], name)), f"{space}.{name}")
    return found


def function_of(info: Any, known: dict[int, str]) -> tuple[str, Callable[..., Any], Op] | None:
    """The public function of an OpInfo: by identity, else by its name."""
    name = known.get(id(info.op))
    if name is None:
        for candidate in (f"torch.{info.name}", f"torch.nn.functional.{info.name}"):
            if table.function(candidate) is not None:
                name = candidate
                break
    if name is not None and (op := table.function(name)) is not None:
        function: Any = torch
        for part in name.split(".")[1:]:
            function = getattr(function, part)
        return name, function, op
    op = table.method(info.name)
    if op is not None:
        return op.name, getattr(torch.Tensor, info.name), op
    return None


def inplace_of(info: Any) -> tuple[str, Callable[..., Any], Op] | None:
    variant = info.inplace_variant
    if variant is None:
        return None
    name = getattr(variant, "__name__", "")
    op = table.method(name)
    if op is None or not hasattr(torch.Tensor, name):
        return None
    return op.name, getattr(torch.Tensor, name), op


def compare(function: Callable[..., Any], op: Op, sample: Sample, inplace: bool) -> tuple[str, bool] | None:
    """("", exact) when the sample agrees, (the difference, False) when not; None when it cannot be called."""
    whole: dict[Any, Any] = dict(enumerate(sample.args))
    whole.update(sample.kwargs)

    def call(new: dict[Any, Any]) -> Any:
        return function(*(new[i] for i in range(len(sample.args))), **{k: new[k] for k in sample.kwargs})

    grads = [place for place, value in whole.items() if any(can_need_grad(t) for t in tensors_in(value))]
    patterns = [frozenset([place]) for place in grads]
    if len(grads) > 1:
        patterns.append(frozenset(grads))
    codes = [code_of(v) for v in sample.args]
    found = op.facts(codes, {k: code_of(v) for k, v in sample.kwargs.items()})
    exact = True
    called = False
    for pattern in patterns or [frozenset()]:
        trial = Trial(whole, pattern)
        try:
            trial.run(call)
        except Exception:
            continue
        called = True
        if found is None:
            return "no overload fits", False
        facts, binding = found
        problem, precise = difference(trial, facts, binding, pattern)
        if problem:
            return problem, False
        exact = exact and precise
    return ("", exact) if called else None


def difference(trial: Trial, facts: Facts, binding: Any, pattern: frozenset[Any]) -> tuple[str, bool]:
    needed = {i for i, place in enumerate(binding) if place in pattern}
    written = {
        place
        for place, ts in trial.own.items()
        for t, (v, _) in zip(ts, trial.before[place], strict=False)
        if t._version != v
    }
    problem = relation(trial, facts, binding)
    if problem:
        return problem, False
    kept, _ = find_saves(trial)
    comparable = {
        place for place, ts in trial.own.items() if any(x.numel() and x.layout == torch.strided for x in ts)
    }
    always: set[Any] = set()
    may: set[Any] = set()
    for save in facts.saves:
        if not needed & set(save.needs):
            continue
        if save.target >= 0:
            place = binding[save.target]
            if place is None or place not in comparable:
                continue
            target = place
        else:
            target = f"r{-1 - save.target}"
            if not any(x.numel() and x.layout == torch.strided for x in result_at(trial, -1 - save.target)):
                continue
        (always if save.certainty == "always" and not save.only else may).add(target)
    missing = {t for t in always if t not in kept and not aliased(trial, t, kept)}
    surplus = {t for t in kept if t not in always | may and not aliased(trial, t, always | may)}
    expected_writes = {binding[w] for w in facts.writes if binding[w] is not None} if facts.counted else set()
    if written != expected_writes and not written <= expected_writes:
        return f"writes {written} against {expected_writes}", False
    if missing or surplus:
        names_of = dict(zip(binding, (p.name for p in facts.params), strict=False))
        show = (
            sorted(str(names_of.get(t, t)) for t in missing),
            sorted(str(names_of.get(t, t)) for t in surplus),
        )
        who = sorted(str(names_of.get(t, t)) for t in pattern)
        return (
            f"{facts.key}: with grad for {who}, said but not kept {show[0]}, kept but not said {show[1]}",
            False,
        )
    return "", not may


def result_at(trial: Trial, i: int) -> list[torch.Tensor]:
    outputs = trial.outputs()
    return tensors_in(outputs[i]) if i < len(outputs) else []


def aliased(trial: Trial, target: Any, others: Any) -> bool:
    """Whether the target shares its storage with one of the others: then the save is told under that name."""
    mine = {t.untyped_storage()._cdata for t in tensors_of(trial, target) if t.layout == torch.strided}
    return any(
        other != target and t.layout == torch.strided and t.untyped_storage()._cdata in mine
        for other in others
        for t in tensors_of(trial, other)
    )


def tensors_of(trial: Trial, target: Any) -> list[torch.Tensor]:
    if target in trial.own:
        return trial.own[target]
    return (
        result_at(trial, int(target[1:]))
        if isinstance(target, str) and target[0] == "r" and target[1:].isdigit()
        else []
    )


def relation(trial: Trial, facts: Facts, binding: Any) -> str:
    """How the first result relates to the arguments, against what the table says of it."""
    result = trial.outputs()[0] if trial.outputs() else None
    if (
        not facts.returns
        or not isinstance(result, torch.Tensor)
        or result.layout != torch.strided
        or not result.numel()
    ):
        return ""
    ret = facts.returns[0]
    of = None if ret.of is None else binding[ret.of]
    own = trial.own.get(of, []) if of is not None else []
    same = any(result is t for t in own)
    shared = any(
        result.untyped_storage()._cdata == t.untyped_storage()._cdata
        for ts in trial.own.values()
        for t in ts
        if t.layout == torch.strided
    )
    if ret.kind == "same" and not same:
        return f"{facts.key}: returns another tensor than it was given"
    if ret.kind == "fresh" and shared:
        return f"{facts.key}: a result said to be fresh shares storage"
    if ret.kind in ("view", "views", "slices") and not shared:
        return f"{facts.key}: a result said to be a view is none"
    return ""


def tally(inplace: bool, every: int = 1) -> Tally:
    """Over all of op_db, or each n-th op of it."""
    known = public_names()
    result = Tally()
    for info in op_db[::every]:
        found = inplace_of(info) if inplace else function_of(info, known)
        if found is None:
            continue
        name, function, op = found
        dtype = torch.float32 if torch.float32 in info.supported_dtypes("cpu") else default_dtype(info)
        for sample in generate(info, dtype):
            outcome = compare(function, op, sample, inplace)
            if outcome is None:
                result.uncalled[name] += 1
                continue
            result.ops.add(name)
            problem, exact = outcome
            if problem:
                result.differing[name].append(problem)
            else:
                result.agreed += 1
                result.exact += exact
    return result


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for inplace in (False, True):
        found = tally(inplace)
        print(
            f"{'in place' if inplace else 'out of place'}: {found.agreed} of {found.total} samples agree over"
            f" {len(found.ops)} ops ({found.exact} of them exactly, the others within a 'may');"
            f" {sum(found.uncalled.values())} samples cannot be called by the public name"
        )
        for name, lines in sorted(found.differing.items()):
            print(f"  {name}: {len(lines)}")
            if "--show" in arguments:
                for line, count in Counter(lines).most_common(4):
                    print(f"     {count} x {line}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
