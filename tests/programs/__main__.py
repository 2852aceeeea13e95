"""python -m tests.programs: how many hazards of the programs are found, and how many clean ones are flagged."""

from __future__ import annotations

import argparse

from .scoring import SETS, Program, programs


def main() -> None:
    """Print one row for each form of each set."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.programs", description=(__doc__ or "").split(": ")[1]
    )
    parser.add_argument("sets", nargs="*", help=f"{', '.join(SETS)}; all if none is named")
    parser.add_argument("--show", action="store_true", help="name what is missed and what is flagged wrongly")
    options = parser.parse_args()
    if unknown := [name for name in options.sets if name not in SETS]:
        parser.error(f"there is no set {unknown[0]}")
    print(f"{'set':8}  {'form':12}  {'hazards found':15}  {'of them silent':15}  clean flagged")
    for name in options.sets or SETS:
        every = programs(name)
        for library in (False, True):
            flagged = [one for one in every if one.is_flagged(library)]
            form = "library" if library else "with driver"
            print(f"{name:8}  {form:12}  {_row(every, flagged)}")
            if options.show:
                for one in every:
                    if bool(one.row) != (one in flagged):
                        print(f"    {'missed' if one.row else 'flagged'}: {one.path.name}")


def _row(every: list[Program], flagged: list[Program]) -> str:
    hazards = [one for one in every if one.row]
    silent = [one for one in hazards if one.silent]
    found = sum(one.row > 0 for one in flagged)
    clean = len(flagged) - found
    silently = sum(one.silent for one in flagged)
    of_hazards, of_silent = f"{found} of {len(hazards)}", f"{silently} of {len(silent)}"
    return f"{of_hazards:15}  {of_silent:15}  {clean} of {len(every) - len(hazards)}"


if __name__ == "__main__":
    main()
