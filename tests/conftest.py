"""What makes the whole suite cheaper, and its outcome the same on a busy machine."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one for small tensors; child processes have it too
# No test depends on what another, or an earlier run, has found, nor leaves anything behind.
os.environ["INPLACE_LINT_CACHE_DIR"] = os.devnull

# How long an example takes says how busy the machine is, and nothing of what is tested.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def nowhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder."""
    return tmp_path_factory.mktemp("nowhere")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources that tests give by text belong to no project: in the tool's, checks would read its thousands of files."""
    monkeypatch.chdir(nowhere)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With INPLACE_LINT_EVERY=8, only every eighth test of each file runs: enough to see what a Python lacks."""
    every = int(os.environ.get("INPLACE_LINT_EVERY", "1"))
    seen: dict[str, int] = {}
    kept = []
    for item in items:
        number = seen[item.path.as_posix()] = seen.get(item.path.as_posix(), -1) + 1
        if number % every == 0:
            kept.append(item)
    items[:] = kept


def pytest_collection_finish() -> None:
    """Thousands of collected tests and all of torch stay to the end: each search would go through them."""
    gc.freeze()
