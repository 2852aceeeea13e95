"""The progress bar: only for long work, and gone when the work is done."""

from __future__ import annotations

import io

import pytest

from inplace_lint.cli import progress
from inplace_lint.cli.progress import Progress


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is a second after the last."""
    ticks = iter(range(10_000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(ticks)))
    monkeypatch.setenv("COLUMNS", "60")


def test_bar_is_drawn_over_itself_and_erased() -> None:
    stream = io.StringIO()
    with Progress(4, stream) as bar:
        for number in range(1, 5):
            bar.show(number, "pkg/" + "long" * 30 + ".py")
    drawings = stream.getvalue().split("\r\x1b[K")
    assert drawings[0] == drawings[-1] == ""
    assert drawings[1].startswith("[######                  ] 1/4 ...")
    assert drawings[4].startswith("[########################] 4/4 ")
    assert all(len(drawing) < 60 and "\n" not in drawing for drawing in drawings)


def test_nothing_for_short_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress.time, "monotonic", lambda: 5.0)
    stream = io.StringIO()
    with Progress(4, stream) as bar:
        bar.show(1, "a.py")
    assert stream.getvalue() == ""
