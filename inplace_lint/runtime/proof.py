"""Proves a rewrite by running it: original and fixed, same weights, same inputs, in float64, gradients too."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map

from .doubled import in_double
from .immediate import is_stale
from .inputs.call import Call
from .observe import journal
from .proof_inputs import inputs_of, variants
from .snapshot import snapshot

#: A right rewrite differs by 1e-15 to 5e-15 in float64, a scale that is off by 0.1% by 2e-3.
TOLERANCE = 1e-10
#: How often each form is run to compare their means.
_DRAWS = 64


@dataclass(frozen=True, slots=True)
class Trial:
    """One comparison: on which inputs, with which seed, in which mode, and the worst difference seen.

    Instead of a difference there is `skipped`, why the original does not take these inputs, or `failed`, what the
    rewrite does where the original runs.
    """

    name: str
    seed: int
    inputs: dict[str, str]
    training: bool
    error: float | None = None
    skipped: str = ""
    failed: str = ""

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
        return any(trial.same for trial in self.trials) and all(
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
    seed), another batch and length, a length of keys that differs from that of queries, and for each mask one that
    drops a random half, one with a row that drops all, and none. Trials that the original itself refuses, as it may
    another length, say so and count neither way.

    Where PyTorch raises in the original's backward, or lets it read what was overwritten, the gradients of what its
    forward computed count, those with every saved tensor copied. Where a rewrite draws its dropout in another order,
    both have to agree without dropout, and in their means with it.
    """
    return Proof(
        tuple(
            _compare(name, call, call.instead(fixed.target), seed, training)
            for seed in seeds
            for name, call in variants(original)
            for training in _modes(original)
        )
    )


def _modes(call: Call) -> tuple[bool, ...]:
    """Evaluation and training, where there is a difference."""
    has_modes = inspect.isclass(call.target) or call.factory is not None or _module(call.target) is not None
    return (False, True) if has_modes else (True,)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both forms on the inputs of a trial: what is built anew for each run, with the same weights."""

    original: Call
    fixed: Call
    name: str
    seed: int
    training: bool

    def run(self, fixed: bool, seed: int | None = None, **how: bool) -> list[torch.Tensor]:
        """Outputs and gradients of one of the two; `seed` is that of the dropout, if it is to be another."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)  # for what a factory makes
            function = (self.fixed if fixed else self.original).function(self.seed)
            torch.manual_seed(self.seed)
            if fixed:
                _same_weights(self.original.function(self.seed), function)
        args, kwargs = inputs_of(self.original, self.name, self.seed)
        return _run(function, args, kwargs, self.seed if seed is None else seed, self.training, **how)


def _compare(name: str, original: Call, fixed: Call, seed: int, training: bool) -> Trial:
    trial = Trial(name, seed, original.description, training)
    pair = _Pair(original, fixed, name, seed, training)
    with in_double():
        try:
            try:
                expected = pair.run(fixed=False)
            except RuntimeError as error:
                if not is_stale(error):
                    raise
                expected = pair.run(fixed=False, copies=True)
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
    if error_ > TOLERANCE and training and (other := _without_dropout(pair)) is not None:
        return replace(trial, name=f"{name}, dropout in another order", error=other)
    return replace(trial, error=error_)


def _without_dropout(pair: _Pair) -> float | None:
    """The difference without dropout, if it is dropout alone in which the two differ: their means with it agree."""
    try:
        with in_double(dropout=False):
            plain = _difference(pair.run(fixed=False), pair.run(fixed=True))
        if plain > TOLERANCE:
            return None
        with in_double():
            draws = [[pair.run(fixed, seed)[0] for seed in range(_DRAWS)] for fixed in (False, True)]
    except Exception:  # user code: without this the difference stands
        return None
    first, second = (torch.stack(one) for one in draws)
    spread = ((first.var(0) + second.var(0)) / _DRAWS).sqrt()
    apart = (first.mean(0) - second.mean(0)).abs()
    # Means of draws that are spread: among millions of elements none is this far apart by chance.
    return plain if bool((apart <= 6 * spread + TOLERANCE).all()) and bool(spread.any()) else None


def _run(
    function: Any, args: Any, kwargs: Any, seed: int, training: bool, copies: bool = False
) -> list[torch.Tensor]:
    """Outputs, then the gradients that backwards of its own gave, those of the inputs and those of the weights.

    With `copies` every saved tensor is copied: the gradients are those of the forward that ran.
    """
    module = _module(function)
    if module is not None:
        module.double().train(training)
        module.zero_grad()
    leaves: list[torch.Tensor] = []

    def fresh(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return copy.deepcopy(value)
        leaf = value.detach().double().clone().requires_grad_()
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


def _same_weights(before: Any, after: Any) -> None:
    first, second = _module(before), _module(after)
    if first is not None and second is not None:
        second.load_state_dict(first.state_dict())


def _module(function: Any) -> nn.Module | None:
    if isinstance(function, nn.Module):
        return function
    owner = getattr(function, "__self__", None)
    return owner if isinstance(owner, nn.Module) else None


def _said(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200].rstrip(": ")
