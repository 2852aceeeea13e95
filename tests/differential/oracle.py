"""What torch itself says of a program: which writes make saved tensors stale before a backward reads them.

Every outcome of a program's flags is run twice. The native run tells whether PyTorch raises, and where. The
traced run tells all of the truth: pack hooks record each saved tensor with its version, a dispatch mode
records each write, and the unpack hooks, which backward calls for exactly the nodes that it runs, find the
saves whose version has moved. Hooks switch PyTorch's own check off, hence the two runs; a program on which
they disagree is discarded and counted.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import re
import sys
import traceback
import warnings
from types import CodeType, FrameType, FunctionType, SimpleNamespace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .generator import Program

FILENAME = "program.py"
Stack = tuple[int, ...]  # lines of the program, innermost first

#: Errors that a write raises at once: what their message says -> the rule that speaks of them.
IMMEDIATE = (
    ("a leaf Variable that requires grad", "IPL103"),
    ("This view is the output of a function that returns multiple views", "IPL104"),
    ("more than one element of the written-to tensor", "IPL105"),
    ("functions with out=... arguments don't support automatic differentiation", "IPL107"),
    ("no_grad mode", "IPL108"),
)
#: Attributes of nodes that do not tell a result from an input: no name, and the indices of sort as of index_put.
KINDS = {"?": "either", "indices": "either"}
INDIRECT = "its base or another view of its base"
STALE = "has been modified by an inplace operation"


class Discard(Exception):
    """The program raises for a reason that is none of the rules' business, or the two runs disagree."""


class Write:
    """A write that made saves stale: its call stack, and the kind, node and call stack of each save.

    Kinds are `result`, `input` and `either`, where the node does not tell.
    """

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.saves: set[tuple[str, str, Stack]] = set()

    @property
    def kinds(self) -> set[str]:
        return {kind for kind, _, _ in self.saves}

    def kinds_seen_from(self, row: int) -> set[str]:
        """The kinds of the saves that were made under the same call as the line `row` of the write's stack.

        A function that wrote what its caller had saved can be judged at the call alone.
        """
        if row not in self.stack:
            return set()
        callers = self.stack[self.stack.index(row) + 1 :]
        depth = len(callers)
        return {
            kind
            for kind, _, stack in self.saves
            if len(stack) > depth and stack[len(stack) - depth :] == callers
        }

    def __repr__(self) -> str:
        saves = sorted(f"{kind} saved by {node} at {stack}" for kind, node, stack in self.saves)
        return f"write at {self.stack}: {', '.join(saves)}"


class Truth:
    """The union over a program's outcomes.

    `hazards` must be found. `escapes` may be: their graph reaches only an argument or a buffer that the
    program changed, and no backward here, they need another caller of a public function, or they write through an
    expanded tensor without an error. `immediate` has
    the writes that raise at once, `behind` those that would, had not a backward before them raised.
    """

    def __init__(self) -> None:
        self.hazards: dict[Stack, Write] = {}
        self.escapes: dict[Stack, Write] = {}
        self.immediate: dict[Stack, str] = {}
        self.indirect: set[Stack] = set()  # of the immediate: a use, which the write of a base has spoiled
        self.behind: dict[Stack, str] = {}

    @property
    def hazardous(self) -> bool:
        return bool(self.hazards or self.immediate)

    def __repr__(self) -> str:
        lines = [repr(write) for write in self.hazards.values()]
        lines += [f"(escape) {write!r}" for write in self.escapes.values()]
        lines += [f"{code} at once at {stack}" for stack, code in self.immediate.items()]
        return "\n".join(lines) or "clean"


