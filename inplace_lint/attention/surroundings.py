"""What the rest of a package does that a fused call would change: second derivatives, hooks on modules."""

from __future__ import annotations

import os
import re

from ..project.reading import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.module import Module

_SECOND = re.compile(
    rb"create_graph\s*=\s*True|hessian\(|jvp\(|jacfwd\(|forward_ad\b|gradgradcheck\(|hvp\(|vhp\("
)
_HOOKS = re.compile(rb"register_(?:module_)?(?:full_)?(?:forward|backward)(?:_pre)?_hook\(")

#: Plain words, one of which a text must hold for the patterns to be tried: they are found many times faster.
_SECOND_WORDS = (
    b"create_graph",
    b"hessian(",
    b"jvp(",
    b"jacfwd(",
    b"forward_ad",
    b"gradgradcheck(",
    b"hvp(",
    b"vhp(",
)
_HOOK_WORDS = (b"_hook(",)

_known: dict[str, tuple[bool, bool]] = {}


def takes_second_derivatives(module: Module) -> bool:
    """Whether the package of a file asks for derivatives of derivatives, or for forward-mode ones, anywhere."""
    return _words(module)[0]


def hooks_modules(module: Module) -> bool:
    """Whether the package of a file registers hooks on modules anywhere."""
    return _words(module)[1]


def _words(module: Module) -> tuple[bool, bool]:
    own = _holds(module.source, _SECOND_WORDS, _SECOND), _holds(module.source, _HOOK_WORDS, _HOOKS)
    top = _top(os.path.dirname(os.path.abspath(module.filename)))
    if top is None:
        return own
    if top not in _known:
        _known[top] = _read(top)
    return own[0] or _known[top][0], own[1] or _known[top][1]


def _top(directory: str) -> str | None:
    """The topmost folder of the unbroken chain of packages around a folder; None outside of any."""
    top = None
    while os.path.isfile(os.path.join(directory, "__init__.py")):
        top, directory = directory, os.path.dirname(directory)
    return top


def _read(top: str) -> tuple[bool, bool]:
    second = hooks = False
    for folder, _, files in os.walk(top):
        for name in files:
            if name.endswith(".py") and not (second and hooks):
                try:
                    text = read(os.path.join(folder, name))
                except OSError:
                    continue
                second = second or _holds(text, _SECOND_WORDS, _SECOND)
                hooks = hooks or _holds(text, _HOOK_WORDS, _HOOKS)
    return second, hooks


def _holds(text: bytes, words: tuple[bytes, ...], pattern: re.Pattern[bytes]) -> bool:
    return any(word in text for word in words) and pattern.search(text) is not None
