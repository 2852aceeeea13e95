"""Bounds the work of one run: how many instructions it executes, how deep calls nest, and which calls it enters."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from ..syntax.module import FunctionSource

#: Limits in instructions. After this many, a run enters no more calls.
SOFT_LIMIT = 2_000
#: After this many in calls not known to write, only calls that may write are entered. They count apart from the rest.
ASIDE_LIMIT = 1_000
#: The same for a run that trains. To enter them later takes another run of all that this one has done.
TRAINING_ASIDE = 8_000
#: After this many, a run ends where it stands.
HARD_LIMIT = 12_000
#: The soft limit of a run that trains: it should reach the forward whose gradients are taken.
TRAINING = 16_000
#: The hard limit of a run that trains.
TRAINING_ENDS = 24_000
#: How many instructions are free in a run that trains: those before the first backward, which initialise layers, and
#: those that build objects and apply decorators. In any other run, how many of the latter are.
SET_UP = 12_000
BUILDING = 3_000
#: After so many instructions in all runs of a file, its other functions are run once each, within the limits of code
#: that does not train. A test suite may train in each of a hundred tests.
FILE_LIMIT = 200_000
#: The number of hazards after which a run ends: in a loop of n rounds, n writes meet the saves of n rounds each.
MOST_FACTS = 50_000
#: How many calls deep calls are entered.
DEPTH = 8

#: Why a run ended early, in the words of rule IPL003.
FACTS = f"its analysis ended where more than {MOST_FACTS:,} writes had met what was saved before"
STEPS = "its analysis ended after {:,} steps, and what comes after them was not looked at"
NOT_REPEATED = "it calls `{}`, which was not followed: the functions of this file have used up its steps"
NESTED = "it is nested too deeply, or calls go too deep, for it to be analysed to its end"


class _Everything(frozenset["FunctionSource"]):
    """A set that contains every function, so that all calls are entered."""

    def __contains__(self, item: object) -> bool:
        return True


EVERYTHING = _Everything()


class OutOfBudget(Exception):
    """Ends a run that has exceeded a limit; the message says which. What was found so far stays valid."""


class Budget:
    """Counts the instructions of one run, and decides which calls it may still enter."""

    def __init__(self, soft_limit: int) -> None:
        self.steps = 0
        self.soft_limit = soft_limit or SOFT_LIMIT
        #: whether the run is of training
        self.trains = soft_limit == TRAINING
        #: the number of instructions after which the run ends where it stands
        self.end = TRAINING_ENDS + SET_UP if soft_limit == TRAINING else HARD_LIMIT
        #: free instructions before the first backward, if one is known to come; None once it has run
        self._set_up: int | None = SET_UP if soft_limit == TRAINING else None
        #: instructions that ran before the first backward, or built objects and functions, and are not counted
        self._before = 0
        #: the instruction at which an object or function began to be built that is not finished yet
        self._building_since: int | None = None
        #: whether calls not known to write are entered as well: in runs that train, and in files that run a backward
        self.looks_aside = False
        #: instructions spent in calls not known to write, and the instruction at which the current one began
        self._aside = 0
        self._aside_since: int | None = None

    def is_spent(self) -> bool:
        """Whether no more calls are entered."""
        free = self._before + self._spent_on_building() + (self._set_up or 0)
        return self.steps - self._looked_aside() > self.soft_limit + free

    def is_cut_short(self) -> bool:
        """Whether the run left out calls, or ended, because its instructions were used up."""
        return self.is_spent() or self.steps > self.end

    def begin_training(self) -> None:
        """Notes the first backward: from here on every instruction counts."""
        if self._set_up is not None:
            self._before = min(self.steps - self._looked_aside(), self._set_up)
            self.end = TRAINING_ENDS + self._before
            self._set_up = None

    @contextmanager
    def building(self) -> Iterator[None]:
        """Around what builds an object, or the function that decorators make: what is left of the free ones pays."""
        if self._set_up is not None or self._building_since is not None:
            yield  # they are free anyway, or those of what is being built around this
            return
        self._building_since = self.steps
        yield
        free = self._spent_on_building()
        self._before += free
        self.end += free
        self._building_since = None

    def _spent_on_building(self) -> int:
        """The free instructions that went into what is being built."""
        if self._building_since is None:
            return 0
        free = SET_UP if self.trains else BUILDING
        return min(self.steps - self._building_since, max(0, free - self._before))

    def may_enter(self, source: FunctionSource, needed: bool, entered: Container[FunctionSource]) -> bool:
        """Whether a call of `source` is entered; `needed`: something in it may write.

        A function that was entered before is entered again, so that its effects are the same in each round of a loop.
        """
        if needed and self._aside_since is None:
            return True
        aside = self._looked_aside()
        limit = self.soft_limit if source in entered else TRAINING_ASIDE if self.trains else ASIDE_LIMIT
        return self.looks_aside and aside <= limit

    def _looked_aside(self) -> int:
        return self._aside + (0 if self._aside_since is None else self.steps - self._aside_since)

    def turn_aside(self, needed: bool) -> bool:
        """Begins a call. If it is not `needed`, counts its instructions apart; True for the outermost such call."""
        if needed or self._aside_since is not None:
            return False
        self._aside_since = self.steps
        return True

    def turn_back(self, aside: bool) -> None:
        """Ends a call; `aside` is the answer of its `turn_aside`."""
        if aside:
            self._aside, self._aside_since = self._looked_aside(), None


#: Functions of at most this many instructions are always entered: that is cheaper than deciding whether to.
_SMALL = 12


def is_small(source: FunctionSource) -> bool:
    last, first = source.node.end_lineno or 0, source.node.lineno
    return last - first <= 4 and len(source.body) <= _SMALL
