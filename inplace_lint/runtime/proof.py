"""Proves a rewrite by running it beside the original: same weights and inputs, in float64, results and gradients."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from .doubled import in_double
from .immediate import is_stale
from .inputs.call import Call
from .observe import journal
from .proof_inputs import Variant, inputs_of, may_drop_all, module_of, variants
from .snapshot import snapshot

#: The largest relative difference allowed in float64: correct rewrites differ by 1e-15 to 5e-15, a scale that is off by
#: 0.1% by 2e-3.
TOLERANCE = 1e-10
#: The most characters of an error that are told: torch's about writes in place have 240, without their hint.
_SAID = 300
#: The number of runs of each form to compare their means under dropout.
_DRAWS = 64


@dataclass(frozen=True, slots=True)
class Trial:
    """One comparison: its inputs, seed and mode, and the largest difference `error`.

    Without a difference, `skipped` says why the original does not run on these inputs, or `failed` how the rewrite
    fails where the original runs. `of_kinds`: only the dtypes of the results were compared. `no_key`: a mask may drop
    all keys of a row, whose result is then undefined.
    """

    name: str
    seed: int
    inputs: dict[str, str]
    training: bool
    error: float | None = None
    skipped: str = ""
    failed: str = ""
    of_kinds: bool = False
    no_key: bool = False

    @property
    def same(self) -> bool:
        """Whether both forms ran and agree within the tolerance."""
        return self.error is not None and self.error <= TOLERANCE


@dataclass(frozen=True, slots=True)
class Proof:
    """All comparisons of a rewrite. It is proved if a comparison of values ran, and none differs."""

    trials: tuple[Trial, ...]

    @property
    def proved(self) -> bool:
        """Whether the rewrite may be applied."""
        return any(trial.same and not trial.of_kinds for trial in self.trials) and all(
            trial.same or trial.skipped for trial in self.trials
        )

    @property
    def worst(self) -> float | None:
        """The largest difference of an output or of a gradient; None if nothing was compared."""
        return max((trial.error for trial in self.trials if trial.error is not None), default=None)

    @property
    def refused(self) -> str:
        """The reason why the rewrite is not proved; empty if it is."""
        if self.proved:
            return ""
        for trial in self.trials:
            if not trial.same and not trial.skipped:
                what = trial.failed or f"results differ by {trial.error:.2g}"
                inputs = ", ".join(f"{name} = {value}" for name, value in trial.inputs.items())
                on = f", on {inputs}" if inputs else ""
                return f"{trial.name}: {what.rstrip('.')} (seed {trial.seed}{on})"
        reasons = [trial.skipped for trial in self.trials if trial.skipped]
        return f"nothing could be compared: {reasons[0]}" if reasons else "nothing could be compared"

    def record(self) -> dict[str, Any]:
        """Returns the proof as JSON, for the key `proof`."""
        return {
            "trials": [
                {
                    "name": trial.name,
                    "seed": trial.seed,
                    "inputs": trial.inputs,
                    "training": trial.training,
                    "error": trial.error,
                    "skipped": trial.skipped or None,
                    "failed": trial.failed or None,
                }
                for trial in self.trials
            ],
            "worst_error": self.worst,
            "tolerance": TOLERANCE,
        }


def prove(original: Call, fixed: Call, seeds: Iterable[int] = (0, 1)) -> Proof:
    """Compares two classes or functions on the same calls. Runs both, and catches the errors of user code.

    The trials: the inputs as given, in evaluation and in training mode (both forms draw dropout from one seed), with
    dropout above zero, and with varied constants; another batch, lengths from 1 to 300, keys of another length than
    the queries; for each mask one that drops a random half, one that drops a whole row, and one that drops nothing;
    and the dtypes of the results for float32 and bfloat16. A trial on which the original fails is skipped.

    If the original's backward raises, or reads a save that was overwritten, the reference is its gradient with every
    saved tensor copied. If a rewrite draws dropout in another order, both forms must agree without dropout, and under
    dropout in their rates, means and variances.
    """
    trials = []
    allowed = _modes(original)
    for place, seed in enumerate(seeds):
        for one in variants(original):
            if place and one.once:
                continue
            for training in [mode for mode in one.modes if mode in allowed] or allowed:
                pair = _Pair(one, one.call.instead(fixed.target), seed, training)
                trials.append(_compare(pair) if one.kind is None else _compare_kinds(pair, one.kind))
    return Proof(tuple(trials))


def _modes(call: Call) -> tuple[bool, ...]:
    """Returns the modes to run: evaluation and training for modules, training alone for plain functions."""
    has_modes = inspect.isclass(call.target) or call.factory is not None or module_of(call.target) is not None
    return (False, True) if has_modes else (True,)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Original and rewrite on the inputs of one trial, built for each run with the same weights."""

    variant: Variant
    fixed: Call
    seed: int
    training: bool

    @property
    def trial(self) -> Trial:
        """The trial without its outcome."""
        one = self.variant
        return Trial(
            one.name,
            self.seed,
            one.call.description,
            self.training,
            of_kinds=one.kind is not None,
            no_key=may_drop_all(one.call, one.name),
        )

    def run(
        self, fixed: bool, seed: int | None = None, copies: bool = False, dtype: torch.dtype = torch.float64
    ) -> list[torch.Tensor]:
        """Returns outputs and gradients of one form; `seed` is the seed of the dropout, by default the trial's."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)  # for what a factory makes
            function = self._original()
            torch.manual_seed(self.seed)
            if fixed:
                function = self._alike(function)
        args, kwargs = inputs_of(self.variant.call, self.variant.name, self.seed)
        return _run(function, args, kwargs, self.seed if seed is None else seed, self.training, copies, dtype)

    def _original(self) -> Any:
        function = self.variant.call.function(self.seed)
        module = module_of(function)
        if module is not None and self.variant.prepare is not None:
            self.variant.prepare(module)
        return function

    def _alike(self, original: Any) -> Any:
        """Builds the rewrite with the original's weights, prepared in the same way."""
        function = self.fixed.function(self.seed)
        before, after = module_of(original), module_of(function)
        if before is not None and after is not None:
            if self.variant.prepare is not None:
                self.variant.prepare(after)
            after.load_state_dict(before.state_dict())
        return function


