"""Finds what autograd nodes save without reading its values: `gather` keeps its input for the shape alone.

A write that moves no version counter does no harm to such a save. Each sample call of PyTorch's own runs twice: once as
it is, and once with other numbers put into the saved tensor behind autograd's back. The gradients tell.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo

from scripts.optable.observe import Trial, can_need_grad, find_saves, tensors_in
from scripts.optable.samples import generate

#: Samples of an op that are tried.
_SAMPLES = 300
#: Left out: what these read depends on the numbers, as whether a matrix can be inverted, or on the mode.
_LEFT_OUT = ("Linalg", "Cholesky", "Ormqr", "Lu", "Triangular", "RreluWithNoise")


def unread() -> dict[str, str]:
    """By autograd node: the attributes it saves and does not read, separated by spaces."""
    answers: dict[tuple[str, str], set[bool]] = defaultdict(set)
    for info in op_db:
        if info.supports_autograd:
            for node, attribute, read in _apart(info):
                answers[node, attribute].add(read)
    found: dict[str, list[str]] = defaultdict(list)
    for (node, attribute), read in sorted(answers.items()):
        left_out = node.startswith(_LEFT_OUT) or attribute.startswith("running_")
        if read == {False} and not left_out:
            found[node].append(attribute)
    return {node: " ".join(attributes) for node, attributes in found.items()}


def _apart(info: OpInfo) -> list[tuple[str, str, bool]]:
    """`_observed` in a process of its own: a kernel may crash over the numbers."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as file:
            json.dump([*_observed(info)], file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    os.waitpid(child, 0)
    return [(node, attribute, read) for node, attribute, read in json.loads(text)] if text else []


def _observed(info: OpInfo) -> Iterator[tuple[str, str, bool]]:
    """For each tensor that a sample call saves: node, attribute, and whether the gradients depend on its values."""
    for _, sample in zip(range(_SAMPLES), generate(info, torch.float64), strict=False):
        bound: dict[str, Any] = {f"{i}": value for i, value in enumerate(sample.args)}
        bound.update(sample.kwargs)
        count = len(sample.args)

        def call(given: dict[str, Any], count: int = count) -> Any:
            args = [given[str(i)] for i in range(count)]
            return info.op(*args, **{name: value for name, value in given.items() if not name.isdecimal()})

        each = [name for name, value in bound.items() if any(can_need_grad(t) for t in tensors_in(value))]
        for needing in {frozenset(each), *(frozenset([name]) for name in each)}:
            with suppress(Exception):  # a call that does not run tells nothing
                yield from _of_call(bound, needing, call)


def _of_call(bound: dict[str, Any], needing: frozenset[str], call: Any) -> Iterator[tuple[str, str, bool]]:
    trial = Trial(bound, needing)
    trial.run(call)
    saves, _ = find_saves(trial)  # moves version counters: this trial cannot go backward
    expected = _gradients(bound, needing, call)
    if not any(gradient is not None and gradient.count_nonzero() for gradient in expected):
        return
    for target, (node, attribute) in saves.items():
        if not all(map(can_need_grad, _held(trial, target))):
            continue  # an index or a mask is read
        read = False
        for number in (float("nan"), 1.5):
            other = _gradients(bound, needing, call, target, number)
            read = read or not all(map(_same, expected, other))
        yield node, attribute, read


def _gradients(
    bound: dict[str, Any], needing: frozenset[str], call: Any, target: str = "", number: float = 0.0
) -> list[torch.Tensor | None]:
    """The gradients of the arguments; `number` is put into the saved tensor before backward."""
    trial = Trial(bound, needing)
    trial.run(call)
    results = [one for one in tensors_in(trial.result) if one.requires_grad]
    torch.manual_seed(1)
    weights = [torch.randn_like(one) for one in results]
    if target:
        for tensor in _held(trial, target):
            tensor.data.fill_(number)
    wanted = [one for name in needing for one in trial.own[name] if one.requires_grad]
    return [*torch.autograd.grad(results, wanted, weights, allow_unused=True)]


def _held(trial: Trial, target: str) -> list[torch.Tensor]:
    """The tensors behind the name of an argument, or behind the number of a result (`r0`)."""
    return trial.own.get(target) or [trial.outputs()[int(target[1:])]]


def _same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return torch.equal(one, other) and not bool(other.isnan().any())
