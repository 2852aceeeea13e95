"""Synthesises the driver that a file lacks: code that builds objects of its classes and calls its training functions.

A file of models and training functions is used by a few lines elsewhere that build the models and call the functions.
If the file has no such caller, and the uses of a parameter fit classes of the file, these lines can be written down
except for sizes and data. If the file does not train at all, the driver calls its entry points instead (`forward`).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING

from ..torchmodel import table
from . import entry_points, selection
from .roles import Roles, parameters_of
from .source_words import runs_backward, takes_backward

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..syntax.module import ClassSource, FunctionSource, Module
    from .prefilter import Prefilter

#: The optimizer's name in a driver: `@` cannot occur in a file's own names.
OPTIMIZER = "@optimizer"
#: The name of a call's result.
RESULT = "@result"
#: Limits: functions called; choices of classes for each; combinations tried for that.
_ENTRIES = 4
_WAYS = 4
_TRIED = 64
#: Limits: objects in a list argument; nesting of objects in constructor arguments.
_LISTED = 4
_DEEP = 4
#: Limit: calls climbed from a function that runs a backward to the function that nobody calls.
_CLIMBS = 6


@dataclass
class Driver:
    """One way to call functions from outside: the statements, and the names in them that stand for unknown values."""

    statements: list[ast.stmt]
    unknown: list[str]
    functions: list[FunctionSource]
    #: whether objects of other classes would fit as well
    unsure: bool
    #: whether the functions run a backward, perhaps by others that they call
    trains: bool = False


def of_training(prefilter: Prefilter, module: Module) -> list[Driver]:
    """Drivers for the training functions of a file; empty where it runs its own training, or no objects fit."""
    if not module.classes or selection.trains(module):
        return []
    if not (runs_backward(module) or b"autograd.grad(" in module.source):
        return []
    roles = Roles(prefilter, module)
    found: list[Driver] = []
    for cls, functions in [*_entries(roles).items()][:_ENTRIES]:
        if cls is None:
            for function in functions[:_ENTRIES]:
                found += _ways(roles, None, [function])
        else:
            found += _ways(roles, cls, functions)
    for driver in found:
        driver.trains = True
    return found


def of_entry_points(
    prefilter: Prefilter, module: Module, left_open: Collection[FunctionSource]
) -> list[Driver]:
    """Drivers for the entry points of a file that does not train, through which a write is reached.

    `left_open` are functions whose runs left to their callers whether a write is an error.
    """
    writing = (
        entry_points.writing(prefilter, module) if module.classes and not selection.trains(module) else set()
    )
    if writing.isdisjoint(left_open):
        return []
    roles = Roles(prefilter, module)
    points = entry_points.entry_points(prefilter, roles, writing, left_open)
    return [way for cls, function in islice(points, _ENTRIES) for way in _ways(roles, cls, [function])]


def _entries(roles: Roles) -> dict[ClassSource | None, list[FunctionSource]]:
    """The functions that run a backward, or their outermost callers in the file, by the class of their object."""
    module = roles.module
    trainers = [f for f in _outer(module) if takes_backward(f.text) or f.mentions(b"autograd.grad(")]
    tops: dict[FunctionSource, None] = {}
    for _ in range(_CLIMBS):
        climbed: dict[FunctionSource, None] = {}
        for trainer in trainers:
            calling = [f for f in _outer(module) if f is not trainer and _calls_it(roles, f, trainer)]
            climbed.update(dict.fromkeys(calling))
            if not calling:
                tops[trainer] = None
        trainers = [*climbed]
    found: dict[ClassSource | None, list[FunctionSource]] = {}
    for top in sorted(tops, key=lambda f: f.node.lineno):
        for cls in [None] if top.owner is None else roles.leaves(top.owner):
            found.setdefault(cls, []).append(top)
    return found


def _outer(module: Module) -> Iterator[FunctionSource]:
    """The top-level functions of a file, and the methods of its classes."""
    yield from module.functions.values()
    for cls in module.classes.values():
        yield from cls.methods.values()


def _calls_it(roles: Roles, function: FunctionSource, called: FunctionSource) -> bool:
    """Whether a function's text calls another by name, or as a method of an object that can only be of its class."""
    word = called.name.encode()
    if called.owner is None:
        return function.mentions(word + b"(") or function.mentions(word + b",")
    if not function.mentions(b"." + word + b"("):
        return False
    if function.owner is not None and function.mentions(function.receiver.encode() + b"." + word + b"("):
        return called.owner in roles.order(function.owner) or function.owner in roles.order(called.owner)
    if function.mentions(called.owner.name.encode() + b"("):
        return True
    common = table.has_module(called.name) or table.has_optimizer(called.name)
    return not common and table.method(called.name) is None


