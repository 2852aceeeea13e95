"""Bounds the work of one run: how many instructions it executes, how deep calls nest, and which calls it enters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    from ..syntax.module import FunctionSource

#: Instructions after which calls are no longer entered, and after which the run ends where it is.
SOFT_LIMIT = 2_000
#: ... and after which only such calls are entered in which something may be written; these do not count as the others.
ASIDE_LIMIT = 1_000
HARD_LIMIT = 12_000
#: How far a run goes that trains: what no longer fits may be the very forward whose gradients are asked for.
TRAINING = 16_000
#: ... and after which it ends where it is
TRAINING_ENDS = 24_000
#: ... and how much of what it sets up before its first backward does not count: layers that are built and initialised.
SET_UP = 12_000
#: ... and how often a write may meet what was saved: each of n writes meets the saves of n rounds before it.
MOST_FACTS = 50_000
#: How deep calls are entered.
DEPTH = 8

#: Why a run ended before its end, as IPL003 says it.
FACTS = f"its analysis ended where more than {MOST_FACTS:,} writes had met what was saved before"
STEPS = "its analysis ended after {:,} steps, and what comes after them was not looked at"
NESTED = "it is nested too deeply, or calls go too deep, for it to be analysed to its end"


class _Everything(frozenset["FunctionSource"]):
    """Every function: all calls are entered."""

    def __contains__(self, item: object) -> bool:
        return True


EVERYTHING = _Everything()


class OutOfBudget(Exception):
    """The run has grown past its limit, and why; what was found so far stands."""


class Budget:
    """The instructions that a run has taken, and what it may still do."""

    def __init__(self, soft_limit: int) -> None:
        self.steps = 0
        self.soft_limit = soft_limit or SOFT_LIMIT
        #: ... after which it ends where it is
        self.end = TRAINING_ENDS + SET_UP if soft_limit == TRAINING else HARD_LIMIT
        #: instructions before the first backward, where one is known to come; None once it was there
        self._set_up: int | None = SET_UP if soft_limit == TRAINING else None
        #: instructions that came before the first backward, and do not count
        self._before = 0
        #: calls are entered in which nothing is known to write: in a file that trains, where all comes together
        self.looks_aside = False
        #: instructions in calls that were entered although nothing in them is known to write, and where the one at hand
        #: began
        self._aside = 0
        self._aside_since: int | None = None

    def is_spent(self) -> bool:
        """Whether no more calls are entered."""
        return self.steps - self._looked_aside() > self.soft_limit + self._before + (self._set_up or 0)

    def begin_training(self) -> None:
        """The first backward: from here on all counts."""
        if self._set_up is not None:
            self._before = min(self.steps - self._looked_aside(), self._set_up)
            self.end = TRAINING_ENDS + self._before
            self._set_up = None

    def may_enter(self, source: FunctionSource, needed: bool, entered: Container[FunctionSource]) -> bool:
        """Whether a call is entered; `needed`: something in it may write.

        What was entered once is again: what an object keeps in one round of a loop, it has to keep in the next.
        """
        if needed and self._aside_since is None:
            return True
        aside = self._looked_aside()
        return self.looks_aside and (aside <= ASIDE_LIMIT or (aside <= self.soft_limit and source in entered))

    def _looked_aside(self) -> int:
        return self._aside + (0 if self._aside_since is None else self.steps - self._aside_since)

    def turn_aside(self, needed: bool) -> bool:
        """Begin a call; where nothing in it is known to write, its instructions count apart: True for the outermost."""
        if needed or self._aside_since is not None:
            return False
        self._aside_since = self.steps
        return True

    def turn_back(self, aside: bool) -> None:
        """End a call."""
        if aside:
            self._aside, self._aside_since = self._looked_aside(), None


#: Functions of at most this many instructions are entered always: it costs less than to find out whether it matters.
_SMALL = 12


def is_small(source: FunctionSource) -> bool:
    last, first = source.node.end_lineno or 0, source.node.lineno
    return last - first <= 4 and len(source.body) <= _SMALL
