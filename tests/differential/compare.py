"""Sets the findings of the static analysis against the truth of a program, by the line of the write."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .generator import Program
from .oracle import FILENAME, Discard, Stack, Truth, Write, judge

if TYPE_CHECKING:
    from inplace_lint.model import Diagnostic

CODES = frozenset(f"IPL10{digit}" for digit in range(1, 9))
#: What changes parameters at once: what these lines spoil is IPL106.
STEPS = re.compile(r"\.step\(\)|\.load_state_dict\(")
#: What PyTorch's messages do not tell apart: views of unbinding and views made under no_grad.
ALIKE = {"IPL104": "IPL108", "IPL108": "IPL104"}


class Finding(NamedTuple):
    """The part of a diagnostic that is compared."""

    row: int
    code: str
    confidence: str
    labels: tuple[int, ...]
    message: str


class Comparison:
    """One program's verdicts: findings that are true or false, truths that were missed, codes that differ."""

    def __init__(self, program: Program, truth: Truth, findings: list[Finding]) -> None:
        self.program = program
        self.truth = truth
        self.true: list[Finding] = []
        self.false: list[Finding] = []
        self.possible: list[tuple[Finding, bool]] = []  # weaker findings, and whether they are true
        self.missed: list[Stack] = []
        self.found: list[Stack] = []
        self.codes: list[tuple[Finding, str]] = []  # finding, the code expected of it
        self.crashes = [finding for finding in findings if finding.code in ("IPL000", "IPL002")]
        self._match([finding for finding in findings if finding.code in CODES])

    @property
    def disagrees(self) -> bool:
        return bool(self.false or self.missed or self.crashes)

    def _match(self, findings: list[Finding]) -> None:
        stacks = [*self.truth.hazards, *self.truth.immediate]
        allowed = {line for stack in (*self.truth.escapes, *self.truth.behind) for line in stack}
        covered: set[Stack] = set()
        for finding in findings:
            mine = [stack for stack in stacks if self._about(finding, stack)]
            known = bool(mine) or any(finding.row in stack for stack in stacks)
            if finding.confidence == "possible":
                self.possible.append((finding, known or finding.row in allowed))
                continue
            covered.update(mine)
            if known:
                self.true.append(finding)
                expected = self.expected(mine, finding.row)
                if mine and finding.code not in expected:
                    self.codes.append((finding, "/".join(sorted(expected))))
            elif finding.row not in allowed and not (self.truth.immediate or self.truth.behind):
                # After an error in forward nothing is known of what the rest would have done.
                self.false.append(finding)
        self.found = [stack for stack in stacks if stack in covered]
        self.missed = [stack for stack in stacks if stack not in covered]

    def _about(self, finding: Finding, stack: Stack) -> bool:
        """Whether a finding speaks of the write with this stack, and not of another under the same call."""
        if stack in self.truth.indirect and finding.code in ALIKE:
            return True  # PyTorch raises at the use, the finding stands at the write
        if finding.row not in stack:
            return False
        return finding.row == stack[0] or not finding.labels or bool(set(finding.labels) & set(stack[:-1]))

    def expected(self, stacks: list[Stack], row: int) -> set[str]:
        """The codes that fit a finding at `row` about the writes with these stacks.

        What another caller of a public function would see fits as well: one finding speaks to all of them.
        """
        codes: set[str] = set()
        lines = self.program.source.splitlines()
        kinds: set[str] = set()
        for stack in stacks:
            if stack in self.truth.hazards and STEPS.search(lines[stack[0] - 1]):
                codes.add("IPL106")
            elif stack in self.truth.hazards:
                kinds |= _kinds(self.truth.hazards[stack], row)
            if stack in self.truth.immediate:
                code = self.truth.immediate[stack]
                codes |= {code, ALIKE.get(code, code)}
        codes |= _codes_for(kinds)
        for stack, write in self.truth.escapes.items():
            if row in stack:
                codes |= _codes_for(_kinds(write, row))
        return codes

    def __str__(self) -> str:
        numbered = [f"{row:4d}  {line}" for row, line in enumerate(self.program.source.splitlines(), 1)]
        lines = [*numbered, "truth:", *("  " + line for line in repr(self.truth).splitlines())]
        lines += [f"false {f.confidence} {f.code} at {f.row}: {f.message}" for f in self.false]
        lines += [f"missed {stack}" for stack in self.missed]
        lines += [f"crash {f.code}: {f.message}" for f in self.crashes]
        lines += [f"at {f.row} {f.code}, expected {code}" for f, code in self.codes]
        return "\n".join(lines)


