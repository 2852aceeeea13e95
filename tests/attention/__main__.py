"""All forms of the catalogue and more of them, run in torch: `python -m tests.attention --more 500 --seed 1`.

With `--mutations N`, N programs with random changes instead; with `--programs`, whole ones that others wrote.
"""

from __future__ import annotations

import argparse
import random
import warnings
from collections import Counter

import torch

from . import compare, written
from .disguise import disguised
from .forms import Form, catalogue, source
from .lookalikes import sources
from .mutations import mutated


def wide(form: Form) -> str:
    """The form's program in float64."""
    return source(form).replace(".float()", ".double()").replace("torch.float32", "torch.float64")


def mutations(count: int, seed: int) -> int:
    """Changed programs: how many get a fix, how many of those run, and each that differs in what it does not say."""
    warnings.simplefilter("ignore")
    rng, counts = random.Random(seed), Counter[str]()
    forms = catalogue(seed, 300)
    for number in range(count):
        form = rng.choice(forms)
        text = mutated(wide(form), rng)
        fixed = compare.offered(text)
        why = compare.wrong(form, text, fixed, number) if fixed else ""
        counts[
            "no fix" if not fixed else "does not run" if why == "" else "the same" if why is None else "WRONG"
        ] += 1
        if why:
            print(why)
    print(", ".join(f"{number} {name}" for name, number in counts.most_common()))
    return int(counts["WRONG"] > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument(
        "--more", type=int, default=500, help="random forms besides each value of each dimension"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutations", type=int, metavar="N", help="N programs with random changes instead")
    parser.add_argument("--programs", action="store_true", help="whole programs that others wrote instead")
    arguments = parser.parse_args()
    if arguments.programs:
        return written.score()
    torch.set_default_dtype(torch.float64)
    if arguments.mutations:
        return mutations(arguments.mutations, arguments.seed)
    counts: Counter[str] = Counter()
    for number, form in enumerate(catalogue(arguments.seed, arguments.more)):
        plain = wide(form)
        for text in (plain, disguised(plain, number)):
            counts["programs"] += 1
            found = compare.plans(text)
            if len(found) != 1:
                counts["not recognised"] += 1
                print(f"not recognised: {form.name}")
                continue
            counts["recognised"] += 1
            counts[
                f"fix {found[0].applicability}"
                if found[0].refused is None
                else f"refused: {found[0].refused}"
            ] += 1
            problem = compare.problem(form, text, number)
            if problem is not None:
                counts["WRONG"] += 1
                print(f"{form.name}: {problem}")
    for name, text in sources():
        counts["look-alikes"] += 1
        if compare.plans(text):
            counts["look-alikes flagged"] += 1
            print(f"flagged: {name}")
    for name, count in counts.most_common():
        print(f"{count:>6}  {name}")
    return int(counts["WRONG"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
