"""All forms of the catalogue and more of them, run in torch: `python -m tests.attention --more 500 --seed 1`."""

from __future__ import annotations

import argparse
from collections import Counter

import torch

from . import compare
from .disguise import disguised
from .forms import catalogue, source
from .lookalikes import sources


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument(
        "--more", type=int, default=500, help="random forms besides each value of each dimension"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_default_dtype(torch.float64)
    counts: Counter[str] = Counter()
    for number, form in enumerate(catalogue(arguments.seed, arguments.more)):
        plain = source(form).replace(".float()", ".double()").replace("torch.float32", "torch.float64")
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
