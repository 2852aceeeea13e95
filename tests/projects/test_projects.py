"""A slice of the projects: torch agrees with each mark, no finding is lost, and no right project is flagged anew."""

from __future__ import annotations

import sys

import pytest

from ..interp.in_torch import refuses
from .scoring import SETS, Project, projects

#: Every so many projects are in the slice.
EVERY = 8
SLICE = [one for name in SETS for one in list(projects(name))[::EVERY]]


@pytest.mark.parametrize("project", SLICE, ids=lambda one: one.name)
def test_torch_agrees_with_the_mark(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(sys, "argv", ["main.py"])
    assert refuses(project.folder / "main.py", project.folder) is (project.marked is not None)


@pytest.mark.parametrize("project", SLICE, ids=lambda one: one.name)
def test_what_was_found_stays_found_and_right_projects_are_passed_over(project: Project) -> None:
    assert project.is_flagged(library=False) is (project.marked is not None)
