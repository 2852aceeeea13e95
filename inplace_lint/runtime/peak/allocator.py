"""Models PyTorch's CUDA caching allocator, to predict how much memory a process keeps reserved.

The sizes are those of c10/cuda/CUDACachingAllocator (kMinBlockSize, kSmallSize, kSmallBuffer, kLargeBuffer,
kMinLargeAlloc, kRoundLarge) with its default settings.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field

from .ledger import Allocation

BLOCK = 512
SMALL = 1 << 20
SMALL_SEGMENT = 2 << 20
LARGE_SEGMENT = 20 << 20
OWN_SEGMENT = 10 << 20
ROUND_LARGE = 2 << 20


def rounded(size: int) -> int:
    """Returns the bytes that `max_memory_allocated` counts for a tensor of `size` bytes: a multiple of 512."""
    return -(-size // BLOCK) * BLOCK


def reserved(allocations: Sequence[Allocation]) -> int:
    """Simulates these (rounded) allocations and releases; returns the bytes of all segments that they reserve."""
    moments = [(one.made, 1, number) for number, one in enumerate(allocations)]
    moments += [(one.freed, 0, number) for number, one in enumerate(allocations) if one.freed is not None]
    pools = {True: _Pool(), False: _Pool()}
    held: dict[int, _Block] = {}
    total = 0
    for _, made, number in sorted(moments):
        size = allocations[number].size
        if not size:
            continue
        pool = pools[size <= SMALL]
        if not made:
            pool.release(held.pop(number))
            continue
        block = pool.take(size)
        if block is None:
            segment = _segment(size)
            total += segment
            block = _Block(segment)
        held[number] = pool.split(block, size)
    return total


def _segment(size: int) -> int:
    if size <= SMALL:
        return SMALL_SEGMENT
    if size < OWN_SEGMENT:
        return LARGE_SEGMENT
    return -(-size // ROUND_LARGE) * ROUND_LARGE


@dataclass(slots=True, eq=False)
class _Block:
    """A part of a segment, linked to its neighbours."""

    size: int
    free: bool = False
    before: _Block | None = None
    after: _Block | None = None


@dataclass(slots=True)
class _Pool:
    """The free blocks for small or for large allocations, sorted by size."""

    free: list[_Block] = field(default_factory=list)

    def take(self, size: int) -> _Block | None:
        """Removes and returns the smallest free block of at least this size; None if there is none."""
        place = bisect.bisect_left(self.free, size, key=lambda block: block.size)
        if place == len(self.free):
            return None
        block = self.free.pop(place)
        block.free = False
        return block

    def split(self, block: _Block, size: int) -> _Block:
        """Splits the rest behind `size` off as a free block, under the allocator's conditions."""
        rest = block.size - size
        if rest >= BLOCK if block.size <= SMALL_SEGMENT and size <= SMALL else rest > SMALL:
            remaining = _Block(rest, before=block, after=block.after)
            if block.after is not None:
                block.after.before = remaining
            block.after, block.size = remaining, size
            self._keep(remaining)
        return block

    def release(self, block: _Block) -> None:
        """Frees a block, merged with its free neighbours."""
        for neighbour in (block.before, block.after):
            if neighbour is None or not neighbour.free:
                continue
            self.free.remove(neighbour)
            block.size += neighbour.size
            if neighbour is block.before:
                block.before = neighbour.before
                if block.before is not None:
                    block.before.after = block
            else:
                block.after = neighbour.after
                if block.after is not None:
                    block.after.before = block
        self._keep(block)

    def _keep(self, block: _Block) -> None:
        block.free = True
        bisect.insort(self.free, block, key=lambda one: one.size)
