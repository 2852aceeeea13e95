"""Arguments that are objects of a class in sight: by their annotation, or because no other has what is asked of them.

Modules matter for what their layers save. Of other classes those alone do that have a method that writes: what it does
to what the function saved before is told where both are called.
"""

from __future__ import annotations

from ..syntax.annotations import annotated
from ..torchmodel import table
from . import attributes, classes, names
from .values import ClassValue, FunctionValue, Instance

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Mapping

    from ..syntax.module import FunctionSource, Module
    from .run import Run
    from .values import Value

#: An object whose `__init__` is given such objects too is followed this far.
_DEPTH = 2


def objects(run: Run, source: FunctionSource, known: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments of a function that are objects of classes in sight, each built as far as defaults tell."""
    from .analyze import arguments_of

    found: dict[str, Value] = {}
    if run.supposing >= _DEPTH:
        return found
    run.supposing += 1
    for parameter in (*source.parameters, *source.node.args.kwonlyargs):
        cls = None if parameter.arg in known else _class_of(run, source, parameter)
        if cls is None:
            continue
        obj = found[parameter.arg] = Instance(cls, shared=run.builds)
        init = classes.find(run, cls.order(), "__init__")
        if isinstance(init, FunctionValue):
            obj.pending = ([], arguments_of(run, init.source, obj))
        run.outside.add(obj)
    run.supposing -= 1
    return found


def _class_of(run: Run, source: FunctionSource, parameter: ast.arg) -> ClassValue | None:
    if parameter.annotation is not None:
        name = annotated(parameter.annotation)
        value = names.of_module(run, source.module, name) if name else None
        if not isinstance(value, ClassValue):
            return None
        kept = _calls_a_layer(run, source, parameter, value) or _asked_to_write(run, source, parameter, value)
        return value if kept else None
    asked = _asked(source, parameter.arg)
    if not asked:
        return None
    candidates = [cls for cls in _in_sight(run, source.module, asked) if _has(cls, asked)]
    if len(candidates) != 1:
        return None
    return candidates[0] if _asked_to_write(run, source, parameter, candidates[0]) else None


def _calls_a_layer(run: Run, source: FunctionSource, parameter: ast.arg, cls: ClassValue) -> bool:
    """Whether a module of the class has what a function calls of its argument, and not as a method: as a layer."""
    return cls.is_module() and any(
        _method(cls, name) is None and not table.has_module(name) and _sets(cls, name)
        for name in run.program.sketches.called_on(source, parameter.arg)
    )


def _asked_to_write(run: Run, source: FunctionSource, parameter: ast.arg, cls: ClassValue) -> bool:
    """Whether methods of its own are asked of the argument, one that writes and one that only this class may have."""
    asked = _asked(source, parameter.arg)
    # What every module or optimizer of torch has is no evidence of a class of the project.
    asked = frozenset(name for name in asked if not (table.has_module(name) or table.has_optimizer(name)))
    own = {name: method for name in asked if (method := _method(cls, name)) is not None}
    if not any(run.program.enters(method) for method in own.values()):
        return False
    called = "" in asked and any(_method(cls, name) is not None for name in ("forward", "__call__"))
    return (
        called
        or parameter.annotation is not None
        or any(table.method(name) is None and not attributes.is_shared(name) for name in own)
    )


def _asked(source: FunctionSource, name: str) -> frozenset[str]:
    """The attributes that are asked of an argument, and "" if it is called; of an `__init__`, by its class."""
    text = source.text
    word = name.encode()
    if source.name != "__init__" and word + b"." not in text and word + b"(" not in text:
        return frozenset()  # most arguments: no pattern has to be made, nor `re` be read, for them
    import re

    word = re.escape(word)
    if re.search(
        rb"^[ \t]*%s[ \t]*=(?!=)|\b(?:for|as)\b[^\n]*\b%s\b[^\n]*:" % (word, word), text, re.MULTILINE
    ):
        return frozenset()
    found = _uses(text, rb"(?<![\w.])" + word)
    if source.name == "__init__" and source.owner is not None and source.parameters:
        receiver = re.escape(source.parameters[0].arg.encode())
        whole = source.owner.text
        for kept in re.findall(rb"\b%s\.(\w+)[ \t]*=[ \t]*%s[ \t]*$" % (receiver, word), text, re.MULTILINE):
            found |= _uses(whole, rb"\b%s\.%s" % (receiver, kept))
    return frozenset(found)


def _uses(text: bytes, pattern: bytes) -> set[str]:
    import re

    found = {name.decode() for name in re.findall(pattern + rb"\.(\w+)", text)}
    if re.search(pattern + rb"\(", text):
        found.add("")
    return found


def _in_sight(run: Run, module: Module, asked: frozenset[str]) -> Iterator[ClassValue]:
    """The classes of the file; where it trains, those that it imports from the project too."""
    for name in module.classes:
        value = names.of_module(run, module, name)
        if isinstance(value, ClassValue):
            yield value
    if b".backward(" not in module.source:
        return
    project = run.program.files.project
    for name, binding in module.imports.items():
        if project.resolve(binding.module, module.filename, binding.level) is not None:
            value = names.of_module(run, module, name)
            if isinstance(value, ClassValue):
                yield value


def _has(cls: ClassValue, asked: frozenset[str]) -> bool:
    """Whether objects of the class have all that is asked of them."""
    module = cls.is_module()
    for name in asked:
        if not name:
            if _method(cls, "forward") is None and _method(cls, "__call__") is None:
                return False
        elif _method(cls, name) is None and not (module and table.has_module(name)) and not _sets(cls, name):
            return False
    return True


def _method(cls: ClassValue, name: str) -> FunctionSource | None:
    return next((c.source.methods[name] for c in cls.order() if name in c.source.methods), None)


def _sets(cls: ClassValue, name: str) -> bool:
    """Whether the text of the class assigns or registers an attribute of the name."""
    import re

    pattern = re.compile(rb"\.%s\b[^=\n(]*=(?!=)|register_\w+\([ \t]*[\"']%s[\"']" % ((name.encode(),) * 2))
    return any(name in owner.source.assignments or pattern.search(owner.source.text) for owner in cls.order())
