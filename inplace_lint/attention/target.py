"""Describes what a finding is made for: the oldest PyTorch to support, and the tensor sizes that messages quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: The PyTorch version that introduced each feature (release notes; absent from the docs of the version before).
SINCE = {
    "scaled_dot_product_attention": (2, 0),
    "scale": (2, 1),
    "causal_lower_right": (2, 3),
    "enable_gqa": (2, 5),
    "flex_attention": (2, 5),
}
SIZES = {"batch": 8, "heads": 16, "length": 8192}


class Target:
    """`oldest` is called on first need and returns the oldest PyTorch to support; None means the newest known."""

    __slots__ = ("_oldest", "sizes")

    def __init__(
        self,
        oldest: Callable[[], tuple[int, int] | None] = lambda: None,
        sizes: dict[str, int] | None = None,
    ) -> None:
        self._oldest = oldest
        self.sizes = SIZES if sizes is None else sizes

    def lacks(self, feature: str) -> str | None:
        """Why a feature cannot be used with the oldest supported PyTorch; None if it can."""
        oldest, since = self._oldest(), SINCE[feature]
        if oldest is None or oldest >= since:
            return None
        return f"`{feature}` needs torch {since[0]}.{since[1]}, and the project is for torch {oldest[0]}.{oldest[1]}"
