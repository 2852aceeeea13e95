"""In a child process: judges 5xx findings by running attention calls as written and again with corrected arguments."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from . import stacks
from .inputs import Call, NoInputs
from .scripts import script
from .supervisor import describe
from .targets import calls_in, imported, on_path
from .verdicts import Verdict, best, place_of, verdict

Stage = Callable[[str], None]
Arguments = dict[str, Any]

#: Relative error below which results count as equal: rounding of float32 sums in another order.
SAME = 1e-4
_KERNEL = F.scaled_dot_product_attention
_MODULE = F.multi_head_attention_forward
_NAMES = {
    _KERNEL: ("query", "key", "value", "attn_mask", "dropout_p", "is_causal"),
    _MODULE: tuple(inspect.signature(_MODULE).parameters),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A call at the place of a finding: its arguments by name, and the relative error against the corrected call.

    `meant` describes the correction in words; empty if the call needs none.
    """

    arguments: Arguments
    meant: str
    error: float


def examine(arguments: dict[str, Any], stage: Stage) -> list[Verdict]:
    """Returns the verdicts on the 5xx findings of one block, in order; `arguments` as in `blocks.examine`."""
    on_path(arguments["file"], arguments["top"])
    found = calls_of(arguments, stage)
    calls = [found] if isinstance(found, NoInputs) else found
    stage("the run in evaluation")
    return [best([_judge(one, call, arguments["file"]) for call in calls]) for one in arguments["findings"]]


def calls_of(arguments: dict[str, Any], stage: Stage) -> list[Call] | NoInputs:
    if not arguments["names"]:
        return NoInputs("it stands in no function")
    stage("import")
    try:
        module = imported(arguments["module"], arguments["file"])
    except (Exception, SystemExit) as error:
        return NoInputs(f"the file cannot be imported: {describe(error)[1]}")
    stage("inputs")
    return calls_in(module, arguments["names"], arguments["factories"], arguments["captured"])


def _judge(finding: dict[str, Any], call: Call | NoInputs, file: str) -> Verdict:
    inputs = {} if isinstance(call, NoInputs) else dict(call.description)
    seen, error = _run(finding, call, file)
    if error is not None and finding["code"] == "IPL504" and "is_causal" in str(error):
        status, why = "confirmed", f"PyTorch raises: {describe(error)[1]}"
    elif not seen:
        status, why = "inconclusive", _unseen(finding, call, error)
    elif finding["code"] == "IPL502":
        status, why = _layout(finding, call, file, seen[0].arguments)
    else:
        worst = max(seen, key=lambda one: one.error)
        if worst.error > SAME:
            status = "confirmed"
            why = f"{worst.meant} the result is another (relative error {worst.error:.2g})"
        elif finding["code"] == "IPL501" and not _drops_in_training(finding, call, file):
            status, why = "inconclusive", "its probability is 0 on these inputs, in training too"
        else:
            status = "refuted"
            why = f"on these inputs {worst.meant or _AS_MEANT[finding['code']]} the result is the same"
    return verdict(status, why, inputs, "cpu")


def _unseen(finding: dict[str, Any], call: Call | NoInputs, error: Exception | None) -> str:
    """Returns the reason why the call did not run."""
    if isinstance(call, NoInputs):
        return call.reason
    if error is not None:
        return f"the block ended in another error: {describe(error)[1]}"
    return f"the call at {place_of(finding['writes'])} did not run on these inputs"


def _layout(finding: dict[str, Any], call: Call | NoInputs, file: str, short: Arguments) -> tuple[str, str]:
    """Decides IPL502: runs at twice the length; the query axis that grows is the sequence, and must be axis -2."""
    if isinstance(call, NoInputs) or "S" not in call.names:
        return "inconclusive", "there is no length to vary in its inputs"
    longer, _ = _run(finding, call.at(S=2 * call.sizes["S"]), file)
    before = tuple(short["query"].shape)
    after = tuple(longer[0].arguments["query"].shape) if longer else ()
    axes = [axis for axis in range(len(before)) if len(before) == len(after) and before[axis] != after[axis]]
    if len(axes) != 1:
        return "inconclusive", f"the queries are {before}, and {after or 'none'} at twice the length"
    axis, read = axes[0], len(before) - 2
    told = f"the queries are {before} at S = {call.sizes['S']}: their sequence is axis {axis}"
    if axis == read:
        return "refuted", f"on these inputs {told}, the one that the kernel reads"
    operands = [short[name] for name in ("query", "key", "value")]
    given = _KERNEL(*operands)
    meant = _KERNEL(*(one.transpose(axis, read) for one in operands)).transpose(axis, read)
    error = apart(given, meant)
    if error <= SAME:
        return "refuted", f"on these inputs {told}, and the result is the same"
    return (
        "confirmed",
        f"{told}, and the kernel attends along axis {read}: the result is wrong (relative error {error:.2g})",
    )


