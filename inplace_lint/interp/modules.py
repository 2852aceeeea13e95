"""Models what surrounds the forward of a module: hooks, training or evaluation mode, batch statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import layout
from . import containers, lookup
from .frames import MODE
from .heap import Saved
from .storage import DOES, NEVER
from .values import Constant, FunctionValue, Instance, Native, Phi, Tensor, TorchModule, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run

_HOOKS = {"register_forward_hook": "forward hooks", "register_forward_pre_hook": "forward pre-hooks"}
_MODES = {"train": True, "eval": False}


class OfOne(Native):
    """A method that changes only its own object: for several objects, each is called without a path of its own."""

    __slots__ = ()


class _WithKeywords(Native):
    """A hook registered with `with_kwargs=True`: after the arguments it is given a dict, and may return both."""

    __slots__ = ("func",)

    def __init__(self, func: Value) -> None:
        self.func = func
        super().__init__(self._called)

    def _called(self, run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        keywords = containers.make(run, "dict", [], exact=False)
        given = run.call(self.func, [*args[:2], keywords, *args[2:]], {}, at)
        if len(args) > 2 or _is_none(given):
            return given
        both = containers.items(run, given)
        return both[0] if both else Unknown()


def method(run: Run, module: Value, name: str) -> Value | None:
    """`module.eval()`, `module.train()`, `module.register_forward_hook(hook)`; None for another name."""
    if name in _MODES:

        def set_mode(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
            wanted = args[0] if args else kwargs.get("mode", Constant(_MODES[name]))
            run.state.slots[(module, MODE)] = wanted if isinstance(wanted, Constant) else Unknown()
            return module

        return Native(set_mode)
    if name in _HOOKS:

        def add(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
            key = (module, _HOOKS[name])
            before = run.state.get(key)
            known = [] if before is None else containers.items(run, before) or []
            hooks = [*args[:1]] or [value for word, value in kwargs.items() if word == "hook"]
            if _is_on(kwargs.get("with_kwargs")):
                hooks = [_WithKeywords(hook) for hook in hooks]
            first, last = (hooks, known) if _is_on(kwargs.get("prepend")) else (known, hooks)
            run.state.slots[key] = containers.make(run, "tuple", [*first, *last])
            handle = Unknown()
            run.set_member(handle, "remove", OfOne(lambda run, *_: _remove(run, key, hooks)))
            return handle

        return OfOne(add)
    return None


def _remove(run: Run, key: tuple[Value, str], hooks: Sequence[Value]) -> Value:
    """`handle.remove()`: leave out the hook, so that one which removes itself runs once."""
    known = run.state.get(key)
    left = [hook for hook in (containers.items(run, known) or [] if known else []) if hook not in hooks]
    run.state.slots[key] = containers.make(run, "tuple", left)
    return Constant(None)


def called(
    run: Run, module: Value, args: Sequence[Value], at: ast.AST, forward: Callable[[Sequence[Value]], Value]
) -> Value:
    """Call a module: its hooks around `forward`, under the mode that `train()` or `eval()` set for it, if any."""
    outer = run.keeping.mode
    mode = run.state.get((module, MODE))
    if mode is not None:
        run.keeping.mode = mode
    for hook in _hooks(run, module, "register_forward_pre_hook"):
        changed = _play(run, hook, [module, containers.make(run, "tuple", args)], at)
        if changed is not None:
            args = containers.items(run, changed) or [changed]
    result = forward(args)
    for hook in _hooks(run, module, "register_forward_hook"):
        changed = _play(run, hook, [module, containers.make(run, "tuple", args), result], at)
        result = result if changed is None else changed
    run.keeping.mode = outer
    return result


def _hooks(run: Run, module: Value, name: str) -> list[Value]:
    known = run.state.get((module, _HOOKS[name]))
    return [] if known is None else containers.items(run, known) or []


def _play(run: Run, hook: Value, args: list[Value], at: ast.AST) -> Value | None:
    """Call a hook: what it returns replaces the input or result of the module; None if it returns nothing."""

    deep = run.entering.deep
    function = hook
    if isinstance(hook, Instance):
        function = lookup.find(run, hook.cls.order(), "__call__") or hook
    while not isinstance(function, FunctionValue) and hasattr(function, "func"):
        function = function.func
    if not isinstance(function, FunctionValue):
        run.call_unknown(hook, args, {}, at)
        return None
    run.entering.deep = run.entering.deep | {function.source}
    given = run.call(hook, args, {}, at)
    run.entering.deep = deep
    if isinstance(given, Phi):
        given = next((atom for atom in run.possible(given) if not _is_none(atom)), given)
    return None if _is_none(given) else given


def _is_none(value: Value) -> bool:
    return isinstance(value, Constant) and value.value is None


def statistics(run: Run, module: TorchModule, training: bool, result: Value, at: ast.AST) -> None:
    """Model running statistics: training writes them uncounted; a graph made in evaluation mode saves them."""
    if not layout.keeps_statistics(module.name) or _is_off(module.config.get("track_running_stats")):
        return
    mean = module.owns.get("running_mean")
    if mean is None:
        mean = module.owns["running_mean"] = run.new_tensor("buffer", NEVER, None)
    place = run.place(at)
    if training:
        write = run.heap.write(
            mean.storage, run.path, "the update of its statistics", place, quiet="unchecked"
        )
        run.found.writes.append(write)
        return
    for guard, tensor in run.tensors(result) if isinstance(result, Tensor) else ():
        for condition, node in run.heap.nodes(tensor, guard):
            saved = Saved(mean.storage, condition, node, place)
            saved.op, saved.node_name, saved.attr = module.name.rpartition(".")[2], "", "running_mean"
            saved.grad, saved.certain = DOES, run.grad == "on"
            run.save(saved)


def _is_on(value: Value | None) -> bool:
    return isinstance(value, Constant) and bool(value.value)


def _is_off(value: Value | None) -> bool:
    return isinstance(value, Constant) and not value.value
