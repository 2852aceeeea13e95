"""Puts writes into a model's functions, one at a time, and asks torch what comes of each."""

from __future__ import annotations

import dataclasses
import gc
import random
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from .builders import Model
from .elsewhere import Call, Configurations, arguments_kept, calls_above
from .mutants import JUDGED, Mutant
from .sites import Site, sites

WRITES = (
    "{} += 0.25",
    "{} *= 0.5",
    "{}.mul_(1.5)",
    "{}.clamp_(min=-0.1)",
    "{}.masked_fill_({} > 0.5, 0.0)",
    "{}[..., 0] = 0.0",
    "{}.relu_()",
    "{}.sigmoid_()",
    "{}.tanh_()",
    "{}.zero_()",
)
#: What PyTorch's errors about in-place writes have in common, those that forward raises at once among them.
_ERRORS = (
    "inplace operation",
    "in-place operation",
    "modified inplace",
    "refers to a single memory location",
)
#: The name under which an inserted line says that it was reached.
_MARK = "__reached__"


def mutants(
    name: str, model: Model, folder: Path, count: int, seed: int, known: set[object]
) -> Iterator[Mutant]:
    """So many mutants of a model that torch has an answer to, none that is known already."""
    rng = random.Random(f"{name} {seed}")
    torch.manual_seed(seed)
    with arguments_kept():
        module = model.make().train()
    args, options = model.inputs()

    def forward() -> Any:
        torch.manual_seed(seed)
        random.seed(seed)
        return module(*args, **options)

    def run() -> None:
        _loss(forward()).backward()
        module.zero_grad()

    run()
    possible = sites(forward, str(folder))
    configurations = Configurations(_loss)
    rng.shuffle(possible)
    for site in possible:
        mutant = _mutant(name, site, folder, rng)
        key = (mutant.file, mutant.after, mutant.name)
        if count and key not in known and _judge(mutant, site, run, configurations):
            known.add(key)
            count -= mutant.label in JUDGED
            yield mutant


def _mutant(name: str, site: Site, folder: Path, rng: random.Random) -> Mutant:
    line = site.indent + rng.choice(WRITES).replace("{}", site.name)
    parent = folder.parent
    files = [Path(file).relative_to(parent).as_posix() for file in (site.code.co_filename, *site.callers)]
    function = getattr(site.code, "co_qualname", site.code.co_name)
    return Mutant(name, files[0], function, site.name, site.argument, site.after, line, files[1:])


def _judge(mutant: Mutant, site: Site, run: Callable[[], None], configurations: Configurations) -> bool:
    """Run the model with the write in its code; False where the write cannot be put there."""
    code = _compiled(mutant, site.code)
    if code is None or not _functions_with(site.code):
        return False
    calls: list[list[Call]] = []
    with _written(site.code, code, lambda: calls or calls.append(calls_above(sys._getframe(1)))):
        mutant.label, mutant.error = _told(run)
    if mutant.label == "clean":
        if calls:
            _judge_elsewhere(mutant, site, code, calls[0], configurations)
        else:
            mutant.label = "unreached"
    return True


def _judge_elsewhere(
    mutant: Mutant, site: Site, code: types.CodeType, calls: list[Call], configurations: Configurations
) -> None:
    """Run what else the modules on the way to the write may be."""
    for configuration in (one for call in calls for one in configurations.of(call)):
        with _written(site.code, code, lambda: None):
            label, error = _told(configuration.run)
        if label == "hazard":
            mutant.label, mutant.error = "elsewhere", f"{configuration.told}: {error}"
            return


def _told(run: Callable[[], None]) -> tuple[str, str]:
    """What torch says of a run."""
    try:
        run()
    except Exception as error:
        words = " ".join(str(error).split())[:300]
        return "hazard" if any(known in words for known in _ERRORS) else "other", words
    return "clean", ""


@contextmanager
def _written(before: types.CodeType, after: types.CodeType, reached: Callable[[], object]) -> Iterator[None]:
    """Another code in the place of one, in every function that has it."""
    functions = _functions_with(before)
    for function in functions:
        function.__globals__[_MARK] = reached
        function.__code__ = after
    try:
        yield
    finally:
        for function in functions:
            function.__code__ = before
            function.__globals__.pop(_MARK, None)


def _compiled(mutant: Mutant, code: types.CodeType) -> types.CodeType | None:
    """The function's code with the write in it; None where the text does not come out as a function like it."""
    with open(code.co_filename, encoding="utf-8") as file:
        source = file.read()
    bare = mutant.line.lstrip()
    marked = dataclasses.replace(mutant, line=mutant.line.replace(bare, f"{_MARK}(); {bare}", 1))
    try:
        whole = compile(marked.text(source), code.co_filename, "exec", dont_inherit=True)
    except SyntaxError:
        return None
    found = _within(whole, code)
    return found if found is not None and found.co_freevars == code.co_freevars else None


def _within(whole: types.CodeType, code: types.CodeType) -> types.CodeType | None:
    for constant in whole.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == code.co_name and constant.co_firstlineno == code.co_firstlineno:
                return constant
            found = _within(constant, code)
            if found is not None:
                return found
    return None


def _functions_with(code: types.CodeType) -> list[types.FunctionType]:
    return [
        function
        for function in gc.get_referrers(code)
        if isinstance(function, types.FunctionType) and function.__code__ is code
    ]


def _loss(output: object) -> torch.Tensor:
    """A number that every tensor of the output is part of, and that saves each of them."""
    losses = [tensor.square().mean() for tensor in _tensors(output) if tensor.requires_grad]
    return torch.stack(losses).sum()


def _tensors(output: object) -> Iterator[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        yield output
        return
    parts: Iterable[object] = ()
    if isinstance(output, dict):
        parts = output.values()
    elif isinstance(output, (list, tuple)):
        parts = output
    elif dataclasses.is_dataclass(output):
        parts = vars(output).values()
    for part in parts:
        yield from _tensors(part)
