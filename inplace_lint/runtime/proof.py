"""Proves a rewrite by running it: original and fixed, same weights, same inputs, in float64, gradients too."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map

from .inputs.call import Call
from .inputs.guess import parameters
from .inputs.trial import attempt
from .inputs.values import SIZES, Spec, realise

#: A right rewrite differs by 1e-15 to 5e-15 in float64, a scale that is off by 0.1% by 2e-3.
TOLERANCE = 1e-10


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
    """
    variants = list(_variants(original))
    return Proof(
        tuple(
            _compare(name, call, replace(call, target=fixed.target), seed, training)
            for seed in seeds
            for name, call in variants
            for training in (False, True)
        )
    )


def _compare(name: str, original: Call, fixed: Call, seed: int, training: bool) -> Trial:
    trial = Trial(name, seed, original.description, training)
    try:
        before = original.function(seed)
        args, kwargs = _inputs(original, name, seed)
        expected = _run(before, args, kwargs, seed, training)
    except Exception as error:  # user code
        return replace(trial, skipped=f"the original does not run: {_said(error)}")
    try:
        after = fixed.function(seed)
        _same_weights(before, after)
        found = _run(after, args, kwargs, seed, training)
        return replace(trial, error=_difference(expected, found))
    except Exception as error:  # user code, and results that cannot be compared
        # The original ran: a rewrite that does not is wrong.
        return replace(trial, failed=_said(error))


def _run(function: Any, args: Any, kwargs: Any, seed: int, training: bool) -> list[torch.Tensor]:
    """Outputs, then the gradients of the inputs, then those of the weights, all in float64."""
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
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        outputs = [one for one in tree_leaves(function(*args, **kwargs)) if isinstance(one, torch.Tensor)]
    needing = [one for one in outputs if one.requires_grad]
    results = [one.detach().clone() for one in outputs]
    if needing:
        generator = torch.Generator().manual_seed(seed)
        weights = [torch.randn(one.shape, generator=generator, dtype=one.dtype) for one in needing]
        torch.autograd.backward(needing, weights)
    parameters = [] if module is None else list(module.parameters())
    gradients = (
        torch.zeros_like(one) if one.grad is None else one.grad.detach().clone()
        for one in (*leaves, *parameters)
    )
    return [*results, *gradients]


def _difference(expected: list[torch.Tensor], found: list[torch.Tensor]) -> float:
    """The largest difference, relative to the largest value.

    Where the original is not finite, as in a fully masked row, the rewrite may be anything. Raises ValueError where
    there is nothing to subtract.
    """
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