def judge(program: Program) -> Truth:
    """The truth about a program; raises Discard where it has none."""
    truth = Truth()
    code = compile(program.source, FILENAME, "exec", dont_inherit=True)
    for outcome in itertools.product((False, True), repeat=program.flags):
        native = _execute(code, program, outcome, {}, [])
        tracer = _Tracer()
        traced = tracer.run(code, program, outcome)
        stale = native is not None and native[0] == "stale"
        # What only happens in evaluation mode is `possible` by design: nobody trains there. It may be found or not.
        evaluation = "model.train(training)" in program.source and not outcome[-1]
        if native is not None and not stale:
            if traced is None or traced[:2] != native[:2]:
                raise Discard(f"disagreement: native {native}, traced {traced}")
            (truth.behind if evaluation else truth.immediate)[native[1]] = native[0]
            if INDIRECT in native[2]:
                truth.indirect.add(native[1])
        elif (
            stale and traced is not None
        ):  # the traced run went on, and met an error that waits behind the hazard
            truth.behind[traced[1]] = traced[0]
        elif traced is not None:
            raise Discard(f"disagreement: native {native}, traced {traced}")
        if (native is None and tracer.hazards) or (stale and not tracer.hazards):
            raise Discard(f"disagreement: native {native}, traced {list(tracer.hazards.values())}")
        for stack in tracer.through:
            truth.escapes.setdefault(stack, Write(stack))
        required = truth.escapes if evaluation else truth.hazards
        for into, found in ((required, tracer.hazards), (truth.escapes, tracer.escapes)):
            for stack, write in found.items():
                into.setdefault(stack, Write(stack)).saves |= write.saves
    _public_helpers(code, program, truth)
    return truth


def _public_helpers(code: CodeType, program: Program, truth: Truth) -> None:
    """Adds to the escapes what a program's helpers do to arguments that require grad.

    Anybody may call them so, whether the program does or not; only a private function that the program calls
    has no other callers.
    """
    namespace: dict[str, Any] = {"__name__": "program"}
    names = set(re.findall(r"^def (?!main|_?program)(\w+)", program.source, re.MULTILINE))
    names = {name for name in names if name[0] != "_" or len(re.findall(rf"\b{name}\b", program.source)) == 1}
    classes = re.findall(r"^class (Block\d+|Model)\(nn\.Module\)", program.source, re.MULTILINE)
    classes = classes if program.form == "project" else []
    if not names and not classes:
        return
    with contextlib.suppress(Discard):  # a script's error; the functions stand above it
        _execute(code, Program(program.source, program.form, "", 0), (), namespace, [])
    for name in sorted(names & namespace.keys()):
        function: FunctionType = namespace[name]
        if not inspect.signature(function).parameters:
            continue  # what it writes is the program's, not its caller's
        for flag in (False, True) if "flag" in inspect.signature(function).parameters else (False,):
            tracer = _Tracer()
            tracer.call(function, flag)
            for stack, write in tracer.hazards.items():
                truth.escapes.setdefault(stack, write)
    for name in classes:
        for method in ("forward", "step"):
            for flag in (False, True):
                found = getattr(namespace[name](), method, None) if name in namespace else None
                if found is not None:
                    _public_method(found, flag, truth)


def _public_method(method: Any, flag: bool, truth: Truth) -> None:
    """Adds to the escapes what a method does to arguments that require grad."""
    tracer = _Tracer()
    try:
        tracer.call(method, flag)
    except RuntimeError as error:
        frames = reversed(traceback.extract_tb(error.__traceback__))
        stack = tuple(frame.lineno or 0 for frame in frames if frame.filename == FILENAME)
        # What the rest of the method would have done is not known.
        last = max(row or 0 for _, _, row in method.__code__.co_lines())
        for row in range(max(stack[-1:], default=0) + 1, last + 1):
            truth.escapes.setdefault((row,), Write((row,)))
        truth.escapes.setdefault(stack, Write(stack))
    for stack, write in tracer.hazards.items():
        truth.escapes.setdefault(stack, write)


def _execute(
    code: CodeType, program: Program, outcome: tuple[bool, ...], namespace: dict[str, Any], held: list[Any]
) -> tuple[str, Stack, str] | None:
    """Runs one outcome; a foreseen error as (code or "stale", stack, message).

    `namespace` receives the program's globals, `held` what the function under test was called with.
    """
    torch.manual_seed(0)
    namespace["__name__"] = "program"
    before = sys.argv
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if program.entry:
                exec(code, namespace)
                for name in ("program", "_program"):
                    if name in namespace and name != program.entry:
                        namespace[name] = _watched(namespace[name], held)
                if "Model" in namespace:
                    namespace["Model"].__call__ = _watched(torch.nn.Module.__call__, held)
                namespace[program.entry](*outcome)
            else:
                sys.argv = ["program", *(f"flag{index}" for index, on in enumerate(outcome) if on)]
                exec(code, namespace)
    except Exception as error:
        message = str(error)
        frames = traceback.extract_tb(error.__traceback__)
        in_backward = any(frame.name == "backward" and frame.filename != FILENAME for frame in frames)
        # A saved multi-view output whose base was written is refused in backward too, in the words of IPL104.
        if STALE in message or (in_backward and "has been modified inplace" in message):
            return "stale", (), message
        stack = tuple(frame.lineno or 0 for frame in reversed(frames) if frame.filename == FILENAME)
        for text, rule in IMMEDIATE:
            if isinstance(error, RuntimeError) and text in message and not in_backward:
                return rule, stack, message
        first = re.sub(r"[0-9]+", "N", message.partition("\n")[0])[:150]
        raise Discard(f"{type(error).__name__}: {first}") from None
    finally:
        sys.argv = before
        torch.set_grad_enabled(True)
    return None


