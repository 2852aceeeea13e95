"""Random modules, and mutants of them: the same module with one in-place operation put in somewhere."""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from inplace_lint.runtime.immediate import is_stale
from inplace_lint.runtime.observe import natively, truly, worst_error
from inplace_lint.runtime.tracer import Trace

HEADER = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


"""
#: Layers that keep a 4 by 4 tensor's shape.
LAYERS = (
    "nn.Linear(4, 4)",
    "nn.LayerNorm(4)",
    "nn.BatchNorm1d(4)",
    "nn.Dropout(0.3)",
    "nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))",
    "nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))",
    "nn.Sequential(nn.Linear(4, 4), nn.SiLU(inplace=True), nn.Dropout(0.2, inplace=True))",
    "nn.PReLU()",
    "nn.GRUCell(4, 4)",
    "nn.Softmax(dim=-1)",
)
#: Operations on one and on two 4 by 4 tensors.
ONE = (
    "torch.sigmoid({0})",
    "torch.tanh({0})",
    "torch.exp({0} * 0.1)",
    "F.relu({0})",
    "F.gelu({0})",
    "F.silu({0})",
    "F.softmax({0}, dim=-1)",
    "F.log_softmax({0}, dim=-1)",
    "torch.sqrt({0}.abs() + 1)",
    "{0} ** 2",
    "{0} * 0.5",
    "{0} + 1",
    "torch.sin({0})",
    "F.leaky_relu({0})",
    "F.elu({0})",
    "{0}.t()",
    "{0}.reshape(-1).view(4, 4)",
    "{0}.clone()",
    "torch.cumsum({0}, dim=0)",
    "{0} / {0}.norm(dim=-1, keepdim=True).clamp(min=1e-3)",
    "{0} - {0}.mean(dim=0, keepdim=True)",
    "torch.cat([{0}[:2], {0}[2:]])",
    "torch.stack(list({0}.unbind(0)))",
    "{0}.masked_fill({0} > 0.9, 0.0)",
    "Cube.apply({0})",
    "torch.einsum('ij,kj->ik', {0}, {0})",
    "F.scaled_dot_product_attention({0}[None, None], {0}[None, None], {0}[None, None])[0, 0]",
    "checkpoint(lambda t: torch.sigmoid(t) * t, {0}, use_reentrant=False)",
    "checkpoint(lambda t: torch.tanh(t) * 2, {0}, use_reentrant=True)",
    "{0}.detach() * {0}",
    "{0}[0].expand(4, 4)",
    "{0}.split(4)[0]",
    "{0}.narrow(0, 0, 4)",
)
TWO = (
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "{0} / ({1}.abs() + 1)",
    "{0} @ {1}",
    "torch.where({0} > {1}, {0}, {1})",
    "torch.maximum({0}, {1})",
    "torch.lerp({0}, {1}, 0.3)",
    "F.linear({0}, {1})",
    "torch.addmm({0}, {0}, {1})",
    "torch.hypot({0}, {1})",
)
#: In-place operations, as statements.
MUTATIONS = (
    "{0} += 1",
    "{0}.mul_(2)",
    "{0}.zero_()",
    "{0}.relu_()",
    "{0}[0] = 0.5",
    "{0}[:, 1].add_(1)",
    "{0}.view(-1)[0] = 3",
    "{0}.clamp_(min=0.2)",
    "{0}.copy_(torch.ones(4, 4))",
    "{0}.masked_fill_({0} > 0.3, 0.0)",
    "{0}.detach().mul_(3)",
    "{0}.t().add_(1)",
    "{0}.sub_({1})",
    "{0}.sigmoid_()",
    "{0} *= {1}",
    "torch._foreach_add_([{0}], 1.0)",
    "F.dropout({0}, 0.5, training=True, inplace=True)",
    "nn.init.ones_({0})",
    "torch.no_grad()({0}.add_)(1)",
    "{0}.index_fill_(0, torch.tensor([1]), 2.0)",
    "{0}.data.add_(1)",
)


@dataclass(frozen=True)
class Program:
    """A module with the code that runs it; `mutated` is the line of the injected operation, or None."""

    source: str
    mutated: int | None


def program(seed: int, mutate: bool) -> Program:
    """A random module; the same seed gives the same one with and without its mutation."""
    chance = random.Random(seed)
    layers = [chance.choice(LAYERS) for _ in range(chance.randint(1, 3))]
    lines, names = [], ["x"]
    for index in range(chance.randint(3, 9)):
        recent = names[-4:]
        kind = chance.random()
        if index == 0 or kind < 0.25:  # the first has parameters, so that there is something to differentiate
            value = f"self.layers[{chance.randrange(len(layers))}]({chance.choice(recent)})"
        elif kind < 0.65:
            value = chance.choice(ONE).format(chance.choice(recent))
        else:
            value = chance.choice(TWO).format(chance.choice(recent), chance.choice(recent))
        name = f"h{index}"
        lines.append(f"        {name} = {value}")
        names.append(name)
    place = chance.randint(1, len(lines))
    known = names[1 : place + 1] if chance.random() < 0.9 else names[: place + 1]
    injected = chance.choice(MUTATIONS).format(chance.choice(known), chance.choice(known))
    others = "".join(f" + {name}" for name in chance.sample(names, min(2, len(names))))
    x = chance.choice((")", ", requires_grad=True) * 1.0", ", requires_grad=True)"))
    head = HEADER + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    head += f"        self.layers = nn.ModuleList([{', '.join(layers)}])\n\n    def forward(self, x):\n"
    if mutate:
        lines.insert(place, f"        {injected}")
    text = head + "\n".join(lines) + f"\n        return {names[-1]}{others}\n\n\n"
    text += f"net = Net()\nx = torch.rand(4, 4{x}\n"
    text += "weights = torch.cos(torch.arange(16.0)).view(4, 4)\n(net(x) * weights).sum().backward()\n"
    return Program(text, head.count("\n") + place + 1 if mutate else None)


@dataclass
class Tally:
    """What came of many programs."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def blame(self, what: str, one: Program, seed: int, detail: object) -> None:
        self.counts[what] += 1
        self.wrong.append(f"{what} (seed {seed}): {detail}\n{_numbered(one.source)}")

    def __str__(self) -> str:
        return "\n".join(f"{count:6d}  {name}" for name, count in sorted(self.counts.items()))


