"""Decides, by text, whether a file may set an attribute or a global anew: its first value is not its only one then."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..syntax.nodes import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.module import FunctionSource, Module

#: Sets names that the text does not show.
BY_ANY_NAME = re.compile(
    rb"\bglobals\(|\bexec\(|\.__dict__\b|\._modules\b|\bsetattr\(\s*[\w.]+\s*,\s*[A-Za-z_]\w*\s*,"
)


def may_set_attribute(module: Module, name: str) -> bool:
    """Whether code outside of `__init__` may set an attribute of this name, as `setattr` may."""
    return _kept(
        module,
        ("attribute", name),
        lambda: sets_outside_of_init(module, name) or BY_ANY_NAME.search(module.source) is not None,
    )


def _kept(module: Module, question: tuple[str, str], answer: Callable[[], bool]) -> bool:
    """The answer to a question about a file, which is asked at each call that a run observes."""
    known = module.memo.set_anew
    if question not in known:
        known[question] = answer()
    return known[question]


def sets_attribute(module: Module, name: str) -> bool:
    """Whether a file assigns `.name` to something, as one that replaces a function of another module does."""
    pattern = rb"\.%s\b[^=\n(]*=(?!=)" % re.escape(name.encode())
    return _kept(module, ("any", name), lambda: re.search(pattern, module.source) is not None)


def may_set_global(module: Module, name: str) -> bool:
    """Whether a function of a file may bind a name of its top level, or another file may that imports it."""
    pattern = rb"\bglobal\b.*\b%s\b" % re.escape(name.encode())
    return may_set_attribute(module, name) or _kept(
        module, ("global", name), lambda: re.search(pattern, module.source) is not None
    )


def is_overridden(method: FunctionSource) -> bool:
    """Whether a class of the file, anywhere in it, derives from a method's class and has a method of the same name."""
    owner = method.owner
    if owner is None:
        return False
    module, base, name = owner.module, owner.name, method.name
    return _kept(
        module,
        ("method", f"{base}.{name}"),
        lambda: any(
            isinstance(one, ast.ClassDef)
            and any(getattr(above, "id", "") == base for above in one.bases)
            and any(getattr(own, "name", "") == name for own in one.body)
            for one in walk(module.tree)
        ),
    )


def sets_outside_of_init(module: Module, name: str) -> bool:
    """Whether the text of a file assigns `.name`, or calls `setattr`, outside of `__init__`."""
    pattern = rb"\.%s\b[^=\n(]*=(?!=)|\bsetattr\(" % re.escape(name.encode())
    functions = module.functions_in_order()
    row, before = 1, 0
    for match in re.finditer(pattern, module.source):
        row += module.source.count(b"\n", before, match.start())
        before = match.start()
        around = [f for f in functions if f.node.lineno <= row <= (f.node.end_lineno or 0)]
        if not around or max(around, key=lambda f: f.node.lineno).name != "__init__":
            return True
    return False
