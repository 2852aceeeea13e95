"""Makes abstract arguments for a function whose callers are unknown: from annotations, defaults and uses.

An argument becomes an object of a project class if its annotation says so, or if only that class has the attributes
the function uses. Modules matter because their layers save tensors. Other classes matter only if a method of theirs
writes: such a write can hit a tensor that the function has saved, and only this function calls both.
"""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from ..prefilter.source_words import Pattern, takes_backward
from ..syntax.annotations import LISTS, MAPPINGS, SCALARS, annotated
from ..torchmodel import table
from ..torchmodel.spelling import TENSOR_TYPES
from . import attributes, lookup, names
from .class_value import ClassValue
from .guards import ALWAYS, both, literal
from .joins import join
from .storage import NEVER
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Unknown,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..syntax.module import FunctionSource, Module
    from .guards import Guard
    from .run import Run
    from .values import Value

#: How deep objects are made for the `__init__` parameters of other such objects.
_DEPTH = 2


def arguments(run: Run, source: FunctionSource, known: Mapping[str, Value]) -> dict[str, Value]:
    """Makes an abstract argument for each parameter of a function; those in `known` are kept as they are."""
    args = dict(known)
    parameters = (*source.parameters, *source.node.args.kwonlyargs)
    module = source.module
    if module.classes or takes_backward(module.source) or any(p.annotation is not None for p in parameters):
        args.update(objects(run, source, known))
    for parameter in parameters:
        if parameter.arg not in args:
            args[parameter.arg] = argument(run, source, parameter)
    return args


def arguments_of(run: Run, init: FunctionSource, obj: Instance) -> dict[str, Value]:
    """The arguments, without `self`, that an unknown caller passed to the `__init__` of an object."""
    if not init.parameters:
        return {}  # `*args` takes the object as well
    args = arguments(run, init, {init.parameters[0].arg: obj})
    del args[init.parameters[0].arg]
    for value in args.values():
        for _, atom in alternatives(value):
            if isinstance(atom, Unknown):
                atom.option = True
    return args


def argument(run: Run, source: FunctionSource, parameter: ast.arg) -> Value:
    """The abstract argument for one parameter, from its annotation and its default."""
    annotation = annotated(parameter.annotation)
    default = source.default_of(parameter)
    given = None if default is None else _given_by_default(run, source, default)
    constant = given.value if isinstance(given, Constant) else None
    is_zero = type(constant) in (int, float) and constant == 0
    if annotation in SCALARS and annotation != "bool" and not is_zero:
        number = Scalar()
        number.number = annotation in ("int", "float")
        number.default = _default(source, constant)
        return number
    if annotation in LISTS or annotation in MAPPINGS:
        made: Value = Sequence_("unknown") if annotation in LISTS else Mapping_()
        if not (isinstance(default, ast.Constant) and default.value is None):
            return made
        bit = run.bit(("argument", source, parameter.arg))
        return Phi(((literal(bit, True), made), (literal(bit, False), Constant(None))))
    if annotation == "bool" or isinstance(constant, bool):
        bit = run.bit(("argument", source, parameter.arg))
        if isinstance(constant, bool) and source.name != "__init__":  # there it configures the object
            run.expect(bit, constant)
        elif constant is False:
            run.expect_in_building(bit)
        return Phi(((literal(bit, True), Constant(True)), (literal(bit, False), Constant(False))))
    if is_zero:
        # A rate or count of 0 leaves something out by default, so 0 and any other number are told apart.
        bit = run.bit(("argument", source, parameter.arg))
        number = Scalar()
        number.number = annotation in ("int", "float")
        return Phi(((literal(bit, True), number), (literal(bit, False), Constant(constant))))
    if isinstance(constant, (int, float, str)):
        plain = Scalar()
        plain.default = _default(source, constant)
        return plain
    if given is not None and not isinstance(default, ast.Constant):
        if isinstance(given, (Symbol, ClassValue, FunctionValue, Bound)):
            return given  # a default class or function, which most callers keep
        written_out = isinstance(default, (ast.Dict, ast.Tuple, ast.Call))  # not what other code may share
        if source.name == "__init__" and written_out and _are_options(run, given):
            return given  # `act_cfg=dict(type="ReLU")`, the same
    if default is None and (choices := run.program.prefilter.given(source, parameter.arg)):
        return _one_of(run, source, parameter, choices)
    value = Unknown()
    value.left_out = isinstance(default, ast.Constant) and default.value is None
    if parameter.arg in run.program.learnt.tensors.get(source, ()):
        known = run.as_tensor(value)
        if known is not None:
            known.storage.proved = True
    if annotation in TENSOR_TYPES:
        tensor = run.as_tensor(value)
        if tensor is not None:
            tensor.storage.proved = True
            if TENSOR_TYPES[annotation]:
                tensor.storage.dtype, tensor.storage.grad = TENSOR_TYPES[annotation], NEVER
    return value


