"""Computes the method resolution order of a class: its C3 linearisation, as Python does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import TypeVar

    Class = TypeVar("Class", bound=Hashable)


#: Decorators that generate an `__init__` from the fields of a class.
RECORDS = frozenset(("attr.dataclass", "attr.s", "attrs.define", "attrs.frozen", "dataclasses.dataclass"))


def linearised(
    cls: Class, bases: Callable[[Class], Sequence[Class]], known: dict[Class, list[Class]] | None = None
) -> list[Class]:
    """The MRO of a class; `bases` gives the direct bases of a class, `known` caches the results.

    Python refuses a class whose bases contradict each other or repeat, with a TypeError; a class whose name was bound
    again may derive from itself. For these, the order is depth first: each class before its bases.
    """
    orders = {} if known is None else known
    found: list[Class] = []
    #: classes being visited: a base among them closes a cycle
    begun: dict[Class, list[Class]] = {}
    circular = False
    pending = [cls]
    while pending:
        at = pending[-1]
        if at in orders:
            pending.pop()
        elif at not in begun:
            begun[at] = []
            direct = bases(at)
            begun[at] = [base for base in direct if base in orders or base not in begun]
            found.append(at)
            circular = circular or len(begun[at]) < len(direct)
            pending += [base for base in begun[at] if base not in orders]
        else:
            pending.pop()
            orders[at] = _order(at, begun[at], orders)
    order = orders[cls]
    if circular:  # in a cycle, the order depends on the class it starts from
        for one in found:
            orders.pop(one, None)
    return order


def _order(cls: Class, direct: list[Class], orders: dict[Class, list[Class]]) -> list[Class]:
    if len(direct) == 1:
        return [cls, *orders[direct[0]]]
    above = [orders[base] for base in direct]
    merged = _merged([*above, direct])
    if merged is None:
        merged = [*dict.fromkeys(one for order in above for one in order)]
    return [cls, *merged]


def _merged(lists: list[list[Class]]) -> list[Class] | None:
    """Merges the lists so that each order is kept; None where they contradict each other."""
    found: list[Class] = []
    #: number of lists in which other classes still precede a class
    waiting: dict[Class, int] = {}
    for one in lists:
        for cls in one[1:]:
            waiting[cls] = waiting.get(cls, 0) + 1
    left = [one[::-1] for one in lists if one]
    while left:
        for one in left:
            head = one[-1]
            if not waiting.get(head):
                break
        else:
            return None
        found.append(head)
        for one in left:
            if one[-1] == head:
                one.pop()
                if one:
                    waiting[one[-1]] -= 1
        left = [one for one in left if one]
    return found