def _variants(call: Call) -> Iterator[tuple[str, Call]]:
    yield "as given", call
    if call.factory is not None:
        return
    if "B" in call.names or "S" in call.names:
        yield "another batch and length", call.at(B=3, S=call.sizes["S"] // 2 + 3)
    specs = {name: one for name, one in _arguments(call).items() if isinstance(one, Spec)}
    floating = [one for one in specs.values() if one.floating]
    if len(floating) > 1:
        # The first is the queries': the others get another length.
        first = next(name for name, one in specs.items() if one.floating)
        yield (
            "keys of another length",
            _with(
                call, {name: _longer(one) for name, one in specs.items() if name != first and "S" in one.dims}
            ),
        )
    yield from _other_counts(call)
    for name, one in _masks(call).items():
        for kind in ("half", "a whole row", "none"):
            yield f"{name} drops {kind}", _with(call, {name: one})


def _other_counts(call: Call) -> Iterator[tuple[str, Call]]:
    """Half of a number that the constructor takes, such as heads; of the second axis of a function's tensors."""
    own = parameters(call.target) if inspect.isclass(call.target) else {}
    for name, parameter in own.items():
        value = call.constructor.get(name, parameter.default)
        if isinstance(value, int) and not isinstance(value, bool) and value > 1:
            other = replace(call, constructor={**call.constructor, name: value // 2})
            if attempt(other)[0] is None:
                yield f"{name} = {value // 2}", other
    if not own:
        halved = {
            name: Spec(one.dtype, (one.dims[0], one.dims[1] // 2, *one.dims[2:]), one.high)
            for name, one in _arguments(call).items()
            if isinstance(one, Spec)
            and len(one.dims) == 4
            and isinstance(one.dims[1], int)
            and one.dims[1] > 1
        }
        if halved and attempt(_with(call, halved))[0] is None:
            yield "another count of heads", _with(call, halved)


def _longer(spec: Spec) -> Spec:
    if spec.dtype == "bool" or not spec.floating:
        places = [place for place, dim in enumerate(spec.dims) if dim == "S"]
        dims = tuple("S+5" if place == places[-1] else dim for place, dim in enumerate(spec.dims))
        return Spec(spec.dtype, dims, spec.high)
    return Spec(spec.dtype, tuple("S+5" if dim == "S" else dim for dim in spec.dims), spec.high)


def _masks(call: Call) -> dict[str, Spec]:
    """The boolean arguments, and the parameters without a value that are called masks."""
    found = {
        name: one for name, one in _arguments(call).items() if isinstance(one, Spec) and one.dtype == "bool"
    }
    try:
        parameters = inspect.signature(call.signed()).parameters
    except (TypeError, ValueError):
        return found
    main = next((one for one in _arguments(call).values() if isinstance(one, Spec) and one.floating), None)
    for name, parameter in parameters.items():
        if "mask" in name and name not in found and parameter.default is None and main is not None:
            length = "S" if "S" in main.dims else main.dims[-2] if len(main.dims) > 1 else main.dims[-1]
            batch = main.dims[0]
            shapes: list[tuple[int | str, ...]] = [
                (length, length),
                (batch, 1, length, length),
                (batch, length),
            ]
            for dims in shapes:
                tried = _with(call, {name: Spec("bool", dims)})
                if attempt(tried)[0] is None:
                    found[name] = Spec("bool", dims)
                    break
    return found


def _inputs(call: Call, name: str, seed: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of the trial: masks that drop what its name says."""
    if call.factory is not None:
        return call.inputs(grad=False)
    generator = torch.Generator().manual_seed(1000 + seed)

    def one(leaf: Any) -> Any:
        if not isinstance(leaf, Spec):
            return realise(leaf, call.sizes)
        if leaf.dtype != "bool":
            return leaf.make(call.sizes, generator, dtype=torch.float64)
        return _mask(leaf.shape(call.sizes or SIZES), name.rpartition(" drops ")[2], generator)

    args, kwargs = tree_map(
        one, (call.leading, dict(call.arguments)), is_leaf=lambda leaf: isinstance(leaf, Spec)
    )
    return args, kwargs


def _mask(shape: tuple[int, ...], kind: str, generator: torch.Generator) -> torch.Tensor:
    """A mask of which half is True; of `a whole row` one row is all True and one all False, as either may mean drop."""
    if kind == "none":
        return torch.ones(shape, dtype=torch.bool)
    mask = torch.rand(shape, generator=generator) < 0.5
    if mask.dim() == 0 or not mask.numel():
        return mask
    # Neither meaning of True leaves a row without a key.
    rows = mask.reshape(-1, shape[-1])
    if shape[-1] > 1:
        rows[:, 0], rows[:, 1] = True, False
    if kind == "a whole row" and len(rows) > 1:
        rows[0], rows[1] = True, False
    return rows.reshape(shape)


def _same_weights(before: Any, after: Any) -> None:
    first, second = _module(before), _module(after)
    if first is not None and second is not None:
        second.double()
        second.load_state_dict(first.state_dict())


def _module(function: Any) -> nn.Module | None:
    if isinstance(function, nn.Module):
        return function
    owner = getattr(function, "__self__", None)
    return owner if isinstance(owner, nn.Module) else None


def _arguments(call: Call) -> dict[str, Any]:
    try:
        names = list(inspect.signature(call.signed()).parameters)
    except (TypeError, ValueError):
        names = []
    names += [f"argument {place}" for place in range(len(names), len(call.leading))]
    return {**dict(zip(names, call.leading)), **call.arguments}


def _with(call: Call, values: dict[str, Any]) -> Call:
    """The call with other values for some arguments, by name."""
    own = _arguments(call)
    leading = tuple(values.get(name, own[name]) for name in list(own)[: len(call.leading)])
    rest = {name: value for name, value in values.items() if name not in list(own)[: len(call.leading)]}
    return replace(call, leading=leading, arguments={**call.arguments, **rest})


def _said(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200].rstrip(": ")
