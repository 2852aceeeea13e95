"""The version tracer: records saves and in-place writes, and reports each backward that reads a changed save.

PyTorch skips its own version check while saved-tensor hooks are active, so the tracer repeats it: `unpack` raises
where the check would.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from . import graph, stacks
from .checksums import differs, fold
from .patches import Patches
from .records import CHECKPOINT, DATA, HOOKS, SHARED, UNCOUNTED, Hazard, Home, Region, Save, Write
from .writes import WriteMode

if TYPE_CHECKING:
    from ..model import Diagnostic

#: The attribute by which a tensor that a checkpointed region saved on recomputation carries its `Save`.
_RECORD = "_inplace_lint_save"


def announce(hazard: Hazard, colour: bool = False) -> None:
    """Prints a hazard to standard error, as `check` prints a finding."""
    import sys

    from ..report import render
    from ..report.findings import Findings
    from .findings import diagnostic

    text = render("full", Findings([diagnostic(hazard)], colour=colour))
    print(text, end="", file=sys.stderr, flush=True)


class Trace:
    """Traces saves and in-place writes in the body, in this thread and in threads started meanwhile.

    `checksums` also finds changes that bump no version counter, at the cost of reading each saved tensor twice.
    `on_hazard` is called for each new hazard, before the backward runs if possible; by default it prints the hazard,
    None calls nothing. With `raises`, a backward over a changed save ends in a RuntimeError as it does without the
    tracer; otherwise it continues with the changed values. `journal` keeps all saves and writes, to tell what ran.
    """

    def __init__(
        self,
        *,
        checksums: bool = True,
        raises: bool = True,
        on_hazard: Callable[[Hazard], None] | None = announce,
        journal: bool = False,
    ) -> None:
        self._checksums = checksums
        self._raises = raises
        self._on_hazard = on_hazard
        self._found: dict[Any, Hazard] = {}
        self._homes: weakref.WeakValueDictionary[int, Home] = weakref.WeakValueDictionary()
        self._doors: dict[int, tuple[Any, str, stacks.Stack]] = {}
        self._moment = 0
        self._backwards = 0
        self._optimizers: list[str] = []
        self._patches = Patches(self)
        self._handles: list[Any] = []
        self._errors: list[Diagnostic] = []
        self.saves: list[tuple[str, stacks.Stack]] | None = [] if journal else None
        self.writes: list[Write] | None = [] if journal else None
        self.idle: list[stacks.Stack] = []  # writes to saved memory that left its values as they were

    # -- what a user sees

    def __enter__(self) -> Trace:
        self._handles = [
            register_optimizer_step_pre_hook(self._step_begins),
            register_optimizer_step_post_hook(self._step_ends),
        ]
        self._patches.install(self._checksums)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._patches.remove()
        for handle in self._handles:
            handle.remove()
        if error is not None:
            from .immediate import diagnostic

            found = diagnostic(error)
            if found is not None:
                self._errors.append(found)

    def _step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        self._optimizers.append(type(optimizer).__name__)

    def _step_ends(self, *_: Any) -> None:
        if self._optimizers:
            self._optimizers.pop()

    @property
    def hazards(self) -> list[Hazard]:
        """The hazards in order of discovery; those on a custom Function's saves only once a backward has read them."""
        return [one for one in self._found.values() if one.read or not one.from_python]

    @property
    def has_run_backward(self) -> bool:
        """Whether any backward began."""
        return self._backwards > 0

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The hazards as findings of `check`, and an error raised by a write if one ended the run."""
        from .findings import diagnostic

        return [*(diagnostic(hazard) for hazard in self.hazards), *self._errors]

    def report(self, colour: bool = False) -> str:
        """Renders the findings as `check` prints them; empty if there are none."""
        from ..report import render
        from ..report.findings import Findings

        return render("full", Findings(self.diagnostics, colour=colour))

    # -- saves

    def pack(self, tensor: torch.Tensor) -> Save:
        """The pack hook: autograd calls it with each tensor that it saves."""
        save = self._save(tensor, stacks.capture(), alias=True)
        if self._checksums:
            save.checksum = fold(tensor)
        return save

    def unpack(self, save: Save) -> torch.Tensor:
        """The unpack hook: backward calls it to read a save. Raises RuntimeError if the save has changed."""
        self._examine(save, reading=True)
        kept = save.tensor
        assert kept is not None
        origin = save.origin()
        if origin is not None and origin is not kept and _storage(origin) != save.storage:
            # After `x.data = new`, backward without hooks would read the new data.
            return origin.detach()
        return kept

    def pack_beneath(self, tensor: torch.Tensor, hooks: _UserHooks) -> _Packed:
        """The pack hook around the program's own hooks: calls theirs, and records a save for what they keep."""
        stack = stacks.capture()
        try:
            inner = hooks.pack(tensor)
        except BaseException:
            # Checkpointing ends its recomputation early by an exception from its pack hook.
            getattr(tensor, "__dict__", {}).pop(_RECORD, None)
            raise
        home = _storage(tensor)
        alias = home != 0 and any(_storage(one) == home for one in _tensors(inner))
        save = self._save(tensor, stack, alias)
        save.hidden = CHECKPOINT if hooks.checkpoints else HOOKS
        if self._checksums and (alias or hooks.checkpoints):
            save.checksum = fold(tensor)
        if alias and hooks.checkpoints and isinstance(inner, torch.Tensor):
            setattr(inner, _RECORD, save)
        return _Packed(save, inner, hooks)

    def unpack_beneath(self, packed: _Packed) -> torch.Tensor:
        """The unpack hook for values of `pack_beneath`."""
        save = packed.save
        if not packed.hooks.checkpoints:
            if save.tensor is not None:
                self._examine(save, reading=True)
            return packed.hooks.unpack(packed.inner)
        value = packed.hooks.unpack(packed.inner)
        again: Save | None = getattr(value, "__dict__", {}).get(_RECORD)
        if again is not None and value is not packed.inner:
            again.node, again.attribute, again.unread = save.node, save.attribute, save.unread
            if not self._examine(again, reading=True):
                self._examine_region(save, value)
        elif again is None and value is not packed.inner:
            self._examine_region(save, value)
        return value

    def _save(self, tensor: torch.Tensor, stack: stacks.Stack, alias: bool) -> Save:
        key = _storage(tensor)
        home = self._homes.get(key) if key else None
        if home is None:
            home = Home()
            if key:
                self._homes[key] = home
        save = Save(_detached(tensor) if alias else None, tensor, home, self._moment, stack)
        save.storage = key
        if key:
            save.region = _region(tensor)
        if self.saves is not None:
            self.saves.append((tensor.device.type, stack))
        return save

    # -- writes

    def wrote(self, tensor: torch.Tensor, op: str, version: int, counted: bool) -> None:
        """Records an in-place write that was just made to a tensor."""
        key = _storage(tensor)
        home = self._homes.get(key) if key else None
        if home is None and self.writes is None:
            return
        optimizer = self._optimizers[-1] if self._optimizers else None
        self._moment += 1
        write = Write(
            self._moment - 1,
            stacks.capture(3),
            op,
            version,
            _region(tensor),
            counted,
            optimizer,
            torch.is_grad_enabled(),
        )
        if home is not None:
            home.writes.append(write)
        if self.writes is not None:
            self.writes.append(write)

    def wrote_storage(self, key: int, op: str) -> None:
        """Records a write to a storage that bypassed PyTorch's operators."""
        home = self._homes.get(key)
        self._moment += 1
        write = Write(self._moment - 1, stacks.capture(3), op, 0, None)
        if home is not None:
            home.writes.append(write)
        if self.writes is not None:
            self.writes.append(write)

    def opened(self, tensor: torch.Tensor, door: str) -> None:
        """Records that code outside of PyTorch can write a tensor's memory from now on; `door` names the function."""
        key = _storage(tensor)
        if key:
            self._doors[key] = (weakref.ref(tensor.untyped_storage()), door, stacks.capture(3))

    # -- hazards

    def write_mode(self) -> WriteMode:
        """Returns a dispatch mode that reports the writes of one thread."""
        return WriteMode(self.wrote)

    def user_hooks(
        self, pack: Callable[[torch.Tensor], Any], unpack: Callable[[Any], torch.Tensor]
    ) -> tuple[Callable[[torch.Tensor], _Packed], Callable[[_Packed], torch.Tensor]]:
        """Wraps the program's own hooks to record what they save."""
        hooks = _UserHooks(pack, unpack)
        return lambda tensor: self.pack_beneath(tensor, hooks), self.unpack_beneath

    def before_backward(self, roots: tuple[Any, ...], inputs: tuple[Any, ...]) -> None:
        """Checks every save that a backward from these roots is going to read."""
        self._backwards += 1
        for node in graph.asked_for(roots, inputs):
            python = graph.is_written_in_python(node)
            for attribute, data in graph.kept(node):
                if isinstance(data, _Packed):
                    data = data.save
                if isinstance(data, Save):
                    data.node, data.attribute = (type(node).__name__, python), attribute
                    data.unread = graph.leaves_unread(node, attribute)
                    if data.tensor is not None:
                        self._examine(data, reading=False)

    def _examine(self, save: Save, reading: bool) -> bool:
        """Checks a save; if it has changed, records and reports the hazard, raises if asked to, and returns True."""
        if save.unread and save.tensor is not None and save.tensor._version == save.version:
            return False
        hazard = save.hazard
        if hazard is None or save.checked[1] != len(save.home.writes):
            hazard = self._judge(save)
        if hazard is None:
            return False
        save.hazard = hazard = self._found.setdefault(hazard.key(), hazard)
        hazard.read = hazard.read or reading
        if not hazard.reported and (hazard.read or not hazard.from_python):
            hazard.reported = True
            if self._on_hazard is not None:
                self._on_hazard(hazard)
        if reading and self._raises and hazard.silent is None:
            from .findings import sentence

            raise RuntimeError(f"{_torch_words(save, hazard)} inplace-lint: {sentence(hazard)}")
        return True

    def _judge(self, save: Save) -> Hazard | None:
        tensor = save.tensor
        assert tensor is not None
        version = tensor._version
        origin = save.origin()
        if version == save.version and origin is not None and _storage(origin) != save.storage:
            if self._checksums and differs(origin, save.checksum) is False:
                return None
            return self._hazard(save, (), DATA, changed=True)
        if version != save.version:
            changed = differs(tensor, save.checksum)
            if save.hidden and changed is False:
                self._left_alone(save)
                return None
            return self._hazard(save, self._overlapping(save), save.hidden, changed)
        # The version is unchanged, so PyTorch is silent: only changed bytes, or an uncounted write, make a hazard.
        state = (self._backwards, len(save.home.writes))
        if save.checked == state:
            return None
        save.checked = state
        later = save.later_writes()
        if save.checksum is not None:
            if not differs(tensor, save.checksum):
                self._left_alone(save)
                return None
        elif not later:
            return None
        writes = tuple(write for write in later if _touches(write, save))
        if save.checksum is None and not writes:
            return None
        silent = SHARED if not writes else DATA if writes[0].counted else UNCOUNTED
        return self._hazard(save, writes, silent, True if save.checksum is not None else None)

    def _examine_region(self, save: Save, value: torch.Tensor) -> None:
        """Compares a value that a checkpointed region recomputed with the one that its forward pass saved.

        They may differ for reasons other than a write, so the saved tensor's version must have moved too.
        """
        origin = save.origin()
        if origin is None or origin._version == save.version or not differs(value, save.checksum):
            return
        hazard = self._hazard(save, tuple(save.later_writes()), CHECKPOINT, changed=True)
        hazard = self._found.setdefault(hazard.key(), hazard)
        hazard.read = True
        if not hazard.reported:
            hazard.reported = True
            if self._on_hazard is not None:
                self._on_hazard(hazard)

    def _hazard(
        self, save: Save, writes: tuple[Write, ...], silent: str | None, changed: bool | None
    ) -> Hazard:
        if save.node is None:
            current = torch._C._current_autograd_node()
            python = current is not None and graph.is_written_in_python(current)
            save.node = (type(current).__name__ if current is not None else "", python)
        tensor = save.tensor
        now = tensor._version if tensor is not None else save.version
        door = None
        if silent in (SHARED, None) and save.storage in self._doors:
            storage, name, stack = self._doors[save.storage]
            door = (name, stack) if storage() is not None else None
        return Hazard(
            save.node[0],
            save.attribute,
            save.node[1],
            save.shape,
            save.dtype,
            save.stack,
            writes,
            (save.version, now),
            silent,
            changed,
            door,
            changed is not True and bool(writes) and not any(_touches(one, save) for one in writes),
        )

    def _overlapping(self, save: Save) -> tuple[Write, ...]:
        """Returns the writes since a save that touch its bytes; if none does, all of them, since the version moved."""
        later = save.later_writes()
        return tuple([write for write in later if _touches(write, save)] or later)

    def _left_alone(self, save: Save) -> None:
        """Records the writes to a save's bytes that did not change their values."""
        if self.writes is not None:
            self.idle += [write.stack for write in save.later_writes() if _touches(write, save)]


