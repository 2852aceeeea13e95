"""Speed as ratios in one run: CPU of `check` beside `ast.parse` of the same files, start-up beside a bare Python.

    python benchmarks/speed.py FOLDER [FOLDER …]

The folders are unpacked package source (for the README: the wheels of timm and of transformers, whose costs a megabyte
are compared). Each figure is the best of three runs; of starts, that take turns, the best of forty.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = tempfile.mkdtemp()
STARTS = 40
PARSE = """
import ast, sys
for name in sys.stdin.read().split("\\0"):
    with open(name, "rb") as file:
        ast.parse(file.read(), name)
"""
FLAGGED = """import torch


def gate(x, bias):
    y = torch.sigmoid(x)
    y += bias
    return y
"""
ENTRY = "from inplace_lint.cli import entry; entry()"
CLEAN = FLAGGED.replace("y += bias", "y = y + bias")


def cpu(command: list[str], text: str = "") -> float:
    """CPU seconds, user and system, of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": CACHE}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package comes compiled
    subprocess.run(command, input=text, text=True, capture_output=True, env=environment, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def best(command: list[str], text: str = "", times: int = 3) -> float:
    return min(cpu(command, text) for _ in range(times))


def sources(folder: str) -> list[str]:
    """The Python files below a folder. Ends the program where there are none: nothing would be measured."""
    if not os.path.isdir(folder):
        sys.exit(f"speed.py: there is no folder {folder}")
    files = sorted(str(path) for path in Path(folder).rglob("*.py"))
    if not any(os.path.getsize(file) for file in files):
        sys.exit(f"speed.py: no Python source lies below {folder}")
    return files


def main(folders: list[str]) -> None:
    for folder, files in [(folder, sources(folder)) for folder in folders]:
        size = sum(os.path.getsize(file) for file in files) / 1e6
        parse = best([sys.executable, "-c", PARSE], "\0".join(files))
        checked = best([sys.executable, "-m", "inplace_lint", "check", folder, "--jobs", "1", "--isolated"])
        print(f"{folder}: {len(files)} files, {size:.1f} MB")
        print(f"  ast.parse {parse:.2f} s, check {checked:.2f} s of CPU: {checked / parse:.1f} times")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (
            1 if sys.platform == "darwin" else 1024
        )
        print(f"  {checked / size:.2f} s a megabyte, {peak / 1e9:.1f} GB in one process (the largest so far)")
    with tempfile.TemporaryDirectory() as directory:
        commands = {"bare Python": [sys.executable, "-c", "pass"]}
        for name, text in (("clean", CLEAN), ("flagged", FLAGGED)):
            file = Path(directory, f"{name}.py")
            file.write_text(text, encoding="utf-8")
            check = [sys.executable, "-m", "inplace_lint", "check", str(file), "--isolated"]
            commands[f"one small {name} file"] = check
            # What pip makes of the entry point: Python's own `runpy` is spared.
            commands[f"  by the command inplace-lint ({name})"] = [check[0], "-c", ENTRY, *check[3:]]
        seconds = dict.fromkeys(commands, float("inf"))
        for _ in range(STARTS):
            for name, command in commands.items():
                seconds[name] = min(seconds[name], cpu(command))
    for name, one in seconds.items():
        print(f"{name} {one * 1e3:.1f} ms: {one / seconds['bare Python']:.2f} times")


if __name__ == "__main__":
    main(sys.argv[1:])
