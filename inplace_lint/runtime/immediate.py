"""Maps an error message of PyTorch about in-place writes to the rules (IPL1xx) that speak of it."""

from __future__ import annotations

import re
import traceback
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model import Diagnostic

#: Parts of PyTorch's messages, and the rules that they may belong to; IPL104 and IPL108 share a message.
_WORDS = (
    ("a leaf Variable that requires grad", ("IPL103",)),
    ("This view is the output of a function that returns multiple views", ("IPL104", "IPL108")),
    ("more than one element of the written-to tensor", ("IPL105",)),
    ("arguments don't support automatic differentiation", ("IPL107",)),
    ("no_grad mode", ("IPL108", "IPL104")),
    ("inference mode", ("IPL108",)),
    ("created inside a custom Function", ("IPL108",)),
    ("is a view and its base or another view of its base has been modified inplace", ("IPL104",)),
)
_STALE = re.compile(r"modified by an inplace operation|modified in-?place")


def codes(error: BaseException) -> tuple[str, ...]:
    """Returns the rules that a PyTorch error belongs to; empty for errors about anything else."""
    text = str(error)
    for words, found in _WORDS:
        if words in text:
            return found
    if isinstance(error, RuntimeError) and _STALE.search(text):
        return ("IPL101", "IPL102", "IPL106")
    return ()


def is_stale(error: BaseException) -> bool:
    """Whether it is the version check's error: a backward found a saved tensor changed in place."""
    if not isinstance(error, RuntimeError):
        return False
    text = str(error)
    # For a saved output of a multi-view op such as `split`, backward raises in the words of IPL104.
    return "modified by an inplace operation" in text or (
        "has been modified inplace" in text
        and any(frame.f_code.co_name == "_engine_run_backward" for frame, _ in _frames(error))
    )


def rows(error: BaseException) -> list[tuple[str, int]]:
    """Returns the file and the line of each frame in the error's traceback, innermost first."""
    from .stacks import absolute

    frames = traceback.extract_tb(error.__traceback__)
    return [(absolute(frame.filename), frame.lineno or 0) for frame in reversed(frames)]


def diagnostic(error: BaseException) -> Diagnostic | None:
    """Returns an error that the write itself raised as a finding at the user's line; None for other errors."""
    found = codes(error)
    if not found or is_stale(error):
        return None
    from ..checks import registry
    from ..model import Diagnostic
    from . import stacks

    frames = [(frame.f_code, lasti) for frame, lasti in _frames(error)]
    stack = tuple(one for one in reversed(frames) if not stacks.is_foreign(one[0].co_filename))
    place = stacks.location(stack)
    rule = registry.find(found[0])
    if place is None or rule is None:
        return None
    first = str(error).partition("\n")[0]
    return Diagnostic(rule.code, rule.name, "error", "certain", first, place, caption="PyTorch raises here")


def _frames(error: BaseException) -> list[tuple[FrameType, int]]:
    found = []
    trace = error.__traceback__
    while trace is not None:
        found.append((trace.tb_frame, trace.tb_lasti))
        trace = trace.tb_next
    return found