def _touches(write: Write, save: Save) -> bool:
    """Whether a write may touch a byte of a save."""
    return write.region is None or save.region is None or write.region.overlaps(save.region)


class _UserHooks:
    """A pair of saved-tensor hooks that the program installed."""

    __slots__ = ("checkpoints", "pack", "unpack")

    def __init__(self, pack: Callable[[torch.Tensor], Any], unpack: Callable[[Any], torch.Tensor]) -> None:
        self.pack = pack
        self.unpack = unpack
        # Checkpointing saves nothing and recomputes, so what its pack hook returns is no save.
        wrapped = getattr(pack, "__wrapped__", pack)
        self.checkpoints = getattr(wrapped, "__module__", "") == "torch.utils.checkpoint"


class _Packed:
    """What the program's pack hook returned, and the record of the tensor that it was given."""

    __slots__ = ("hooks", "inner", "save")

    def __init__(self, save: Save, inner: Any, hooks: _UserHooks) -> None:
        self.save = save
        self.inner = inner
        self.hooks = hooks


def _storage(tensor: Any) -> int:
    """Returns an id of the tensor's storage, valid while it lives; 0 for a tensor without one."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError, AttributeError):
        return 0


def _region(tensor: torch.Tensor) -> Region | None:
    try:
        return Region.of(tensor)
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def _detached(tensor: torch.Tensor) -> torch.Tensor:
    """Returns an alias with the same memory and version counter. Keeping the tensor itself would form a cycle."""
    if type(tensor) in (torch.Tensor, torch.nn.Parameter):
        with torch._C._DisableTorchDispatch():
            return tensor.detach()
    return tensor.detach()


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for one in value for tensor in _tensors(one)]
    return []


def _torch_words(save: Save, hazard: Hazard) -> str:
    """Returns the begin of PyTorch's own error message, which programs and tests look for."""
    kept = save.tensor
    kind = kept.type() if kept is not None else "torch.Tensor"
    shape = ", ".join(map(str, save.shape))
    before, now = hazard.versions
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} [{shape}]], saved by {hazard.node}, is at version {now}; expected version {before} instead."
    )
