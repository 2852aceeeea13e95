"""Speed as ratios in one run: CPU of `check` beside `ast.parse` of the same files, start-up beside a bare Python.

    python benchmarks/speed.py FOLDER [FOLDER …]

The folders are unpacked package source (for the README: the wheels of timm and of transformers, whose costs a megabyte
are compared). What is compared takes turns; each figure is the best of five runs, of starts the best of forty.
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
ROUNDS = 5
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


def sources(folder: str) -> list[str]:
    """The Python files below a folder. Ends the program where there are none: nothing would be measured."""
    if not os.path.isdir(folder):
        sys.exit(f"speed.py: there is no folder {folder}")
    files = sorted(str(path) for path in Path(folder).rglob("*.py"))
    if not any(os.path.getsize(file) for file in files):
        sys.exit(f"speed.py: no Python source lies below {folder}")
    return files


def over(folders: list[str]) -> None:
    """What parsing and checking each folder cost, taking turns, and each one's cost beside the first's."""
    texts = {folder: sources(folder) for folder in folders}
    parse = dict.fromkeys(folders, float("inf"))
    check = dict.fromkeys(folders, float("inf"))
    for _ in range(ROUNDS):
        for folder, files in texts.items():
            parse[folder] = min(parse[folder], cpu([sys.executable, "-c", PARSE], "\0".join(files)))
            command = [
                sys.executable,
                "-m",
                "inplace_lint",
                "check",
                folder,
                "--jobs",
                "1",
                "--isolated",
                "--no-cache",
            ]
            check[folder] = min(check[folder], cpu(command))
    size = {folder: sum(os.path.getsize(file) for file in files) / 1e6 for folder, files in texts.items()}
    for folder, files in texts.items():
        cost = check[folder] / size[folder]
        print(f"{folder}: {len(files)} files, {size[folder]:.1f} MB")
        times = check[folder] / parse[folder]
        print(f"  ast.parse {parse[folder]:.2f} s, check {check[folder]:.2f} s of CPU: {times:.2f} times")
        beside = cost / (check[folders[0]] / size[folders[0]])
        print(f"  {cost:.2f} s a megabyte, {beside:.2f} times that of {folders[0]}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"at most {peak / 1e9:.1f} GB in one process")


def main(folders: list[str]) -> None:
    if folders:
        over(folders)
    with tempfile.TemporaryDirectory() as directory:
        commands = {"bare Python": [sys.executable, "-c", "pass"]}
        for name, text in (("clean", CLEAN), ("flagged", FLAGGED)):
            file = Path(directory, f"{name}.py")
            file.write_text(text, encoding="utf-8")
            check = [sys.executable, "-m", "inplace_lint", "check", str(file), "--isolated", "--no-cache"]
            commands[f"one small {name} file"] = check
            # What pip makes of the entry point: Python's own `runpy` is spared.
            commands[f"  by the command inplace-lint ({name})"] = [check[0], "-c", ENTRY, *check[3:]]
        seconds = dict.fromkeys(commands, float("inf"))
        for _ in range(STARTS):
            for name, command in commands.items():
                seconds[name] = min(seconds[name], cpu(command))
    goals = {"one small clean file": 9, "one small flagged file": 12}
    for name, one in seconds.items():
        goal = f" (goal: {goals[name]})" if name in goals else ""
        print(f"{name} {one * 1e3:.1f} ms: {one / seconds['bare Python']:.2f} times{goal}")


if __name__ == "__main__":
    main(sys.argv[1:])
