"""python -m tests.projects: in how many projects of several files the hazard is found, and how many right ones are flagged."""

from __future__ import annotations

import argparse

from .scoring import SETS, projects


def main() -> None:
    """Print one row for each form of each set."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.projects", description=(__doc__ or "").split(": ")[1]
    )
    parser.add_argument("--show", action="store_true", help="name what is missed and what is flagged wrongly")
    options = parser.parse_args()
    print(f"{'set':8}  {'form':12}  {'hazards found':15}  right flagged")
    for name in SETS:
        every = list(projects(name))
        hazards = sum(one.marked is not None for one in every)
        for library in (False, True):
            flagged = [one for one in every if one.is_flagged(library)]
            found = sum(one.marked is not None for one in flagged)
            form = "library" if library else "with script"
            row = f"{found} of {hazards}"
            print(f"{name:8}  {form:12}  {row:15}  {len(flagged) - found} of {len(every) - hazards}")
            for one in every if options.show else ():
                if (one.marked is not None) != (one in flagged):
                    print(f"    {'missed' if one.marked else 'flagged'}: {one.name}")


if __name__ == "__main__":
    main()
