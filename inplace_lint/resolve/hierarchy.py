"""In which order attributes are looked up along the bases of a class: its C3 linearisation, as Python computes it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import TypeVar

    Class = TypeVar("Class", bound=Hashable)


def linearised(cls: Class, bases: Callable[[Class], Sequence[Class]]) -> list[Class]:
    """The class and all that it derives from, in the order of its look-ups; `bases` gives the direct ones of a class.

    Of classes that Python would refuse with a TypeError (their bases contradict each other, or stand twice), and of one
    that derives from itself because its name was bound again, it is each class before those that it names, depth first.
    """
    orders: dict[Class, list[Class]] = {}
    #: classes whose bases are being looked at: who is among them derives from itself
    begun: dict[Class, list[Class]] = {}
    pending = [cls]
    while pending:
        at = pending[-1]
        if at in orders:
            pending.pop()
        elif at not in begun:
            begun[at] = []
            begun[at] = [base for base in bases(at) if base in orders or base not in begun]
            pending += [base for base in begun[at] if base not in orders]
        else:
            pending.pop()
            orders[at] = _order(at, begun[at], orders)
    return orders[cls]


def _order(cls: Class, direct: list[Class], orders: dict[Class, list[Class]]) -> list[Class]:
    if len(direct) == 1:
        return [cls, *orders[direct[0]]]
    above = [orders[base] for base in direct]
    merged = _merged([*above, direct])
    if merged is None:
        merged = [*dict.fromkeys(one for order in above for one in order)]
    return [cls, *merged]


def _merged(lists: list[list[Class]]) -> list[Class] | None:
    """Each class once, before all that come after it in any of the lists; None where these contradict each other."""
    found: list[Class] = []
    left = [one for one in lists if one]
    while left:
        for one in left:
            head = one[0]
            if not any(head in other[1:] for other in left):
                break
        else:
            return None
        found.append(head)
        left = [rest for one in left if (rest := one[1:] if one[0] == head else one)]
    return found
