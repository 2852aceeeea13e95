"""Each rule follows Python wherever each other rule does: the halves of a hazard, led to each other in each way.

In a good program the second half does the like without harm, and nothing is said of it. Torch judges both.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

from .hazards import HAZARDS
from .routes import IMPORTS, ROUTES, imported, source

#: What is only told where both halves stand in the file that is checked.
NOT_ACROSS = frozenset({"attention", *(name for name in HAZARDS if name.endswith("the kernel"))})
HAZARD = pytest.mark.parametrize("name", HAZARDS)
ROUTE = pytest.mark.parametrize("route", ROUTES)


def codes(text: str, filename: str = "program.py") -> set[str]:
    """The rules that say something; notes are of IPL401 alone, whose weights may be needed."""
    found = examine(filename, text.encode(), Settings(notes=True))
    return {one.code for one in found if one.severity != "note" or one.code == "IPL401"}


@ROUTE
@HAZARD
def test_a_hazard_is_found_on_each_route(name: str, route: str) -> None:
    hazard = HAZARDS[name]
    assert hazard.code in codes(source(route, hazard.first, hazard.bad))


@ROUTE
@HAZARD
def test_nothing_is_said_of_the_like_without_harm(name: str, route: str) -> None:
    hazard = HAZARDS[name]
    assert codes(source(route, hazard.first, hazard.good)) <= {"IPL205"}


@ROUTE
@HAZARD
def test_torch_agrees(name: str, route: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("numpy")
    from ..rules.silence import verdict

    hazard = HAZARDS[name]
    assert verdict(source(route, hazard.first, hazard.bad)) == hazard.torch
    assert verdict(source(route, hazard.first, hazard.good)) == "right"


@pytest.mark.parametrize("form", ["bad", "good"])
@pytest.mark.parametrize("way", IMPORTS)
@HAZARD
def test_a_hazard_is_found_across_files(name: str, way: str, form: str, tmp_path: Path) -> None:
    hazard = HAZARDS[name]
    for file, text in imported(way, hazard.first, getattr(hazard, form)).items():
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    said = set().union(*(codes(path.read_text(), str(path)) for path in sorted(tmp_path.rglob("*.py"))))
    expected = form == "bad" and name not in NOT_ACROSS
    assert said - {"IPL205"} == ({hazard.code} if expected else set())