def judge(seed: int, tally: Tally, path: Path) -> None:
    """Compares the tracer with PyTorch on a module and on its mutant."""
    for mutate in (False, True):
        one = program(seed, mutate)
        native = _run(one, path, None)
        if not mutate and native is not None:
            tally.counts["not a program: it fails without the mutation"] += 1
            return
        trace = Trace(on_hazard=None)
        error = _run(one, path, trace)
        tally.counts["mutants" if mutate else "modules"] += 1
        if type(error) is not type(native) or (native and is_stale(native) != is_stale(error)):
            tally.blame("DISAGREEMENT", one, seed, f"PyTorch: {native}; traced: {error}")
            continue
        if native is not None and not is_stale(native):
            tally.counts["mutants that raise at the write"] += 1
            continue
        loud = [hazard for hazard in trace.hazards if hazard.silent is None]
        silent = [hazard for hazard in trace.hazards if hazard.silent is not None]
        if bool(loud) != (native is not None):
            tally.blame("DISAGREEMENT", one, seed, trace.report())
        if native is not None:
            tally.counts["mutants that raise in backward"] += 1
            rows = {diagnostic.location.row for diagnostic in trace.diagnostics}
            if one.mutated in rows:
                tally.counts["written line right"] += 1
            else:
                tally.blame("written line wrong", one, seed, f"{rows} for {one.mutated}")
        elif silent:
            code = compile(one.source, str(path), "exec")
            error_of_gradient = worst_error(natively(_block(code)), truly(_block(code)))
            what = "wrong" if error_of_gradient else "the same by chance"
            tally.counts[f"mutants with a silent hazard, gradient {what}"] += 1
        if not mutate and trace.diagnostics:
            tally.blame("FALSE ALARM", one, seed, trace.report())


def _run(one: Program, path: Path, trace: Trace | None) -> Exception | None:
    path.write_text(one.source, encoding="utf-8")
    code = compile(one.source, str(path), "exec")
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if trace is None:
                exec(code, {"__name__": "mutant"})
            else:
                with trace:
                    exec(code, {"__name__": "mutant"})
        except Exception as error:
            return error
        finally:
            torch.set_grad_enabled(True)
    return None


def _block(code: Any) -> Any:
    return lambda: exec(code, {"__name__": "mutant"})


def _numbered(source: str) -> str:
    lines = source.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("class Net"))
    return "\n".join(f"{row:3d}  {line}" for row, line in enumerate(lines, 1) if row > start)


def main(count: int, seed: int, shown: int) -> int:
    import tempfile

    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for index in range(count):
            judge(seed * 1_000_000 + index, tally, Path(folder) / "mutant.py")
    print("\n\n".join(tally.wrong[:shown]))
    print(tally)
    return 1 if tally.counts["DISAGREEMENT"] or tally.counts["FALSE ALARM"] else 0


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(prog="python -m tests.runtime.mutants", description=__doc__)
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=5, metavar="N", help="print N of those that went wrong")
    arguments = parser.parse_args()
    sys.exit(main(arguments.mutants, arguments.seed, arguments.show))