def _drops_in_training(finding: dict[str, Any], call: Call | NoInputs, file: str) -> bool:
    return any(one.meant for one in _run(finding, call, file, training=True)[0])


def _run(
    finding: dict[str, Any], call: Call | NoInputs, file: str, training: bool = False
) -> tuple[list[Seen], Exception | None]:
    """Runs the block; returns the attention calls seen at the finding's place, and the error that ended the run."""
    watch = _Watch(finding)
    torch.manual_seed(0)
    try:
        if isinstance(call, NoInputs):
            block = script(file)
            with watch:
                block()
        else:
            function = call.function()
            owner = getattr(function, "__self__", function)
            if isinstance(owner, torch.nn.Module):
                owner.train(training)
            args, kwargs = call.inputs(grad=False)
            with watch:
                function(*args, **kwargs)
    except Exception as error:  # user code
        return watch.seen, error
    return watch.seen, None


class _Watch(TorchFunctionMode):
    """Records each attention call at a finding's place, and repeats it with corrected arguments to compare results."""

    def __init__(self, finding: dict[str, Any]) -> None:
        super().__init__()
        self._finding = finding
        self.seen: list[Seen] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func not in _NAMES or not self._is_there():
            return func(*args, **kwargs)
        arguments = {**dict(zip(_NAMES[func], args)), **kwargs}
        state = torch.get_rng_state()
        result = func(**arguments)
        changed, words = _meant(self._finding["code"], func, arguments)
        error = 0.0
        if words:
            after = torch.get_rng_state()
            torch.set_rng_state(state)
            with contextlib.suppress(RuntimeError):
                error = apart(_first(result), _first(func(**changed)))
            torch.set_rng_state(after)
        self.seen.append(Seen(arguments, words, error))
        return result

    def _is_there(self) -> bool:
        return stacks.within(stacks.spans(stacks.capture(3)), self._finding["writes"])


#: The reason for a refutation, by rule, when the call needed no correction.
_AS_MEANT = {
    "IPL501": "no dropout was asked for in evaluation, and",
    "IPL503": "no boolean mask was given, and",
    "IPL504": "there are as many keys as queries, and",
}


def _meant(code: str, func: Any, given: Mapping[str, Any]) -> tuple[Arguments, str]:
    """Returns the corrected arguments of a call, and the correction in words; empty if nothing is to correct."""
    mask = given.get("attn_mask")
    if code == "IPL501" and given.get("dropout_p"):
        return {**given, "dropout_p": 0.0}, f"without its dropout of {given['dropout_p']:g} in evaluation"
    if code == "IPL503" and isinstance(mask, torch.Tensor) and mask.dtype == torch.bool:
        return {**given, "attn_mask": ~mask}, f"with its mask inverted, which keeps {_kept(func, mask)},"
    if (
        code == "IPL503"
        and isinstance(mask, torch.Tensor)
        and bool(((mask == 0) | (mask == -torch.inf)).all())
    ):
        # nn.MultiheadAttention turns a boolean mask into a float mask of 0 and -inf.
        other = torch.zeros_like(mask).masked_fill(mask == 0, -torch.inf)
        words = f"with its mask inverted, which keeps {_kept(_KERNEL, mask == 0)},"
        return {**given, "attn_mask": other}, words
    if code == "IPL504" and mask is None and func is _KERNEL:
        length, keys = given["query"].size(-2), given["key"].size(-2)
        if length != keys:
            lower = torch.ones(length, keys, dtype=torch.bool, device=given["query"].device).tril(
                keys - length
            )
            words = f"with a triangle that ends at the last of {keys} keys for {length} queries"
            return {**given, "attn_mask": lower, "is_causal": False}, words
    if code == "IPL504" and isinstance(mask, torch.Tensor):
        return {**given, "is_causal": False}, "without `is_causal` beside the mask"
    return dict(given), ""


def _kept(func: Any, mask: torch.Tensor) -> str:
    """Describes which share of query-key pairs the inverted mask keeps, and which the given one."""
    share = float(mask.double().mean())
    now, then = (1 - share, share) if func is _MODULE else (share, 1 - share)
    return f"{then:.0%} of the pairs in place of {now:.0%}"


def _first(result: Any) -> torch.Tensor:
    first: torch.Tensor = result[0] if isinstance(result, tuple) else result
    return first


def apart(given: torch.Tensor, meant: torch.Tensor) -> float:
    """Returns the relative error of `given`: the norm of the difference over that of `meant`.

    Infinite if the two are finite at different elements; elements that are not finite in both are left out.
    """
    known = torch.isfinite(given) & torch.isfinite(meant)
    size = float(meant[known].detach().double().norm())
    apart = float((given - meant)[known].detach().double().norm())
    if bool((torch.isfinite(given) != torch.isfinite(meant)).any()):
        return float("inf")
    return apart / size if size else apart
