"""What makes the whole suite cheaper: one thread each for small tensors, and no search for cycles among what stays."""

from __future__ import annotations

import gc
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported; child processes have it too


def pytest_collection_finish() -> None:
    """Thousands of collected tests and all of torch stay to the end: each search would go through them."""
    gc.freeze()
