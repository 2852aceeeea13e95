"""Finds the `forward` of classes that hang forward hooks or make layers in-place, or call a function that does.

A hook or layer may then write what another module saved. The `forward` may be inherited: then it is run as the
subclass's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.module import ClassSource, FunctionSource, Module
from .may_write import imports
from .source_words import Pattern, called, called_in, has_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .prefilter import Prefilter

_REGISTERS = b".register_forward_"


def hooked(prefilter: Prefilter, module: Module) -> Iterator[FunctionSource]:
    """Yields the `forward` of each class of the file that has hooks hung or layers made in-place."""
    if not module.classes:
        return
    registering = {f.name.encode() for f in module.functions_in_order() if changes_modules(f)}
    registering |= _imported(prefilter, module)
    registering.discard(b"__init__")
    for cls in module.classes.values():
        text = cls.text
        if changes_modules(cls) or any(has_word(text, name) for name in registering):
            forward = prefilter.classes.method(cls, "forward")
            if forward is not None:
                yield forward if forward.owner is cls else module.as_method_of(forward, cls)


def registers(source: FunctionSource | ClassSource) -> bool:
    """Whether a function or class registers forward hooks in its own text."""
    return _REGISTERS in source.module.source and _REGISTERS in source.text


def changes_modules(source: FunctionSource | ClassSource) -> bool:
    """Whether a function or class changes, in its own text, what modules do that exist already."""
    return registers(source) or makes_in_place(source)


#: `layer.inplace = True`, `setattr(layer, "inplace", True)`.
_SETS_FLAG = Pattern(rb"\.inplace\s*=(?!=)|setattr\([^,()]+,\s*[\"']inplace[\"']")


def makes_in_place(source: FunctionSource | ClassSource) -> bool:
    """Whether a function or class, or a function of its file that it calls, sets `inplace` of a layer that exists."""
    module = source.module
    if b"inplace" not in module.source or not _SETS_FLAG().search(module.source):
        return False
    called_here = (module.functions[name] for name in called_in(source.text) if name in module.functions)
    return any(_SETS_FLAG().search(one.text) for one in (source, *called_here))


def _imported(prefilter: Prefilter, module: Module) -> set[bytes]:
    """The names by which a file calls functions and classes of other files that change modules."""
    found: set[bytes] = set()
    words = called(module)
    for name, definition in imports(prefilter, module, words):
        what = definition.what
        if isinstance(what, Module):
            one_of: dict[str, FunctionSource | ClassSource] = {**what.functions, **what.classes}
            found.update(word.encode() for word in one_of.keys() & words if changes_modules(one_of[word]))
        elif isinstance(what, (FunctionSource, ClassSource)) and changes_modules(what):
            found.add(name.encode())
    return found