def _compare(pair: _Pair) -> Trial:
    trial = pair.trial
    with in_double():
        try:
            expected = _expected(pair, torch.float64)
        except Exception as error:  # user code
            return replace(trial, skipped=f"the original does not run: {_said(error)}")
        try:
            found = pair.run(fixed=True)
            error_ = _difference(expected, found)
            if error_ > TOLERANCE:
                error_ = min(error_, _difference(pair.run(fixed=False, copies=True), found))
        except Exception as error:  # user code, and results that cannot be compared
            # The original ran, so a rewrite that fails is wrong.
            return replace(trial, failed=_said(error))
    if error_ > TOLERANCE and pair.training and (other := _without_dropout(pair)) is not None:
        return replace(trial, name=f"{trial.name}, dropout in another order", error=other)
    return replace(trial, error=error_)


def _compare_kinds(pair: _Pair, kind: torch.dtype) -> Trial:
    """Compares only the dtypes of results and gradients, with `kind` as the dtype of all floats."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(kind)
    try:
        try:
            expected = _expected(pair, kind)
        except Exception as error:  # user code
            return replace(pair.trial, skipped=f"the original does not run: {_said(error)}")
        try:
            found = pair.run(fixed=True, dtype=kind)
        except Exception as error:  # user code
            return replace(pair.trial, failed=_said(error))
    finally:
        torch.set_default_dtype(before)
    for one, other in zip(expected, found):
        if one.dtype != other.dtype:
            return replace(pair.trial, failed=f"a result in {_kind(other)} where it was in {_kind(one)}")
    return replace(pair.trial, error=0.0)


def _expected(pair: _Pair, dtype: torch.dtype) -> list[torch.Tensor]:
    """Runs the original; if its backward finds a changed save, runs it with copied saves instead."""
    try:
        return pair.run(fixed=False, dtype=dtype)
    except RuntimeError as error:
        if not is_stale(error):
            raise
    return pair.run(fixed=False, copies=True, dtype=dtype)


def _without_dropout(pair: _Pair) -> float | None:
    """Returns the difference without dropout, if the forms differ only in the order of dropout's random draws.

    That holds if under dropout the rates are equal and means and variances agree over many seeds; otherwise None.
    """
    rates: tuple[list[float], list[float]] = ([], [])
    try:
        with in_double(dropout=False):
            plain = _difference(pair.run(fixed=False), pair.run(fixed=True))
        if plain > TOLERANCE:
            return None
        for fixed in (False, True):
            with in_double(rates=rates[fixed]):
                pair.run(fixed)
        if sorted(rates[0]) != sorted(rates[1]):
            return None
        with in_double():
            draws = [[pair.run(fixed, seed)[0] for seed in range(_DRAWS)] for fixed in (False, True)]
    except Exception:  # user code: the difference found before stands
        return None
    first, second = (torch.stack(one) for one in draws)
    known = torch.isfinite(first).all(0)  # a fully masked row may be anything
    first, second = first[:, known], second[:, known]
    variances = first.var(0), second.var(0)
    spread = ((variances[0] + variances[1]) / _DRAWS).sqrt()
    apart = (first.mean(0) - second.mean(0)).abs()
    if not bool(spread.any()) or not 0.5 < float(variances[0].sum() / variances[1].sum()) < 2.0:
        return None
    # 6 standard errors: among millions of elements none differs by that much by chance.
    return plain if bool((apart <= 6 * spread + TOLERANCE).all()) else None


def _run(
    function: Any, args: Any, kwargs: Any, seed: int, training: bool, copies: bool, dtype: torch.dtype
) -> list[torch.Tensor]:
    """Returns outputs, gradients of the function's own backwards, of inputs and of weights, then the buffers.

    With `copies` every saved tensor is copied, which gives the true gradients of the forward.
    """
    module = module_of(function)
    if module is not None:
        module.to(dtype).train(training)
        module.zero_grad()
    leaves: list[torch.Tensor] = []

    def fresh(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return copy.deepcopy(value)
        leaf = value.detach().to(dtype).clone().requires_grad_()
        leaves.append(leaf)
        return leaf * 1.0  # a non-leaf: in-place writes to a leaf raise

    args, kwargs = tree_map(fresh, (args, kwargs))
    own: list[list[torch.Tensor]] = []
    stale: list[BaseException] = []
    around = snapshot() if copies else contextlib.nullcontext()
    with torch.random.fork_rng(devices=[]), around:
        torch.manual_seed(seed)
        with journal(own, stale):
            outputs = [one for one in tree_leaves(function(*args, **kwargs)) if isinstance(one, torch.Tensor)]
        if stale:
            raise stale[0]
        results = [one.detach().clone() for one in outputs]
        _backward([one for one in outputs if one.requires_grad], seed, bool(own))
    parameters = [] if module is None else list(module.parameters())
    state = [] if module is None else [one.detach().clone() for one in module.buffers()]
    gradients = (
        torch.zeros_like(one) if one.grad is None else one.grad.detach().clone()
        for one in (*leaves, *parameters)
    )
    # Sorted, because the order in which a backward reaches its leaves may depend on the graph.
    reached = (one for each in own for one in sorted(each, key=lambda one: (one.shape, float(one.sum()))))
    return [*results, *reached, *gradients, *state]


def _backward(needing: list[torch.Tensor], seed: int, ran: bool) -> None:
    """Runs backward from all results, each element with a random weight. `ran`: the function ran one itself."""
    if not needing:
        return
    generator = torch.Generator().manual_seed(seed)
    weights = [torch.randn(one.shape, generator=generator, dtype=one.dtype) for one in needing]
    try:
        torch.autograd.backward(needing, weights)
    except RuntimeError as error:
        if not ran or "backward through the graph a second time" not in str(error):
            raise


def _difference(expected: list[torch.Tensor], found: list[torch.Tensor]) -> float:
    """Returns the largest difference of two lists of tensors, relative to the largest value (at least 1).

    Elements that are not finite in the original, as in a fully masked row, are ignored. Raises ValueError if the lists
    cannot be compared.
    """
    if not expected:
        raise ValueError("no tensor came out that could be compared")
    if len(expected) != len(found):
        raise ValueError(f"{len(found)} results and gradients where there were {len(expected)}")
    worst = 0.0
    for one, other in zip(expected, found):
        if one.shape != other.shape:
            raise ValueError(f"a result of shape {tuple(other.shape)} where it was {tuple(one.shape)}")
        if not (one.is_floating_point() or one.is_complex()):
            if not torch.equal(one, other):
                raise ValueError("another result that is no float")
            continue
        known = torch.isfinite(one)
        if not bool(torch.isfinite(other[known]).all()):
            raise ValueError("a result is not finite where it was")
        if bool(known.any()):
            scale = max(1.0, float(one[known].abs().max()))
            worst = max(worst, float((one - other)[known].abs().max()) / scale)
    return worst


def _kind(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _said(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0].partition(' Hint:')[0] if lines else ''}".rstrip(": ")
    return text if len(text) <= _SAID else f"{text[:_SAID]}…"
