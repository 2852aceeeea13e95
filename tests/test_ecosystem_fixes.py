"""Fixes over whole packages: what is made is checked by other means than the tool's own."""

from __future__ import annotations

import random

import pytest

from scripts import ecosystem, ecosystem_fixes
from scripts.ecosystem_fixes import matched

from .test_ecosystem import ROOT, package

__all__ = ["package"]


def test_every_fix_is_made_in_a_copy_and_found_in_order(package, capsys):
    _, module, cache = package
    source = module.read_bytes()
    assert ecosystem_fixes.main(cache) == 0
    assert "1 fixes offered, 0 left, 1 edits in 1 files, " in capsys.readouterr().out
    assert module.read_bytes() == source


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("is changed outside of every edit", lambda text: text.replace("super", "Super")),
        ("does not compile any more", lambda text: text.replace("class", "klass")),
        ("changes in a second run", lambda text: text + "\n"),
        (
            "IPL101 came in gates/__init__.py:13",
            lambda text: text.replace("return y", "y = y.exp(); y += 2; return y"),
        ),
    ],
)
def test_a_fault_of_fixing_is_told(package, capsys, monkeypatch, said, fault):
    _, _, cache = package
    check = ecosystem.run

    def spoiling(folder, *options):
        found = check(folder, *options)
        if "--fix" in options:
            for path in folder.rglob("*.py"):
                path.write_text(fault(path.read_text("utf-8")), "utf-8")
            found = check(folder)
        return found

    monkeypatch.setattr(ecosystem, "run", spoiling)
    assert ecosystem_fixes.main(cache) == 1
    assert said in capsys.readouterr().out
    assert ROOT.is_dir()


def test_a_change_outside_of_the_edits_is_found_whichever_of_them_were_made():
    chance = random.Random(0)
    for _ in range(300):
        old = "".join(chance.choice("ab\n") for _ in range(60))
        starts = sorted(chance.sample(range(0, 60, 6), 4))
        edits = [(s, s + chance.randrange(4), chance.choice(["", "x", "xy\n"])) for s in starts]
        made = [edit for edit in edits if chance.random() < 0.6]
        new = old
        for start, end, content in reversed(made):
            new = new[:start] + content + new[end:]
        assert matched(old, new, edits)[1] is None
        place = chance.choice([p for p in range(60) if all(not s <= p <= e for s, e, _ in edits)])
        shift = sum(len(content) - (end - start) for start, end, content in made if end <= place)
        spoiled = new[: place + shift] + "#" + new[place + shift + 1 :]
        assert matched(old, spoiled, edits)[1] is not None
