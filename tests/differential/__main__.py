"""The long form of the comparison: `python -m tests.differential --programs 10000 --seed 0`."""

from __future__ import annotations

import argparse
import sys
import time

from .compare import Comparison
from .fixes import repair_many
from .minimise import kinds, minimise
from .run import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--deep", action="store_true", help="programs of classes, carried state and training steps"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--show", type=int, default=0, metavar="N", help="print N disagreements, the shortest first"
    )
    parser.add_argument("--minimise", action="store_true", help="cut them down to what disagrees first")
    parser.add_argument(
        "--uses", action="store_true", help="print how often each operation and statement was drawn"
    )
    parser.add_argument("--fixes", action="store_true", help="apply every fix instead, and judge the results")
    parser.add_argument("--discarded", action="store_true", help="print why programs were discarded")
    arguments = parser.parse_args()
    start = time.perf_counter()
    if arguments.fixes:
        return _fixes(arguments.programs, arguments.seed, arguments.show)
    tally = run(arguments.programs, arguments.seed, arguments.jobs, arguments.deep)
    if arguments.uses:
        for template, count in sorted(tally.uses.items(), key=lambda item: -item[1]):
            print(f"{count:7d}  {template}")
    if arguments.discarded:
        for reason, count in sorted(tally.discarded.items(), key=lambda item: -item[1]):
            print(f"{count:7d}  {reason}")
    shown: list[Comparison] = sorted(
        tally.disagreements, key=lambda each: (not each.disagrees, len(each.program.source))
    )
    shown = shown[: arguments.show]
    if arguments.minimise:
        shown = sorted(map(minimise, shown), key=lambda each: len(each.program.source))
    for comparison in shown:
        print("-" * 100, ", ".join(sorted(kinds(comparison))), comparison, sep="\n")
    if shown:
        print("-" * 100)
    print(tally)
    print(f"{time.perf_counter() - start:.0f} s")
    return 0 if min(tally.precision, tally.recall) >= (0.99 if arguments.deep else 0.998) else 1


def _fixes(programs: int, seed: int, show: int) -> int:
    faults = 0
    for unsafe in (False, True):
        total = repair_many(programs, seed, unsafe)
        for fault, repair in total.faults[:show]:
            print("-" * 100, fault, repair.before.source, "becomes", repair.after.source, sep="\n")
        print("every fix:" if unsafe else "safe fixes:", total)
        faults += len(total.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
