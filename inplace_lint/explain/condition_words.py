"""Words for a test that the traced function does not make itself: by the key under which the run numbered it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp.guards import literal
from ..syntax.module import FunctionSource
from .tracing import TRAINING

if TYPE_CHECKING:
    from ..interp.run import Run


def of(run: Run, bit: int) -> tuple[str, str] | None:
    """The words if the test of a literal holds, and if not; None if nothing tells them."""
    for name, value in run.root.args.items():
        for guard, _ in getattr(value, "alternatives", ()):
            if guard is literal(bit, True):
                return f"the argument `{name}` is true", f"the argument `{name}` is false"
    if run.evaluation >> bit & 1:
        return TRAINING
    if run.asked.enabled >> bit & 1:
        return "gradients are enabled", "gradients are disabled"
    if bit in run.asked.requires:
        return "it requires grad", "it does not require grad"
    if run.doubtful >> bit & 1:
        return "an operation gives the same memory", "an operation gives a copy"
    return _by_key(run, bit)


def _by_key(run: Run, bit: int) -> tuple[str, str] | None:
    match run.key_of_bit(bit):
        case ("argument", FunctionSource() as source, str(name)):
            owner = f"{source.owner.name}." if source.owner is not None else ""
            argument = f"the argument `{name}` of `{owner}{source.name}`"
            return f"{argument} is true", f"{argument} is false"
        case ("==", _, ("constant", word)) | ("==", ("constant", word), _):
            return f"a value equals {word!r}", f"a value is not {word!r}"
        case ("in", ("constant", word), _):
            return f"{word!r} is in a value", f"{word!r} is not in a value"
        case ("is", _, "None"):
            return "a value is None", "a value is not None"
        case ("isinstance", _, str(kind)):
            kind = kind.removeprefix("builtins.")
            return f"a value is a `{kind}`", f"a value is no `{kind}`"
    return None


def unnamed(count: int) -> str:
    """Stands for so many tests that nothing tells."""
    return "a test elsewhere allows it" if count == 1 else f"{count} tests elsewhere allow it"
