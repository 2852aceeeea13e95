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
from .proof_inputs import Variant, inputs_of, module_of, variants
from .snapshot import snapshot

#: A right rewrite differs by 1e-15 to 5e-15 in float64, a scale that is off by 0.1% by 2e-3.
TOLERANCE = 1e-10
#: How often each form is run to compare their means.
_DRAWS = 64


@dataclass(frozen=True, slots=True)
class Trial:
    """One comparison: on which inputs, with which seed, in which mode, and the worst difference seen.

    Instead of a difference there is `skipped`, why the original does not take these inputs, or `failed`, what the
    rewrite does where the original runs. `of_kinds`: only the kinds of the results were compared.
    """

    name: str
    seed: int
    inputs: dict[str, str]
    training: bool
    error: float | None = None
    skipped: str = ""
    failed: str = ""
    of_kinds: bool = False

    @property
    def same(self) -> bool:
        """Whether both ran and gave the same."""
        return self.error is not None and self.error <= TOLERANCE


@dataclass(frozen=True, slots=True)
class Proof:
    """All comparisons of a rewrite. `proved` needs one that ran, and none that differs."""

    trials: tuple[Trial, ...]

    @property
    def proved(self) -> bool:
        """Whether the rewrite may be applied."""
        return any(trial.same and not trial.of_kinds for trial in self.trials) and all(
            trial.same or trial.skipped for trial in self.trials
        )

    @property
    def worst(self) -> float | None:
        """The largest difference of an output or of a gradient."""
        return max((trial.error for trial in self.trials if trial.error is not None), default=None)

    @property
    def refused(self) -> str:
        """Why it is not proved, in a sentence; empty if it is."""
        if self.proved:
            return ""
        for trial in self.trials:
            if not trial.same and not trial.skipped:
                what = trial.failed or f"results differ by {trial.error:.2g}"
                inputs = ", ".join(f"{name} = {value}" for name, value in trial.inputs.items())
                return f"{trial.name}: {what}, seed {trial.seed}, on {inputs}"
        reasons = [trial.skipped for trial in self.trials if trial.skipped]
        return f"nothing could be compared: {reasons[0]}" if reasons else "nothing could be compared"

    def record(self) -> dict[str, Any]:
        """As it stands in JSON, under `proof`."""
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
    """Compares two classes or functions that are called alike. Runs both; raises nothing of theirs.

    The trials: the inputs as they are, in evaluation and in training (dropout draws the same numbers from the same
    seed), with a rate of dropout above zero and with other values for constants; another batch, lengths from 1 to
    300, lengths of keys that differ from that of queries; for each mask one that drops a random half, one with a row
    that drops all, and none; and the kinds of the results for two kinds of floats. Trials that the original itself
    refuses, as it may another length, say so and count neither way.

    Where PyTorch raises in the original's backward, or lets it read what was overwritten, the gradients of what its
    forward computed count, those with every saved tensor copied. Where a rewrite draws its dropout in another order,
    both have to agree without dropout, and with it in their rates, their means and their spread.
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
    """Evaluation and training, where there is a difference."""
    has_modes = inspect.isclass(call.target) or call.factory is not None or module_of(call.target) is not None
    return (False, True) if has_modes else (True,)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both forms on the inputs of a trial: what is built anew for each run, with the same weights."""

    variant: Variant
    fixed: Call
    seed: int
    training: bool

    @property
    def trial(self) -> Trial:
        """The trial, of which the outcome is not known yet."""
        one = self.variant
        return Trial(one.name, self.seed, one.call.description, self.training, of_kinds=one.kind is not None)

    def run(
        self, fixed: bool, seed: int | None = None, copies: bool = False, dtype: torch.dtype = torch.float64
    ) -> list[torch.Tensor]:
        """Outputs and gradients of one of the two; `seed` is that of the dropout, if it is to be another."""
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
        """The rewrite, with the original's weights and prepared as it was."""
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
            # The original ran: a rewrite that does not is wrong.
            return replace(trial, failed=_said(error))
    if error_ > TOLERANCE and pair.training and (other := _without_dropout(pair)) is not None:
        return replace(trial, name=f"{trial.name}, dropout in another order", error=other)
    return replace(trial, error=error_)


def _compare_kinds(pair: _Pair, kind: torch.dtype) -> Trial:
    """Whether results and gradients are of the same kinds, where floats are of this one."""
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
    """What the original gives, with the gradients of its forward where its backward raises."""
    try:
        return pair.run(fixed=False, dtype=dtype)
    except RuntimeError as error:
        if not is_stale(error):
            raise
    return pair.run(fixed=False, copies=True, dtype=dtype)


def _without_dropout(pair: _Pair) -> float | None:
    """The difference without dropout, if it is the order of dropout's draws alone in which the two differ.

    With it their rates are the same, their means agree, and one spreads as much as the other.
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
    except Exception:  # user code: without this the difference stands
        return None
    first, second = (torch.stack(one) for one in draws)
    known = torch.isfinite(first).all(0)  # what no key is left for may be anything
    first, second = first[:, known], second[:, known]
    variances = first.var(0), second.var(0)
    spread = ((variances[0] + variances[1]) / _DRAWS).sqrt()
    apart = (first.mean(0) - second.mean(0)).abs()
    if not bool(spread.any()) or not 0.5 < float(variances[0].sum() / variances[1].sum()) < 2.0:
        return None
    # Means of draws that are spread: among millions of elements none is this far apart by chance.
    return plain if bool((apart <= 6 * spread + TOLERANCE).all()) else None


def _run(
    function: Any, args: Any, kwargs: Any, seed: int, training: bool, copies: bool, dtype: torch.dtype
) -> list[torch.Tensor]:
    """Outputs, then the gradients that backwards of its own gave, those of the inputs and those of the weights.

    With `copies` every saved tensor is copied: the gradients are those of the forward that ran.
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
        return leaf * 1.0  # a leaf may not be written in place

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
    # The order in which a backward reaches its leaves may change with the graph.
    reached = (one for each in own for one in sorted(each, key=lambda one: (one.shape, float(one.sum()))))
    return [*results, *reached, *gradients, *state]


def _backward(needing: list[torch.Tensor], seed: int, ran: bool) -> None:
    """Backward from all results at once, each element with a weight of its own. `ran`: one has run before."""
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
    """The largest difference, relative to the largest value.

    Where the original is not finite, as in a fully masked row, the rewrite may be anything. Raises ValueError where
    there is nothing to subtract.
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
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200].rstrip(": ")
