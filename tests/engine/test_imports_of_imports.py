"""What is found in a file is found anew when a file has changed that one of its imports imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.cli import main

from . import changing
from .changing import Lint

GATE = """\
import torch

from .middle import change


def gate(x):
    y = torch.sigmoid(x)
    change(y)
    return y
"""
MIDDLE = "from .lowest import alter\n\n\ndef change(x):\n    return alter(x)\n"
LOWEST = {
    "returns": "def alter(x):\n    return x + 1\n",
    "writes": "def alter(x):\n    x.mul_(2)\n    return x\n",
}


def begin(form: str) -> None:
    texts = {"__init__.py": "", "gate.py": GATE, "middle.py": MIDDLE, "lowest.py": LOWEST[form]}
    for name, text in texts.items():
        changing.put(Path(), f"pkg/{name}", text)


@pytest.mark.parametrize("first", LOWEST)
@pytest.mark.parametrize("argv", [(), ("pkg/gate.py",), ("pkg/gate.py", "--notes")])
def test_what_an_import_imports_counts_when_it_changes(first: str, argv: tuple[str, ...], lint: Lint) -> None:
    begin(first)
    lint(*argv)
    changing.put(Path(), "pkg/gate.py", GATE + "# changed\n")
    assert lint(*argv) == lint(*argv, "--no-cache")
    (second,) = LOWEST.keys() - {first}
    before = lint(*argv)
    changing.put(Path(), "pkg/lowest.py", LOWEST[second])
    assert lint(*argv) == lint(*argv, "--no-cache") != before


def test_a_process_that_lives_on_sees_what_it_has_never_read(
    lint: Lint, capsys: pytest.CaptureFixture[str]
) -> None:
    begin("returns")
    lint()
    changing.put(Path(), "pkg/gate.py", GATE + "# changed\n")
    lint()  # as a process of its own, which goes on
    changing.put(Path(), "pkg/lowest.py", LOWEST["writes"])
    assert main(["check", "pkg/gate.py"]) == 1, capsys.readouterr()


def test_a_file_that_comes_into_the_way_of_an_import_counts(lint: Lint) -> None:
    begin("returns")
    lint()
    changing.put(Path(), "pkg/gate.py", GATE + "# changed\n")
    before = lint()
    changing.put(Path(), "pkg/lowest/__init__.py", LOWEST["writes"])
    assert lint() == lint("--no-cache") != before


def test_runs_at_the_same_time_leave_what_both_rest_on(lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run goes by what an earlier one knew, while another writes a cache that knows nothing of it."""
    from inplace_lint.engine.cache import Cache

    begin("returns")
    lint("pkg/gate.py")
    changing.put(Path(), "pkg/gate.py", GATE + "# changed\n")
    load, loads = Cache._load, [0]

    def forgetting(cache: Cache):  # type: ignore[no-untyped-def]
        loads[0] += 1
        at, graph = load(cache)
        if loads[0] > 1:
            graph.keep_only({})
        return at - loads[0], graph

    monkeypatch.setattr(Cache, "_load", forgetting)
    lint("pkg/gate.py")
    assert loads[0] == 2
    monkeypatch.setattr(Cache, "_load", load)
    before = lint("pkg/gate.py")
    changing.put(Path(), "pkg/lowest.py", LOWEST["writes"])
    assert lint("pkg/gate.py") == lint("pkg/gate.py", "--no-cache") != before
