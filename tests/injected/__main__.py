"""Writes put into real models: what torch says of them, and what the linter says."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from . import catalogue, scoring
from .mutants import Mutant, read, write


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.injected", description=__doc__)
    parser.add_argument("--set", choices=sorted(catalogue.SETS), default="own", help="which models")
    parser.add_argument("--models", default="", metavar="PREFIX,…", help="only these of the set")
    parser.add_argument("--per-model", type=int, default=4, metavar="N", help="so many writes a model")
    parser.add_argument(
        "--seed",
        type=int,
        help=f"from {catalogue.FRESH_SEEDS} on for the fresh set, below that for the others",
    )
    parser.add_argument(
        "--mutants",
        type=Path,
        metavar="FILE",
        help="take the mutants from here, or keep them here if it does not exist",
    )
    parser.add_argument(
        "--scored", type=Path, metavar="FILE", help="write what was found of each mutant, one a line"
    )
    parser.add_argument("--generate-only", action="store_true", help="make the mutants and score none")
    parser.add_argument(
        "--cases", action="store_true", help="print what was missed and flagged, of the fresh set too"
    )
    options = parser.parse_args()
    fresh = options.set in ("fresh", "wider")
    if options.seed is None:
        options.seed = catalogue.FRESH_SEEDS if fresh else 1
    if fresh != (options.seed >= catalogue.FRESH_SEEDS):
        parser.error(f"seeds from {catalogue.FRESH_SEEDS} on are for the fresh set, and no others")
    if options.scored and fresh and not options.cases:
        parser.error("--scored lists cases: of the fresh set only with --cases")
    if options.mutants and options.mutants.exists():
        found = read(options.mutants)
        strangers = {mutant.model for mutant in found} - catalogue.SETS[options.set].keys()
        if strangers:
            parser.error(f"{options.mutants} has models of another set: {', '.join(sorted(strangers))}")
    else:
        found = list(_generate(options))
    if options.generate_only:
        return 0
    _score(found, options.cases or not fresh, options.scored)
    return 0


def _generate(options: argparse.Namespace) -> Iterator[Mutant]:
    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    made = _of_all(options)
    if options.mutants is None:
        yield from made
    else:
        write(options.mutants, made)
        yield from read(options.mutants)


def _of_all(options: argparse.Namespace) -> Iterator[Mutant]:
    chosen = {
        name: model
        for name, model in catalogue.SETS[options.set].items()
        if name.startswith(tuple(options.models.split(",")))
    }
    missing = sorted(
        {m.package for m in chosen.values() if m.package != "models" and not _is_installed(m.package)}
    )
    if missing:
        print(f"not installed, and left out: {', '.join(missing)}", file=sys.stderr)
    from .inject import mutants

    known: set[object] = set()
    for name, model in chosen.items():
        if model.package in missing:
            continue
        folder = scoring.folder_of(model.package)
        start = time.perf_counter()
        try:
            yield from mutants(name, model, folder, options.per_model, options.seed, known)
        except Exception as error:  # a model that this version of its package builds otherwise
            print(f"{name} left out: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        else:
            print(f"{name} {time.perf_counter() - start:.0f} s", file=sys.stderr)


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _score(found: list[Mutant], cases: bool, scored_file: Path | None) -> None:
    figures = scoring.Figures()
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(open(scored_file, "w", encoding="utf-8")) if scored_file else None
        for scored in scoring.score(found):
            figures.add(scored)
            if out is not None:
                told = {"default": [*map(str, scored.default)], "possible": [*map(str, scored.possible)]}
                out.write(json.dumps({**vars(scored.mutant), **told}) + "\n")
                out.flush()
            if cases:
                _print_case(scored)
    print(figures)


def _print_case(scored: scoring.Scored) -> None:
    mutant = scored.mutant
    hazard = mutant.label == "hazard"
    if hazard and scored.default:
        return
    if not hazard and not scored.possible:
        return
    what = ("found at possible" if scored.possible else "missed") if hazard else "flagged"
    print(
        f"{what}: {mutant.file}:{mutant.after + 1} `{mutant.line.strip()}` in {mutant.function} ({mutant.model})"
    )
    if hazard:
        print(f"    torch: {mutant.error}")
    for one in scored.possible:
        print(f"    {one}")


if __name__ == "__main__":
    sys.exit(main())
