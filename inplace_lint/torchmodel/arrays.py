"""What NumPy's arrays and torch's storage objects do to their memory, by name; a test compares it with NumPy."""

from __future__ import annotations

_WRITES = frozenset("fill sort partition put itemset resize byteswap setfield fill_ copy_ resize_".split())
_LOOKS = frozenset("reshape ravel view squeeze transpose swapaxes diagonal".split())
_PARTS = frozenset("T flat real imag".split())
_FUNCTIONS_WRITE = frozenset(
    "copyto put place putmask fill_diagonal put_along_axis add.at subtract.at".split()
)
_FUNCTIONS_LOOK = frozenset(
    "asarray asanyarray ravel reshape squeeze transpose swapaxes moveaxis rollaxis expand_dims atleast_1d atleast_2d "
    "atleast_3d broadcast_to from_dlpack".split()
)
_FUNCTIONS_MAKE = frozenset(
    "array zeros ones empty full arange linspace zeros_like ones_like empty_like full_like load copy concatenate stack "
    "frombuffer fromfile memmap random.rand random.randn random.random random.normal random.uniform".split()
)


def writes(method: str) -> bool:
    """Whether a method of an array, or of a storage, changes it."""
    return method in _WRITES


def looks(method: str) -> bool:
    """Whether a method of an array gives another look at its memory."""
    return method in _LOOKS


def is_part(attribute: str) -> bool:
    """Whether an attribute of an array is another look at its memory."""
    return attribute in _PARTS


def function_writes(name: str) -> int:
    """How many of its first arguments a function of NumPy changes: 1 or 0."""
    return int(name in _FUNCTIONS_WRITE)


def function_looks(name: str) -> bool:
    """Whether a function of NumPy gives another look at the memory of its first argument."""
    return name in _FUNCTIONS_LOOK


def function_makes(name: str) -> bool:
    """Whether a function of NumPy certainly returns a new array."""
    return name in _FUNCTIONS_MAKE