def _are_options(run: Run, value: Value) -> bool:
    """Whether a default names what to build: a dict or tuple with a word, whose numbers then count as unknown."""
    if not isinstance(value, Mapping_) and not (isinstance(value, Sequence_) and value.kind == "tuple"):
        return False
    held = {key: run.state.get((value, key)) for key in value.keys}
    for key, one in held.items():
        if isinstance(one, Constant) and type(one.value) in (int, float):
            run.bottom().slots[(value, key)] = Scalar()
    return any(isinstance(one, Constant) and isinstance(one.value, str) for one in held.values())


def _default(source: FunctionSource, constant: object) -> str | float | None:
    """The default string or number of a parameter; no number for `__init__`, where callers often give another."""
    if isinstance(constant, str):
        return constant
    is_number = type(constant) in (int, float) and source.name != "__init__"
    return constant if is_number else None  # type: ignore[return-value]


def _one_of(
    run: Run, source: FunctionSource, parameter: ast.arg, choices: list[tuple[Module, ast.expr]]
) -> Value:
    """The join of the classes and functions that files pass for a parameter, each on a path of its own."""
    left = ALWAYS
    found: list[tuple[Guard, Value]] = []
    for number, (module, node) in enumerate(choices):
        chosen = left
        if number < len(choices) - 1:
            bit = run.bit(("given", source, parameter.arg, number))
            chosen, left = both(left, literal(bit, True)), both(left, literal(bit, False))
        found.append((chosen, names.evaluate_in(run, module, node)))
    return found[0][1] if len(found) == 1 else join(found)