def _stack() -> Stack:
    frame: FrameType | None = sys._getframe(2)
    lines = []
    while frame is not None:
        if frame.f_code.co_filename == FILENAME:
            lines.append(frame.f_lineno)
        frame = frame.f_back
    return tuple(lines)


def _overlaps(tensor: torch.Tensor) -> bool:
    """Whether elements of a tensor share memory."""
    return any(size > 1 and not step for size, step in zip(tensor.shape, tensor.stride()))


class _Save:
    """What a pack hook keeps of a tensor. `detach` shares the version counter and makes no cycle."""

    __slots__ = ("moment", "stack", "tensor", "version")

    def __init__(self, tensor: torch.Tensor, moment: int, stack: Stack) -> None:
        self.tensor = tensor.detach()
        self.version = tensor._version
        self.moment = moment
        self.stack = stack


class _Tracer(TorchDispatchMode):
    """Records the writes and the saves of one run, and judges each save when backward asks for it."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[tuple[torch.Tensor, Stack]] = []
        self.through: set[Stack] = set()  # writes of expanded tensors that PyTorch lets pass
        self.parts: dict[int, torch.Tensor] = {}  # views of expanded tensors
        self.hazards: dict[Stack, Write] = {}
        self.escapes: dict[Stack, Write] = {}
        self.names: dict[int, tuple[str, str]] = {}  # id of a save -> node, attribute
        self.saved: list[_Save] = []
        self.found = self.hazards
        self.held: list[Any] = []
        self.calls = 0

    def run(
        self, code: CodeType, program: Program, outcome: tuple[bool, ...]
    ) -> tuple[str, Stack, str] | None:
        """Runs one outcome under the tracer; see `_execute`."""
        engine = torch.autograd._engine_run_backward
        self.engine = engine
        torch.autograd._engine_run_backward = self.backward
        try:
            with torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack), self:
                return _execute(code, program, outcome, {}, self.held)
        finally:
            torch.autograd._engine_run_backward = engine

    def call(self, function: Any, flag: bool) -> None:
        """Calls a helper with tensors that require grad; backward from its result and its arguments."""
        stand_ins: dict[str, Any] = {"flag": flag, "flag0": flag, "flag1": flag, "box": SimpleNamespace()}
        with torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack), self:
            for name in inspect.signature(function).parameters:
                stand_ins.setdefault(name, torch.rand(4, 4, requires_grad=True) * 1.0)
            arguments = [stand_ins[name] for name in inspect.signature(function).parameters]
            result = function(*arguments)
            roots = [each for each in (result, *arguments) if isinstance(each, torch.Tensor)]
            # What a method leaves in its object outlives the call as well.
            owner = getattr(function, "__self__", None)
            if isinstance(owner, torch.nn.Module):
                roots += _tensors(list(owner.modules()))
            self.name_saves([root.grad_fn for root in roots])
            for root in roots:
                if root.grad_fn is not None:
                    root.sum().backward(retain_graph=True)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        schema = func._schema
        if schema.is_mutable:
            stack = _stack()
            for index, argument in enumerate(schema.arguments):
                if argument.alias_info is not None and argument.alias_info.is_write:
                    value = args[index] if index < len(args) else kwargs.get(argument.name)
                    for each in value if isinstance(value, (list, tuple)) else [value]:
                        if isinstance(each, torch.Tensor):
                            self.writes.append((each, stack))
                            if _overlaps(each) or id(each) in self.parts:
                                self.through.add(stack)
        result = func(*args, **kwargs)
        given = args[0] if args else None
        if isinstance(given, torch.Tensor) and isinstance(result, torch.Tensor):
            of_expanded = _overlaps(given) or id(given) in self.parts
            if of_expanded and result.untyped_storage().data_ptr() == given.untyped_storage().data_ptr():
                self.parts[id(result)] = result
        return result

    def pack(self, tensor: torch.Tensor) -> _Save:
        save = _Save(tensor, len(self.writes), _stack())
        self.saved.append(save)  # kept, so that no id and no storage is used twice
        return save

    def unpack(self, save: _Save) -> torch.Tensor:
        if save.tensor._version != save.version:
            node, attribute = self.names.get(id(save), ("?", "?"))
            kind = KINDS.get(attribute, "result" if attribute.startswith(("result", "output")) else "input")
            moved = [
                stack for tensor, stack in self.writes[save.moment :] if _share_counter(tensor, save.tensor)
            ]
            if not moved:
                raise Discard(f"disagreement: no write found for the save at {save.stack} by {node}")
            for stack in moved:
                self.found.setdefault(stack, Write(stack)).saves.add((kind, node, save.stack))
        return save.tensor

    def backward(self, tensors: Any, *args: Any, **kwargs: Any) -> Any:
        """Stands in for the engine: names the saves, tries what escapes, then runs the backward asked for."""
        self.name_saves([tensor.grad_fn for tensor in tensors])
        escaped = _tensors(self.held)
        if escaped:
            self.name_saves([tensor.grad_fn for tensor in escaped])
            before, self.found = self.found, self.escapes
            gradients = tuple(torch.ones_like(tensor) for tensor in escaped)
            # What only an argument keeps may have been freed, or refuse; that is no error of the program.
            with contextlib.suppress(RuntimeError):
                self.engine(
                    tuple(escaped), gradients, True, False, (), allow_unreachable=True, accumulate_grad=True
                )
            self.found = before
        return self.engine(tensors, *args, **kwargs)

    def name_saves(self, roots: list[Any]) -> None:
        seen: set[Any] = set()
        todo = [root for root in roots if root is not None]
        while todo:
            node = todo.pop()
            if node in seen:
                continue
            seen.add(node)
            for attribute in _raw_attributes(type(node)):
                raw = getattr(node, attribute)
                for each in raw if isinstance(raw, (list, tuple)) else [raw]:
                    self.name_save(each, type(node).__name__, attribute.removeprefix("_raw_saved_"))
            todo.extend(following for following, _ in node.next_functions if following is not None)

    def name_save(self, raw: Any, node: str, attribute: str) -> None:
        try:
            data = raw.data if raw is not None else None
        except RuntimeError:  # freed by an earlier backward
            return
        if isinstance(data, _Save):
            self.names[id(data)] = (node, attribute)


def _share_counter(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether a write of one tensor is seen by the other: the same memory may have several version counters."""
    if one.untyped_storage()._cdata != other.untyped_storage()._cdata:
        return False
    before = other._version
    torch.autograd.graph.increment_version(one)
    shared = other._version != before
    torch._C._autograd._unsafe_set_version_counter((one,), (one._version - 1,))
    return shared


_RAW: dict[type, list[str]] = {}


def _raw_attributes(node: type) -> list[str]:
    if node not in _RAW:
        _RAW[node] = [name for name in dir(node) if name.startswith("_raw_saved_")]
    return _RAW[node]


def _watched(function: Any, held: list[Any]) -> Any:
    """The function, keeping what it is called with: its caller may go on to use that."""

    def call(*args: Any, **kwargs: Any) -> Any:
        held.extend((*args, *kwargs.values()))
        return function(*args, **kwargs)

    return call


def _tensors(held: list[Any]) -> list[torch.Tensor]:
    """Tensors that outlive a call: arguments that have a history, a model's buffers and what else it keeps."""
    tensors = [each for each in held if isinstance(each, torch.Tensor)]
    for each in held:
        if isinstance(each, torch.nn.Module):
            tensors.extend(each.buffers())
            tensors.extend(value for value in vars(each).values() if isinstance(value, torch.Tensor))
    return [tensor for tensor in tensors if tensor.grad_fn is not None]