def _kinds(write: Write, row: int) -> set[str]:
    return write.kinds_seen_from(row) or write.kinds


def _codes_for(kinds: set[str]) -> set[str]:
    """The codes that fit saves of these kinds: a result goes before an input."""
    if "either" in kinds:
        return {"IPL101", "IPL102"}
    return {"IPL101"} if "result" in kinds else {"IPL102"} if kinds else set()


def static_findings(source: str) -> list[Finding]:
    """What the static analysis reports of a source text."""
    from inplace_lint.checks import check_source
    from inplace_lint.project import Project, Settings

    def strong(diagnostic: Diagnostic) -> bool:
        return diagnostic.severity == "error" or diagnostic.confidence == "possible"

    return [
        Finding(
            diagnostic.location.row,
            diagnostic.code,
            diagnostic.confidence,
            tuple(label.location.row for label in diagnostic.labels if label.role in ("write", "call")),
            diagnostic.message,
        )
        for diagnostic in check_source(FILENAME, source.encode(), Settings(), Project())
        if strong(diagnostic)
    ]


def compare(program: Program) -> Comparison:
    """Runs oracle and analysis over one program; raises Discard where torch has no clear truth."""
    return Comparison(program, judge(program), static_findings(program.source))


class Tally:
    """Counts over many programs, with the comparisons that disagree."""

    def __init__(self) -> None:
        self.programs = 0
        self.hazardous = 0
        self.true = 0
        self.false = 0
        self.found = 0
        self.missed = 0
        self.codes = 0
        self.possible_true = 0
        self.possible_false = 0
        self.discarded: dict[str, int] = {}
        self.disagreements: list[Comparison] = []
        self.uses: dict[str, int] = {}

    def discard(self, reason: str) -> None:
        self.discarded[reason] = self.discarded.get(reason, 0) + 1

    def add(self, comparison: Comparison) -> None:
        self.programs += 1
        self.hazardous += comparison.truth.hazardous
        self.true += len(comparison.true)
        self.false += len(comparison.false)
        self.found += len(comparison.found)
        self.missed += len(comparison.missed)
        self.codes += len(comparison.codes)
        self.possible_true += sum(known for _, known in comparison.possible)
        self.possible_false += sum(not known for _, known in comparison.possible)
        for template, count in comparison.program.uses.items():
            self.uses[template] = self.uses.get(template, 0) + count
        if comparison.disagrees or comparison.codes:
            self.disagreements.append(comparison)

    def merge(self, other: Tally) -> None:
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(value, int):
                setattr(self, name, mine + value)
            elif isinstance(value, list):
                mine.extend(value)
            else:
                for key, count in value.items():
                    mine[key] = mine.get(key, 0) + count

    @property
    def precision(self) -> float:
        return self.true / max(1, self.true + self.false)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.found + self.missed)

    def __str__(self) -> str:
        dropped = sum(self.discarded.values())
        clashes = sum(count for reason, count in self.discarded.items() if reason.startswith("disagreement"))
        return "\n".join(
            (
                f"{self.programs} programs, {self.hazardous / max(1, self.programs):.1%} of them hazardous; "
                f"{dropped} more discarded, {clashes} because the native and the traced run disagree",
                f"precision {self.precision:.4f} ({self.true} true, {self.false} false findings)",
                f"recall    {self.recall:.4f} ({self.found} of {self.found + self.missed} writes found)",
                f"{self.codes} findings with another code than expected; of confidence `possible` "
                f"{self.possible_true} true, {self.possible_false} false",
            )
        )


def sample(seed: int, index: int, tally: Tally, deep: bool = False) -> None:
    """Compares the program with this index: the first of its draws that torch accepts.

    `deep` programs are classes that call each other and are trained; the others are one function and its helpers.
    """
    from . import depth, generator

    generate = depth.generate if deep else generator.generate
    for draw in range(20):
        program = generate((seed, index, draw))
        try:
            comparison = compare(program)
        except Discard as reason:
            tally.discard(str(reason).splitlines()[0])
        else:
            tally.add(comparison)
            return
