"""The runtime needs torch; without it nothing here is collected."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore_glob = [] if find_spec("torch") else ["*.py"]
RULES = Path(__file__).parents[2] / "rules"


@pytest.fixture
def no_traces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """What a run in this process imports of a test's own files, or of the rules' cases, is forgotten."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith((str(tmp_path), str(RULES))):
            del sys.modules[name]
