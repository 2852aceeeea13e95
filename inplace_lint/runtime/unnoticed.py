"""In a child process: decides findings IPL204 to IPL206, about values that change without an error."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from . import stacks
from .inputs import Call, NoInputs
from .meant import SAME, apart, calls_of
from .scripts import script
from .supervisor import describe
from .targets import on_path
from .verdicts import Verdict, best, place_of, verdict

Stage = Callable[[str], None]


def examine(arguments: dict[str, Any], stage: Stage) -> list[Verdict]:
    """Returns the verdicts on the findings of one block, in order; `arguments` as in `blocks.examine`."""
    on_path(arguments["file"], arguments["top"])
    found = calls_of(arguments, stage)
    calls: list[Call] = []
    if not isinstance(found, NoInputs):
        calls = found
    elif not arguments["names"]:
        calls = [Call(script(arguments["file"]), "file")]
    stage("the run")
    verdicts = []
    for finding in arguments["findings"]:
        decided = [_judge(finding, call) for call in calls]
        reason = found.reason if isinstance(found, NoInputs) else ""
        verdicts.append(best(decided) if decided else verdict("inconclusive", reason))
    return verdicts


def _judge(finding: dict[str, Any], call: Call) -> Verdict:
    watch = _Watch(finding)
    decide = {"IPL204": _stale, "IPL205": _changed, "IPL206": _lost}[finding["code"]]
    inputs = {} if call.source == "file" else dict(call.description)
    try:
        with torch.no_grad():
            status, why = decide(call, watch)
    except Exception as error:  # user code
        status, why = "inconclusive", f"the block ended in another error: {describe(error)[1]}"
    if not watch.count and status != "confirmed":
        status, why = (
            "inconclusive",
            f"the write at {place_of(finding['writes'])} did not run on these inputs",
        )
    on = "on these inputs " if status == "refuted" and inputs else ""
    return verdict(status, f"{on}{why}", inputs, "cpu")


def _stale(call: Call, watch: _Watch) -> tuple[str, str]:
    """Decides IPL204: whether the results change if the write goes to a copy, so that no alias reads it."""
    given = _results(call)
    watch.copies = True
    try:
        with watch:
            other = _results(call)
    except Exception as error:  # user code, which ran well before
        return "confirmed", f"with that change made in memory of its own it ends in {describe(error)[1]}"
    off = max((apart(one, two) for one, two in zip(given, other)), default=0.0)
    if off > SAME:
        why = f"with that change made in memory of its own the result is another (relative error {off:.2g})"
        return "confirmed", why
    return "refuted", "with that change made in memory of its own the result is the same"


def _changed(call: Call, watch: _Watch) -> tuple[str, str]:
    """Decides IPL205: whether a tensor passed by the caller has other values after the call."""
    torch.manual_seed(0)
    function = call.function()
    args, kwargs = call.inputs(grad=False)
    own = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
    before = [one.clone() for one in own]
    with watch:
        function(*args, **kwargs)
    error = max((apart(one, two) for one, two in zip(own, before)), default=0.0)
    if error > 0:
        return (
            "confirmed",
            f"after the call the caller's tensor has other values (relative error {error:.2g})",
        )
    return "refuted", "after the call the caller's tensors are as they were"


def _lost(call: Call, watch: _Watch) -> tuple[str, str]:
    """Decides IPL206: whether the written storage is freed while function, arguments and results are still alive."""
    torch.manual_seed(0)
    function = call.function()
    args, kwargs = call.inputs(grad=False)
    with watch:
        results = function(*args, **kwargs)
    gone = [one() is None for one in watch.written]
    del results
    if gone and all(gone):
        return "confirmed", "the memory that it wrote was freed at once: nothing holds it"
    return "refuted", "the memory that it wrote is still there afterwards"


def _results(call: Call) -> list[torch.Tensor]:
    """Calls with fixed weights and inputs; returns copies of all result tensors and of the module's own tensors."""
    torch.manual_seed(0)
    function = call.function()
    args, kwargs = call.inputs(grad=False)
    found = tree_leaves(function(*args, **kwargs))
    owner = getattr(function, "__self__", function)
    if isinstance(owner, torch.nn.Module):
        found += [*owner.parameters(), *owner.buffers()]
    return [one.detach().clone() for one in found if isinstance(one, torch.Tensor)]


class _Watch(TorchFunctionMode):
    """Counts the in-place operations at a finding's places; with `copies` it redirects them to a clone."""

    def __init__(self, finding: dict[str, Any]) -> None:
        super().__init__()
        self._places = finding["writes"]
        self.copies = False
        self.count = 0
        #: Weak references to the written storages.
        self.written: list[Callable[[], Any]] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        writes = kwargs.get("inplace") is True or name == "__setitem__" or name.startswith("__i")
        writes = writes or (name.endswith("_") and not name.endswith("__"))
        if not writes or not args or not isinstance(args[0], torch.Tensor) or not self._is_there():
            return func(*args, **kwargs)
        self.count += 1
        if self.copies:
            return func(args[0].clone(), *args[1:], **kwargs)
        self.written.append(weakref.ref(args[0].untyped_storage()))
        return func(*args, **kwargs)

    def _is_there(self) -> bool:
        return stacks.within(stacks.spans(stacks.capture(3)), self._places)
