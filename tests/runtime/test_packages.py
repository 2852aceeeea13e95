"""Inputs for the classes of real packages, where they are installed; `benchmarks/inputs.py` prints the whole table."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks/inputs.py"


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_of_inputs", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("package", ["vit_pytorch", "timm", "x_transformers"])
def test_most_attention_classes_run_without_help(benchmark: ModuleType, package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    benchmark.without_torchvision()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        some = benchmark.classes(package)[::6]
        ran = [benchmark.runs(one)[0] for one in some]
    assert sum(ran) >= 0.01 * benchmark.PACKAGES[package] * len(ran)
