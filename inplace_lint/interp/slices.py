"""Defines the abstract value of a slice `a:b`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence


class Slice(Value):
    """A slice; `parts` are its start, stop and step."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Value]) -> None:
        self.parts = parts