def objects(run: Run, source: FunctionSource, known: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments of a function that are objects of project classes, to be built with arguments from defaults."""
    found: dict[str, Value] = {}
    if run.root.supposing >= _DEPTH:
        return found
    run.root.supposing += 1
    for parameter in (*source.parameters, *source.node.args.kwonlyargs):
        cls = None if parameter.arg in known else _class_of(run, source, parameter)
        if cls is None:
            continue
        obj = Instance(cls, shared=run.builds)
        found[parameter.arg] = _perhaps(run, source, parameter, obj)
        init = lookup.find(run, cls.order(), "__init__")
        if isinstance(init, FunctionValue):
            obj.pending = ([], arguments_of(run, init.source, obj))
        run.root.outside.add(obj)
    run.root.supposing -= 1
    return found


def _given_by_default(run: Run, source: FunctionSource, default: ast.expr) -> Value:
    """The value of a parameter's default, which may be a name of the class body, as in `act=RELU`."""
    if isinstance(default, ast.Constant):
        return Constant(default.value)
    if source.owner is None:
        return names.evaluate_in(run, source.module, default)
    return lookup.in_body(run, run.program.class_value(source.owner), default)


def _perhaps(run: Run, source: FunctionSource, parameter: ast.arg, obj: Instance) -> Value:
    """The object or, by default, None: what goes wrong with an object is told where one is passed."""
    default = source.default_of(parameter)
    if source.name == "__init__" or not isinstance(default, ast.Constant) or default.value is not None:
        return obj
    bit = run.bit(("argument", source, parameter.arg))
    run.expect(bit, False)
    return Phi(((literal(bit, True), obj), (literal(bit, False), Constant(None))))


def _class_of(run: Run, source: FunctionSource, parameter: ast.arg) -> ClassValue | None:
    """The project class of an argument, by its annotation or its uses; None if unknown, or if it does not matter."""
    if parameter.annotation is not None:
        name = annotated(parameter.annotation)
        value = names.of_module(run, source.module, name) if name else None
        if not isinstance(value, ClassValue):
            return None
        kept = _calls_a_layer(run, source, parameter, value) or _asked_to_write(run, source, parameter, value)
        return value if kept else None
    asked = _asked(run, source, parameter.arg)
    if not asked:
        return None
    candidates = list(islice((c for c in _in_sight(run, source.module, asked) if _has(c, asked)), 2))
    if len(candidates) != 1:
        return None
    return candidates[0] if _asked_to_write(run, source, parameter, candidates[0]) else None


def _calls_a_layer(run: Run, source: FunctionSource, parameter: ast.arg, cls: ClassValue) -> bool:
    """Whether the class is a module and the function calls a layer of it, `model.proj(x)`: an attribute, no method."""
    return cls.is_module() and any(
        _method(cls, name) is None and not table.has_module(name) and _sets(cls, name)
        for name in run.program.prefilter.asked(source).called(parameter.arg)
    )


def _asked_to_write(run: Run, source: FunctionSource, parameter: ast.arg, cls: ClassValue) -> bool:
    """Whether the function uses methods of this class on the argument, and one of these writes.

    Without an annotation, one of them must be typical: the object is called, or no tensor or container has the method.
    """
    asked = _asked(run, source, parameter.arg)
    # A method that every torch module or optimizer has is no evidence of a project class.
    asked = frozenset(name for name in asked if not (table.has_module(name) or table.has_optimizer(name)))
    own = {name: method for name in asked if (method := _method(cls, name)) is not None}
    called = ("forward", "__call__") if "" in asked else ()
    run_by_calling = [method for name in called if (method := _method(cls, name)) is not None]
    told = parameter.annotation is not None
    if not any(run.program.enters(one) for one in (*own.values(), *(run_by_calling if told else ()))):
        return False
    return (
        bool(run_by_calling)
        or told
        or any(table.method(name) is None and not attributes.is_shared(name) for name in own)
    )


def _asked(run: Run, source: FunctionSource, name: str) -> frozenset[str]:
    """The attributes that a function uses on a parameter, and "" if it calls it; of `__init__`, those its class uses.

    Empty if the function assigns to the name.
    """
    return run.program.prefilter.asked(source).of(name)


def _in_sight(run: Run, module: Module, asked: frozenset[str]) -> Iterator[ClassValue]:
    """The classes of the file and, if it runs a backward, those that it imports from the project."""
    for name in module.classes:
        value = names.of_module(run, module, name)
        if isinstance(value, ClassValue):
            yield value
    if not takes_backward(module.source):
        return
    project = run.program.files.project
    for name, binding in module.imports.items():
        if project.resolve(binding.module, module.filename, binding.level) is not None:
            value = names.of_module(run, module, name)
            if isinstance(value, ClassValue):
                yield value


def _has(cls: ClassValue, asked: frozenset[str]) -> bool:
    """Whether objects of the class have all attributes in `asked`."""
    for name in asked - _held(cls):
        if name:
            if not (table.has_module(name) and cls.is_module()):
                return False
        elif _method(cls, "forward") is None and _method(cls, "__call__") is None:
            return False
    return True


def _held(cls: ClassValue) -> frozenset[str]:
    """The methods of the class and its bases, and the attributes that these set."""
    if cls.held is not None:
        return cls.held
    order = cls.order()
    found = _names_set(cls).union(*(_names_set(owner) | owner.source.methods.keys() for owner in order))
    if cls.is_complete():
        cls.held = found
    return found


def _method(cls: ClassValue, name: str) -> FunctionSource | None:
    return next((c.source.methods[name] for c in cls.order() if name in c.source.methods), None)


def _sets(cls: ClassValue, name: str) -> bool:
    """Whether the text of the class assigns or registers an attribute of the name."""
    return any(name in _names_set(owner) for owner in cls.order())


#: Matches an attribute that is assigned to, and a name that is registered: `register_buffer("mean", …)`.
_SETS = Pattern(rb"""\.([\w\x80-\xff]+)(?=[^=\n(]*=(?!=))|register_\w+\([ \t]*["']([\w\x80-\xff]+)["']""")


def _names_set(cls: ClassValue) -> frozenset[str]:
    """The attributes that the text of one class assigns or registers."""
    if cls.names_set is None:
        found = {name.decode() for names in _SETS().findall(cls.source.text) for name in names}
        cls.names_set = frozenset(found.union(cls.source.assignments))
    return cls.names_set
