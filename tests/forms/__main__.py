"""python -m tests.forms: how many forms of Python the tool follows, in programs that raise and in those that do not."""

from __future__ import annotations

import argparse

from .scoring import SETS, forms


def main() -> None:
    """Print one row for each set."""
    parser = argparse.ArgumentParser(prog="python -m tests.forms", description=(__doc__ or "").split(": ")[1])
    parser.add_argument("sets", nargs="*", help=f"{', '.join(SETS)}; all if none is named")
    parser.add_argument(
        "--show", action="store_true", help="name what is missed and what is reported falsely"
    )
    options = parser.parse_args()
    if unknown := [name for name in options.sets if name not in SETS]:
        parser.error(f"there is no set {unknown[0]}")
    print(f"{'set':13}  {'form':12}  {'found':11}  falsely reported")
    for name in options.sets or SETS:
        for library in (False, True):
            wrong = {form.name: form.wrong(library) for form in forms(name)}
            missed = sum("missed" in one for one in wrong.values())
            false = sum("false" in one for one in wrong.values())
            form = "library" if library else "with driver"
            found = f"{len(wrong) - missed:3} of {len(wrong):3}"
            print(f"{name:13}  {form:12}  {found:11}  {false:3} of {len(wrong):3}")
            _show(wrong if options.show else {})


def _show(wrong: dict[str, str]) -> None:
    for form, how in wrong.items():
        if how:
            print(f"    {how}: {form}")


if __name__ == "__main__":
    main()