class _Hand:
    """Builds the arguments of one call, and the statements that create the objects in them."""

    def __init__(self, roles: Roles, guesses: bool) -> None:
        self.roles = roles
        #: `guesses`: take the first of several classes that fit; `doubts`: there were several
        self.guesses = guesses
        self.doubts = False
        self.statements: list[ast.stmt] = []
        self.made: dict[ClassSource, str] = {}
        self.modules: list[str] = []
        self.unknown: list[str] = []

    def object(
        self, cls: ClassSource, chosen: dict[str, ClassSource], within: tuple[ClassSource, ...]
    ) -> ast.expr:
        """Creates an object of a class, assigned to a fresh name."""
        init = self.roles.method(cls, "__init__")
        if init is not None:
            args = self.arguments(init, chosen, (*within, cls))
        else:
            # A torch layer usually needs two sizes; a dataclass needs its fields without a default.
            layer = self.roles.is_module(cls) and self.roles.order(cls)[1:2] != ["torch.nn.Module"]
            args = [(None, self.any()), (None, self.any())] if layer else []
            if cls.node.decorator_list:
                args += [(name, self.any()) for name, value in cls.assignments.items() if value is None]
        name = f"@{len(self.statements)}"
        self.statements.append(_assigned(name, _call(_name(cls.name), args)))
        self.made[cls] = name
        if self.roles.is_module(cls):
            self.modules.append(name)
        return _name(name)

    def arguments(
        self, function: FunctionSource, chosen: dict[str, ClassSource], within: tuple[ClassSource, ...]
    ) -> list[tuple[str | None, ast.expr]]:
        """The arguments of a function: objects where a class fits, unknown values where it needs something else."""
        roles = self.roles
        steps = (
            function.name == "__init__" and function.owner is not None and roles.is_optimizer(function.owner)
        )
        found: list[tuple[str | None, ast.expr]] = []
        used: set[ClassSource] = set()
        optimizers: list[int] = []
        for parameter in parameters_of(function):
            default = function.default_of(parameter)
            needed = default is None
            if not needed and getattr(default, "value", default) is not None:
                continue
            asked = roles.of(function, parameter.arg)
            cls = chosen.get(parameter.arg) or self._one(function, parameter, used, within)
            if cls is not None and (needed or cls.name not in roles.built):
                shared = self.made.get(cls) if cls not in used else None
                used.add(cls)
                value = self.object(cls, {}, within) if shared is None else _name(shared)
            elif elements := self._elements(function, parameter, within):
                value = self._list(elements, within)
            elif not needed:
                continue
            elif steps and asked.called:
                value = _name(OPTIMIZER)
            else:
                value = self.any()
                if asked.is_optimizer():
                    optimizers.append(len(found))
            found.append((parameter.arg, value))
        if self.modules:
            if len(optimizers) == 1:  # with several optimizers, it is unknown which steps which parameters
                made = _call(_name(OPTIMIZER), [(None, self.weights()), ("lr", self.any())])
                found[optimizers[0]] = (found[optimizers[0]][0], made)
            if steps and found:
                found[0] = (found[0][0], self.weights())
        return found

    def _elements(
        self, function: FunctionSource, parameter: ast.arg, within: tuple[ClassSource, ...]
    ) -> list[ClassSource]:
        if len(within) > _DEEP:
            return []
        return [cls for cls in self.roles.elements(function, parameter) if cls not in within][:_LISTED]

    def _list(self, classes: list[ClassSource], within: tuple[ClassSource, ...]) -> ast.expr:
        names = [self.made.get(cls) for cls in classes]
        objects = [
            self.object(cls, {}, within) if name is None else _name(name) for cls, name in zip(classes, names)
        ]
        return ast.List(objects, ast.Load())

    def _one(
        self,
        function: FunctionSource,
        parameter: ast.arg,
        used: set[ClassSource],
        within: tuple[ClassSource, ...],
    ) -> ClassSource | None:
        if len(within) > _DEEP:
            return None
        fitting = [cls for cls in self.roles.fitting(function, parameter) if cls not in within]
        if len(fitting) == 1 and fitting[0] in used:
            return fitting[0] if self.roles.may_be_another(function, parameter, fitting[0]) else None
        unused = [cls for cls in fitting if cls not in used]
        self.doubts = self.doubts or len(unused) > 1
        return unused[0] if len(unused) == 1 or (unused and self.guesses) else None

    def any(self) -> ast.expr:
        """A fresh name for an unknown value: a size, or data."""
        self.unknown.append(f"@any{len(self.unknown)}")
        return _name(self.unknown[-1])

    def call(self, function: FunctionSource, func: ast.expr, args: list[tuple[str | None, ast.expr]]) -> None:
        """Call a function; iterate over its result if it is a generator."""
        call = _call(func, args)
        if function.is_generator:
            self.statements.append(ast.For(ast.Name("@each", ast.Store()), call, [ast.Pass()], []))
        else:
            self.statements.append(_assigned(RESULT, call))

    def weights(self) -> ast.expr:
        """The parameters of all modules created so far."""
        load = ast.Load()
        each = [_call(ast.Attribute(_name(name), "parameters", load), []) for name in self.modules]
        return ast.List([ast.Starred(one, load) for one in each], load)


