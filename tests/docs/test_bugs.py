"""docs/bugs-found.md shows the runs of benchmarks/bugs as they are; `python -m scripts.bugs` runs them."""

from __future__ import annotations

import pytest

from scripts import bugs

PAGE = bugs.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("bug", bugs.bugs(), ids=lambda bug: bug.run)
def test_the_page_shows_the_run(bug: bugs.Bug) -> None:
    source = (bugs.RUNS / f"{bug.run}.py").read_text(encoding="utf-8").partition('"""\n\n')[2]
    entry = PAGE.partition(f"## {bug.package}: {bug.title}\n")[2].partition("\n## ")[0]
    assert f"```python\n{source.strip()}\n```" in entry
    assert bug.cost in entry and f"{bug.lines} ({bug.code})" in entry
    before, after = entry.split("```text\n")[1:]
    assert before.partition("```")[0] != after.partition("```")[0]


def test_every_run_is_on_the_page() -> None:
    assert {bug.run for bug in bugs.bugs()} == {path.stem for path in bugs.RUNS.glob("*.py")}
