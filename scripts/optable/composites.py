"""Observes every composite op and every function written in Python on its samples, and makes its rows."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch

from inplace_lint.torchmodel.facts import Const, Param
from inplace_lint.torchmodel.op import Row, choose
from scripts.optable import aten, learn, names, samples
from scripts.optable.observe import Observation, Uncallable, is_tensor_list, observe, tensors_in

Raw = tuple[str, str]
"""(behaviour, condition)"""


def code_of(value: Any) -> Any:
    """A runtime value as the analysis would know it."""
    if isinstance(value, torch.Tensor):
        return "T"
    if is_tensor_list(value):
        return "L"
    if value is None or isinstance(value, (bool, str)) or type(value) in (int, float):
        return Const(value)
    return "N"


def bind(
    rows: Iterable[Row], sample: samples.Sample
) -> tuple[Row, tuple[Param, ...], dict[str, Any], Any] | None:
    """The row, its parameters, name -> value, and a function that calls with changed values."""
    codes = [code_of(a) for a in sample.args]
    keys = {k: code_of(v) for k, v in sample.kwargs.items()}
    found = choose(list(rows), codes, keys)
    if not found:
        return None
    row, params, binding = found[0]
    places: dict[str, int | str] = {}
    values: dict[str, Any] = {}
    count = 0
    for param, place in zip(params, binding, strict=False):
        if place is None:
            continue
        name = param.name
        if param.code == "tv":
            name = f"{param.name}[{count}]"
            count += 1
        places[name] = place
        values[name] = sample.args[place] if isinstance(place, int) else sample.kwargs[place]

    def rebuild(new: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        args, kwargs = list(sample.args), dict(sample.kwargs)
        for name, place in places.items():
            if isinstance(place, int):
                args[place] = new[name]
            else:
                kwargs[place] = new[name]
        return args, kwargs

    return row, params, values, rebuild


def ordinary(sample: samples.Sample) -> bool:
    """Leaves out empty and sparse tensors, of which no storage can be written or compared."""
    return ordinary_values([*sample.args, *sample.kwargs.values()])


def ordinary_values(values: Iterable[Any]) -> bool:
    found = tensors_in(list(values))
    return bool(found) and all(x.numel() > 0 and x.layout == torch.strided for x in found)


def observations(
    function: Callable[..., Any], rows: list[Row], given: Iterable[samples.Sample]
) -> dict[str, list[Observation]]:
    """Row key and signature -> what each sample of it did."""
    seen: dict[str, list[Observation]] = defaultdict(list)
    for sample in given:
        if not ordinary(sample):
            continue
        bound = bind(rows, sample)
        if bound is None:
            continue
        row, _params, values, rebuild = bound

        def call(new: dict[str, Any], rebuild: Any = rebuild) -> Any:
            args, kwargs = rebuild(new)
            return function(*args, **kwargs)

        try:
            one = observe(values, call)
        except Uncallable:
            continue
        seen[row.key + "|" + row.signature].append(one)
    return seen


def defaults_of(row: Row) -> dict[str, Any]:
    return {p.name: p.default.value for p in row.params if p.default is not None and not p.required}


def behaviours(row: Row, seen: list[Observation]) -> list[Raw]:
    spread = next((p.name for p in row.params if p.code == "tv"), None)
    if spread:
        seen = [folded(one, spread) for one in seen]
    return learn.rows_of(seen, defaults_of(row))


def folded(one: Observation, spread: str) -> Observation:
    """`operands[0]`, `operands[1]` as the one parameter `operands`: each is saved when any of the others needs grad."""

    def name(text: str) -> str:
        return spread if text.startswith(spread + "[") else text

    folded_saves: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for target, (node, attr, needs) in one.saves.items():
        if target.startswith(spread + "["):
            needs = tuple("others" for n in needs if n != target) or needs
            needs = ("others",) if set(needs) == {"others"} else ()
        folded_saves[name(target)] = (node, attr, tuple(dict.fromkeys(name(n) for n in needs)))
    one.saves = folded_saves
    one.present = {name(k): v for k, v in one.present.items()}
    one.gradients = tuple(dict.fromkeys(name(g) for g in one.gradients))
    one.writes = tuple(dict.fromkeys(name(g) for g in one.writes))
    one.uncounted = tuple(dict.fromkeys(name(g) for g in one.uncounted))
    one.returns = tuple((kind, name(of), grad, dtype) for kind, of, grad, dtype in one.returns)
    return one


def observe_overloads(overloads: list[aten.Overload]) -> dict[tuple[str, str], list[Raw]]:
    """(ATen key, f or m) -> rows, for every composite with a schema."""
    found: dict[tuple[str, str], list[Raw]] = {}
    groups: dict[str, list[aten.Overload]] = defaultdict(list)
    for overload in overloads:
        groups[overload.base].append(overload)
    for base, here in groups.items():
        if all(o.act is not None for o in here):
            continue
        for variant, function, name in callables_of(base, here):
            rows = [
                Row(o.key, " ".join(o.method_params if variant == "m" else o.params), o.act or "")
                for o in here
                if (o.method if variant == "m" else o.function)
            ]
            seen = observations(function, rows, samples.for_name(name))
            for row in rows:
                ones = seen.get(row.key + "|" + row.signature)
                if ones and not row.behaviour:
                    found[row.key, variant] = behaviours(row, ones)
    return found


def callables_of(base: str, here: list[aten.Overload]) -> list[tuple[str, Callable[..., Any], str]]:
    found: list[tuple[str, Callable[..., Any], str]] = []
    if any(o.function for o in here):
        module = here[0].module
        spaces = {"nn": "_nn", "linalg": "_linalg", "special": "_special", "fft": "_fft"}
        space: Any = getattr(torch._C, spaces.get(module, "_VariableFunctions"))
        function = getattr(space, base, None)
        if function is not None:
            prefix = {"nn": "nn.functional.", "linalg": "", "special": "", "fft": ""}.get(module, "torch.")
            name = base
            if module in ("linalg", "special", "fft"):
                name = f"{module}." + base.removeprefix(module + "_")
            found.append(("f", function, prefix + name))
    if any(o.method for o in here) and hasattr(torch.Tensor, base):
        found.append(("m", getattr(torch.Tensor, base), base))
    return found


def observe_python(
    functions: dict[str, dict[str, tuple[str, Any]]], methods: dict[str, str]
) -> dict[str, list[list[str]]]:
    """Group -> rows, for functions and methods written in Python."""
    groups: dict[str, list[list[str]]] = {}
    todo: list[tuple[str, Callable[..., Any], str, str]] = []
    for space, here in functions.items():
        for name, (group, function) in here.items():
            if function is not None:
                todo.append((group, function, f"{space}.{name}", "f"))
    for name, group in methods.items():
        if group.startswith("pym:"):
            todo.append((group, getattr(torch.Tensor, name), name, "m"))
    for group, function, name, variant in todo:
        params = names.python_params(function)
        if params is None:
            continue
        row = Row(group.partition(":")[2], " ".join(params), "")
        given = list(two_ways(samples.for_name(name), params))
        seen = observations(function, [row], given).get(row.key + "|" + row.signature)
        if not seen:
            continue
        groups[group] = [
            [variant, "", row.signature, behaviour, *([condition] if condition else [])]
            for behaviour, condition in behaviours(row, seen)
        ]
    return groups


def two_ways(given: list[samples.Sample], params: list[str]) -> Iterable[samples.Sample]:
    """Each sample with every value of the flags that decide."""
    flags = [p.partition(":")[0] for p in params if p.partition(":")[0] in samples.TWO_WAYS]
    for sample in given:
        yield sample
        free = [f for f in flags if not position_given(f, params, sample)]
        for values in itertools.product((True, False), repeat=len(free)) if free else ():
            yield samples.Sample(sample.args, {**sample.kwargs, **dict(zip(free, values, strict=False))})


def position_given(flag: str, params: list[str], sample: samples.Sample) -> bool:
    order = [p.partition(":")[0] for p in params if p != "*"]
    return order.index(flag) < len(sample.args)
