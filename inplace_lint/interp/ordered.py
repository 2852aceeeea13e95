"""Defines the sets and dicts that stand for those of the program: insertion-ordered, so that runs are repeatable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any


class Undecided(Exception):
    """Ends a call that would have to compare values of which it is not known whether they are equal."""


class OrderedSet(MutableSet[Any]):
    """A set in the order in which elements were added; `pop` of one of several elements raises `Undecided`."""

    def __init__(self, elements: Iterable[Any] = ()) -> None:
        self._held = dict.fromkeys(elements)

    def __contains__(self, element: object) -> bool:
        return element in self._held

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def add(self, value: Any) -> None:
        self._held[value] = None

    def discard(self, value: Any) -> None:
        self._held.pop(value, None)

    def pop(self) -> Any:
        if len(self) > 1:
            raise Undecided
        return super().pop()

    def copy(self) -> OrderedSet:
        return OrderedSet(self)

    def union(self, *others: Iterable[Any]) -> OrderedSet:
        return OrderedSet(element for one in (self, *others) for element in one)

    def intersection(self, *others: Iterable[Any]) -> OrderedSet:
        kept = [OrderedSet(other) for other in others]
        return OrderedSet(element for element in self if all(element in one for one in kept))

    def difference(self, *others: Iterable[Any]) -> OrderedSet:
        gone = OrderedSet().union(*others)
        return OrderedSet(element for element in self if element not in gone)

    def symmetric_difference(self, other: Iterable[Any]) -> OrderedSet:
        return self.difference(other).union(OrderedSet(other).difference(self))

    def issubset(self, other: Iterable[Any]) -> bool:
        return not self.difference(other)

    def issuperset(self, other: Iterable[Any]) -> bool:
        return not OrderedSet(other).difference(self)

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        return not self.intersection(other)

    def update(self, *others: Iterable[Any]) -> None:
        self._held = self.union(*others)._held

    def difference_update(self, *others: Iterable[Any]) -> None:
        self._held = self.difference(*others)._held

    def intersection_update(self, *others: Iterable[Any]) -> None:
        self._held = self.intersection(*others)._held

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        self._held = self.symmetric_difference(other)._held


class OrderedDict(dict[Any, Any]):
    """A dict with the methods of `collections.OrderedDict`."""

    def move_to_end(self, key: Any, last: bool = True) -> None:
        held = {key: self.pop(key)}
        if not last:
            held.update(self)
            self.clear()
        self.update(held)

    def popitem(self, last: bool = True) -> tuple[Any, Any]:
        key = [*self][-1 if last else 0]
        return key, self.pop(key)

    def copy(self) -> OrderedDict:
        return OrderedDict(self)

    def __or__(self, other: Any) -> OrderedDict:
        return OrderedDict({**self, **other})
