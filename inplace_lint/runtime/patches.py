"""Patches torch and `threading` while a trace runs (hooks, backward, NumPy bridges), and undoes it at the end."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from .stacks import backward_under_way

if TYPE_CHECKING:
    from .tracer import Trace

#: Methods that share a tensor's memory with code outside of PyTorch, whose writes no version counter sees.
_DOORS = ((torch.Tensor, "numpy"), (torch.Tensor, "__array__"), (torch.Tensor, "__dlpack__"))
_ENTRANCES: tuple[tuple[Any, str], ...] = (
    (torch, "from_numpy"),
    (torch, "as_tensor"),
    (torch, "frombuffer"),
    (torch, "from_dlpack"),
)
#: Methods that write in place past the dispatcher, without a bump of the version.
_UNCOUNTED = ((torch.Tensor, "apply_"), (torch.Tensor, "map_"), (torch.Tensor, "map2_"))
_STORAGE = ("fill_", "copy_", "__setitem__")

_active: list[Patches] = []


class Patches:
    """The patches of torch and `threading` that a trace installs, and removes at its end."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._undo: list[Callable[[], None]] = []
        self._local = threading.local()
        self._push: Any = None
        self._pop: Any = None

    def install(self, doors: bool) -> None:
        """Installs the patches and enters hooks and mode in this thread; `doors`: also watch memory shared outside."""
        _active.append(self)
        hooks: Any = torch._C._autograd
        self._push, self._pop = _raw_hooks()
        self._replace(hooks, "_push_saved_tensors_default_hooks", self._push_watched)
        self._replace(hooks, "_pop_saved_tensors_default_hooks", self._pop_watched)
        self._replace(
            hooks, "_saved_tensors_hooks_disable", self._step_aside(hooks._saved_tensors_hooks_disable)
        )
        self._replace(
            hooks, "_saved_tensors_hooks_enable", self._come_back(hooks._saved_tensors_hooks_enable)
        )
        autograd: Any = torch.autograd
        self._replace(autograd, "_engine_run_backward", self._backward(autograd._engine_run_backward))
        self._replace(threading.Thread, "start", self._start(threading.Thread.start))
        if doors:
            self._open_doors()
        self._enter_thread()

    def remove(self) -> None:
        """Removes all patches."""
        self._leave_thread()
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()
        _active.remove(self)

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        own = name in vars(owner)
        before = getattr(owner, name)

        def undo() -> None:
            if own:
                setattr(owner, name, before)
            else:
                delattr(owner, name)

        setattr(owner, name, value)
        self._undo.append(undo)

    # -- hooks and mode of one thread

    def _enter_thread(self) -> None:
        local = self._local
        local.theirs = 0
        local.aside = False
        local.mode = self._trace.write_mode()
        self._push(self._trace.pack, self._trace.unpack)
        local.mode.__enter__()

    def _leave_thread(self) -> None:
        local = self._local
        local.mode.__exit__(None, None, None)
        if not local.aside:
            self._pop()

    def _push_watched(self, pack: Any, unpack: Any) -> None:
        if not hasattr(self._local, "theirs"):
            self._push(pack, unpack)
            return
        self._local.theirs += 1
        self._push(*self._trace.user_hooks(pack, unpack))

    def _pop_watched(self) -> None:
        if hasattr(self._local, "theirs"):
            self._local.theirs -= 1
        self._pop()

    def _step_aside(self, disable: Any) -> Any:
        """Pops the tracer's hooks while torch disables saved-tensor hooks, as `torch.func` transforms do."""

        def disabled(message: str) -> None:
            local = self._local
            ours_alone = getattr(local, "theirs", None) == 0 and not local.aside
            hooks: Any = torch._C._autograd
            if ours_alone and hooks._saved_tensors_hooks_is_enabled():
                self._pop()
                local.aside = True
            disable(message)

        return disabled

    def _come_back(self, enable: Any) -> Any:
        def enabled() -> None:
            enable()
            local = self._local
            if getattr(local, "aside", False):
                local.aside = False
                self._push(self._trace.pack, self._trace.unpack)

        return enabled

    # -- the engine, threads

    def _backward(self, engine: Any) -> Any:
        @functools.wraps(engine)
        def run(roots: Any, *args: Any, **kwargs: Any) -> Any:
            inputs = args[3] if len(args) > 3 else kwargs.get("inputs", ())
            # While a torch.func transform disables hooks, PyTorch's own version check is active.
            if not getattr(self._local, "aside", True):
                self._trace.before_backward(tuple(roots), tuple(inputs or ()))
            with backward_under_way():
                return engine(roots, *args, **kwargs)

        return run

    def _start(self, start: Any) -> Any:
        @functools.wraps(start)
        def started(thread: threading.Thread) -> None:
            run = thread.run

            def traced() -> None:
                self._enter_thread()
                try:
                    run()
                finally:
                    self._leave_thread()

            thread.run = traced  # type: ignore[method-assign]  # in place of the method
            start(thread)

        return started

    # -- memory that others can write

    def _open_doors(self) -> None:
        trace = self._trace

        def leaving(name: str, method: Any) -> Any:
            @functools.wraps(method)
            def call(tensor: Any, *args: Any, **kwargs: Any) -> Any:
                result = method(tensor, *args, **kwargs)
                trace.opened(tensor, name)
                return result

            return call

        def entering(name: str, function: Any) -> Any:
            @functools.wraps(function)
            def call(*args: Any, **kwargs: Any) -> Any:
                result = function(*args, **kwargs)
                if isinstance(result, torch.Tensor) and not (args and isinstance(args[0], torch.Tensor)):
                    trace.opened(result, name)
                return result

            return call

        def writing(name: str, method: Any) -> Any:
            @functools.wraps(method)
            def call(target: Any, *args: Any, **kwargs: Any) -> Any:
                result = method(target, *args, **kwargs)
                storage = target if isinstance(target, torch.UntypedStorage) else target.untyped_storage()
                trace.wrote_storage(int(storage._cdata), name)
                return result

            return call

        for watched, members in ((leaving, _DOORS), (entering, _ENTRANCES), (writing, _UNCOUNTED)):
            for owner, name in members:
                if hasattr(owner, name):
                    self._replace(owner, name, watched(name, getattr(owner, name)))
        for name in _STORAGE:
            self._replace(torch.UntypedStorage, name, writing(name, getattr(torch.UntypedStorage, name)))


def _raw_hooks() -> tuple[Any, Any]:
    """Returns torch's original hook functions, even if an outer trace has replaced them."""
    if len(_active) > 1:
        return _active[-2]._push, _active[-2]._pop
    hooks = torch._C._autograd
    return hooks._push_saved_tensors_default_hooks, hooks._pop_saved_tensors_default_hooks
