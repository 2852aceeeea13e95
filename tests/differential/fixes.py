"""Fixes applied to random programs: what torch and the analysis say of a program before and after."""

from __future__ import annotations

import contextlib
import itertools
import sys
import warnings
from typing import Any

import torch

from inplace_lint.engine import pipeline
from inplace_lint.fixes.apply import fix_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings

from .generator import Program, generate
from .oracle import FILENAME, Discard, Truth, judge

#: What the fixes that change values say of themselves.
ALIAS = "no longer"
Values = list[torch.Tensor]


class Repair:
    """One program before and after its fixes."""

    def __init__(self, program: Program, unsafe: bool) -> None:
        self.before = program
        self.unsafe = unsafe
        self.faults: list[str] = []
        self.plans: list[str] = []
        self.found = errors(lint(program.source.encode()))
        done = fix_source(program.source.encode(), self._noted, lint, unsafe)
        self.fixed = sum(done.counts.values())
        self.refused = list(done.refused.values())
        self.after = Program(done.source.decode(), program.form, program.entry, program.flags)
        if self.fixed:
            self._check()

    def _noted(self, source: bytes, found: list[Diagnostic]) -> list[Diagnostic]:
        found = errors(found)
        self.plans += [
            one.plan.told()
            for one in found
            if one.plan is not None and (self.unsafe or one.plan.applicability == "safe")
        ]
        return found

    def _check(self) -> None:
        source = self.after.source.encode()
        compile(source, FILENAME, "exec", dont_inherit=True)
        again = fix_source(source, lambda _, found: errors(found), lint, self.unsafe)
        if again.source != source:
            self.faults.append("a second run changes more")
        left = errors(lint(source))
        if len(left) > len(self.found) - self.fixed:
            self.faults.append(f"{len(self.found)} findings, {self.fixed} fixed, {len(left)} left")
        for outcome in itertools.product((False, True), repeat=self.before.flags):
            before, after = values(self.before, outcome), values(self.after, outcome)
            if before is None:
                continue  # it raised at once
            if after is None or not same(before, after):
                self.faults.append("changes values")
                break
        self._judge(left)

    def _judge(self, left: list[Diagnostic]) -> None:
        """No write that was fixed makes torch raise any more."""
        try:
            old, new = judge(self.before), judge(self.after)
        except Discard:
            return
        rows = {one.location.row for one in left}
        found = {one.location.row for one in self.found}
        missed = [stack for stack in stacks(old) if not found & set(stack)]
        remaining = [stack for stack in stacks(new) if not rows & set(stack)]
        if len(remaining) > len(missed):
            self.faults.append(f"torch still raises at {remaining}")

    def expected(self, fault: str) -> bool:
        """Whether the fixes said that they might do this."""
        return fault == "changes values" and any(ALIAS in plan for plan in self.plans)


def lint(source: bytes) -> list[Diagnostic]:
    return pipeline.everything(FILENAME, source, Settings())


def errors(found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings but for remarks that raise nothing."""
    return [one for one in found if one.severity != "note" or one.confidence == "possible"]


def stacks(truth: Truth) -> list[tuple[int, ...]]:
    return [*truth.hazards, *truth.immediate]


def values(program: Program, outcome: tuple[bool, ...]) -> Values | None:
    """What every backward of a run is asked to start from; no backward is run. None where the program raises."""
    roots: Values = []

    def record(tensors: Any, *args: Any, **kwargs: Any) -> None:
        roots.extend(tensor.detach().clone() for tensor in tensors)

    engine, arguments = torch.autograd._engine_run_backward, sys.argv
    torch.autograd._engine_run_backward = record
    torch.manual_seed(0)
    namespace: dict[str, Any] = {"__name__": "program"}
    sys.argv = ["program", *(f"flag{index}" for index, on in enumerate(outcome) if on)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(program.source, FILENAME, "exec", dont_inherit=True), namespace)
            if program.entry:
                namespace[program.entry](*outcome)
    except Exception:
        return None
    finally:
        torch.autograd._engine_run_backward, sys.argv = engine, arguments
        torch.set_grad_enabled(True)
    return roots


def same(one: Values, other: Values) -> bool:
    return len(one) == len(other) and all(
        torch.allclose(a.double(), b.double(), equal_nan=True) for a, b in zip(one, other)
    )


class Sum:
    """What many repairs came to."""

    def __init__(self) -> None:
        self.programs = self.findings = self.fixed = self.expected = 0
        self.faults: list[tuple[str, Repair]] = []
        self.refused: dict[str, int] = {}

    def add(self, repair: Repair) -> None:
        self.programs += bool(repair.found)
        self.findings += len(repair.found)
        self.fixed += repair.fixed
        for reason in repair.refused:
            short = reason.partition(":")[0]
            self.refused[short] = self.refused.get(short, 0) + 1
        for fault in repair.faults:
            if repair.expected(fault):
                self.expected += 1
            else:
                self.faults.append((fault, repair))

    def __str__(self) -> str:
        return (
            f"{self.programs} programs with {self.findings} findings: {self.fixed} fixed, "
            f"{len(self.faults)} faults; {self.expected} programs change values as their fixes said; "
            f"refused on trial: {self.refused}"
        )


def repair_many(programs: int, seed: int, unsafe: bool) -> Sum:
    """Repairs the first so many programs of a seed."""
    total = Sum()
    for index in range(programs):
        with contextlib.suppress(Discard):
            total.add(Repair(generate((seed, index, 0)), unsafe))
    return total