def _ways(roles: Roles, cls: ClassSource | None, functions: list[FunctionSource]) -> Iterator[Driver]:
    """The drivers for functions, or for methods of one object of class `cls`."""
    init = functions[0] if cls is None else roles.method(cls, "__init__")
    choices = _choices(roles, init) if init is not None else [{}]
    for chosen in choices:
        hand = _Hand(roles, guesses=False)
        _call_all(hand, cls, functions, chosen)
        if hand.made or cls is not None:
            yield Driver(hand.statements, hand.unknown, functions, len(choices) > 1)
        if hand.doubts:
            hand = _Hand(roles, guesses=True)
            _call_all(hand, cls, functions, chosen)
            yield Driver(hand.statements, hand.unknown, functions, unsure=True)


def _call_all(
    hand: _Hand, cls: ClassSource | None, functions: list[FunctionSource], chosen: dict[str, ClassSource]
) -> None:
    if cls is None:
        for function in functions:
            hand.call(function, _name(function.name), hand.arguments(function, chosen, ()))
        return
    obj = hand.object(cls, chosen, ())
    del hand.made[cls]
    for method in functions:
        if method.name == "__init__":  # of a chain of layers, which is called itself
            hand.statements.append(_assigned(RESULT, _call(obj, [(None, hand.any())])))
            continue
        args = hand.arguments(method, {}, (cls,))
        hand.call(method, ast.Attribute(obj, method.name, ast.Load()), args)


def _choices(roles: Roles, function: FunctionSource) -> list[dict[str, ClassSource]]:
    """Choices of classes for the parameters of a function, distinct classes first."""
    fitting = {
        parameter.arg: roles.fitting(function, parameter)
        for parameter in parameters_of(function)
        if function.default_of(parameter) is None
    }
    several = {name: classes for name, classes in fitting.items() if len(classes) > 1}
    ways = [dict(zip(several, way)) for way in islice(product(*several.values()), _TRIED)]
    different = [way for way in ways if len(set(way.values())) == len(way)]
    return (different or ways)[:_WAYS]


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _call(func: ast.expr, args: list[tuple[str | None, ast.expr]]) -> ast.expr:
    by_place = [value for name, value in args if name is None]
    return ast.Call(func, by_place, [ast.keyword(name, value) for name, value in args if name is not None])
