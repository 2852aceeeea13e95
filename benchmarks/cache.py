"""What a run costs that finds its findings where an earlier one left them.

    python benchmarks/cache.py SMALL LARGE

Both are folders of unpacked package source; for the documentation SMALL is timm, LARGE is transformers. They are
copied, and nothing is changed where they lie. Of SMALL a warm run is compared with a tenth of `ast.parse` and one
start, and one with a report that shows edits is measured. In LARGE three files that are drawn by lot are changed, and
checked as a hook does, by name, and as a part of all. Of what is measured again the best of five is printed; each draw
is measured once.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from speed import CACHE, CLEAN, PARSE, ROOT, cpu, sources

ROUNDS = 5
CHANGED = 3
DRAWS = {"named": 15, "among all": 7}
#: Seconds after which a file that was written cannot be written again at the same time of a coarse clock.
SETTLED = 3


def lint(*argv: str, form: str = "concise") -> list[str]:
    return [sys.executable, "-m", "inplace_lint", "check", "-q", "--output-format", form, *argv]


def seconds(command: list[str]) -> float:
    """By the clock, from the start of a process to its end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": CACHE}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.perf_counter()
    subprocess.run(command, capture_output=True, env=environment, check=False)
    return time.perf_counter() - begun


def small(folder: Path) -> None:
    """A warm run beside a tenth of parsing and one start."""
    clean = folder.parent / "clean.py"
    clean.write_text(CLEAN, encoding="utf-8")
    files = sources(str(folder))
    cold = cpu(lint(str(folder), "--jobs", "1"))
    start = parse = warm = float("inf")
    for _ in range(ROUNDS):
        start = min(start, cpu(lint(str(clean), "--no-cache")))
        parse = min(parse, cpu([sys.executable, "-c", PARSE], "\0".join(files)))
        warm = min(warm, cpu(lint(str(folder))))
    bar = 0.1 * parse + start
    print(
        f"{folder.name}: {len(files)} files, cold {cold:.2f} s, ast.parse {parse:.2f} s, start {start:.3f} s of CPU"
    )
    print(f"  warm {warm:.3f} s: {warm / bar:.2f} times a tenth of ast.parse and one start")
    without, first, again = (cpu(lint(str(folder), *more, form="json")) for more in (["--no-cache"], [], []))
    print(
        f"  as json: {without:.2f} s without a cache, {first:.2f} s once findings are known, then {again:.2f} s"
    )


def large(folder: Path) -> None:
    """Three changed files, checked by name and among all others."""
    files = sources(str(folder))
    cold = seconds(lint(str(folder)))
    again = seconds(lint(str(folder)))
    print(f"{folder.name}: {len(files)} files, cold {cold:.1f} s, warm {again:.2f} s by the clock")
    chance = random.Random(0)
    models = [file for file in files if Path(file).name.startswith("modeling_")] or files
    for what, draws in DRAWS.items():
        figures = []
        for _ in range(draws):
            chosen = chance.sample(models, CHANGED)
            for file in chosen:
                with open(file, "a", encoding="utf-8") as text:
                    text.write("\n\ndef added(x):\n    return x + 1\n")
            figures.append(seconds(lint(*(chosen if what == "named" else [str(folder)]))))
        told = ", ".join(f"{one:.2f}" for one in sorted(figures))
        print(f"  {CHANGED} changed files, {what}: median {statistics.median(figures):.2f} s of {told} s")


def main(folders: list[str]) -> None:
    if len(folders) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_CACHE_HOME"] = home
        for measure, folder in zip((small, large), folders, strict=True):
            copy = Path(home, "project", Path(folder).name)
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
            Path(home, "project", ".git").mkdir(exist_ok=True)
            time.sleep(SETTLED)
            measure(copy)


if __name__ == "__main__":
    main(sys.argv[1:])
