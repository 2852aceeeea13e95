"""Which file an import means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inplace_lint.project import Project


@pytest.fixture(autouse=True)
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (
        "pkg/__init__.py",
        "pkg/ops.py",
        "pkg/nn/__init__.py",
        "pkg/nn/gate.py",
        "pkg/nn/plain/late.py",
        "other/__init__.py",
        "scripts/train.py",
        "scripts/model.py",
        "scripts/lib/__init__.py",
        "src/core/__init__.py",
        "src/core/gate.py",
        "src/core/gate/__init__.py",
        "venv/site-packages/timm/__init__.py",
        "venv/site-packages/timm/act.py",
        "venv/site-packages/numpy/__init__.py",
        "venv/site-packages/single.py",
    ):
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def resolve(module: str, importer: str, level: int = 0, src: tuple[str, ...] = ()) -> str | None:
    found = Project(".", src).resolve(module, importer, level)
    return None if found is None else found.replace(os.sep, "/")


def test_absolute_import_within_the_package() -> None:
    assert resolve("pkg.ops", "pkg/nn/gate.py") == "pkg/ops.py"
    assert resolve("pkg.nn", "pkg/ops.py") == "pkg/nn/__init__.py"
    assert resolve("pkg", "pkg/ops.py") == "pkg/__init__.py"
    assert resolve("pkg.none", "pkg/ops.py") is None


def test_relative_imports() -> None:
    assert resolve("ops", "pkg/nn/gate.py", 2) == "pkg/ops.py"
    assert resolve("gate", "pkg/nn/__init__.py", 1) == "pkg/nn/gate.py"
    assert resolve("", "pkg/nn/gate.py", 1) == "pkg/nn/__init__.py"
    assert resolve("", "pkg/nn/gate.py", 2) == "pkg/__init__.py"


def test_what_lies_beside_a_package_or_beside_a_folder_around_it_is_the_projects_own() -> None:
    assert resolve("other", "pkg/ops.py") == "other/__init__.py"
    assert resolve("other", "pkg/nn/gate.py") == "other/__init__.py"
    assert resolve("scripts.model", "pkg/nn/gate.py") == "scripts/model.py"  # a folder without `__init__.py`
    assert resolve("core.gate", "scripts/train.py") == "src/core/gate/__init__.py"
    assert resolve("pkg.ops", "scripts/lib/__init__.py") == "pkg/ops.py"
    Path("torch").mkdir()
    Path("torch/__init__.py").touch()
    assert resolve("torch", "pkg/ops.py") is None


def test_the_closest_folder_around_counts_first() -> None:
    Path("scripts/other.py").touch()
    assert resolve("other", "scripts/train.py") == "scripts/other.py"
    assert resolve("other", "scripts/lib/__init__.py") == "scripts/other.py"


def test_nothing_outside_of_the_project_is_looked_at() -> None:
    found = Project("scripts").resolve("pkg", "scripts/train.py")
    assert found is None
    assert Project("scripts").resolve("model", "scripts/lib/__init__.py") is not None


def test_a_script_sees_what_lies_beside_it() -> None:
    assert resolve("model", "scripts/train.py") == "scripts/model.py"
    assert resolve("lib", "scripts/train.py") == "scripts/lib/__init__.py"


def test_a_script_in_a_folder_with_an_init_sees_what_lies_beside_it() -> None:
    assert resolve("ops", "pkg/train.py") == "pkg/ops.py"
    assert resolve("nn.gate", "pkg/nn/plain/../late.py") == "pkg/nn/gate.py"
    for taken in ("random", "torch"):
        Path(f"pkg/{taken}.py").touch()
        assert resolve(taken, "pkg/train.py") is None
    assert resolve("act", "venv/site-packages/timm/train.py") is None


@pytest.mark.parametrize("beside", ["pyproject.toml", "setup.py", "setup.cfg"])
def test_what_is_made_to_be_installed_is_not_run_in_place(beside: str) -> None:
    Path(beside).touch()
    assert resolve("ops", "pkg/train.py") is None
    assert resolve("pkg.ops", "pkg/train.py") == "pkg/ops.py"


def test_configured_roots_hold_first_party_modules() -> None:
    assert resolve("pkg.ops", "scripts/train.py", src=(".",)) == "pkg/ops.py"
    assert resolve("core", "scripts/train.py", src=("src",)) == "src/core/__init__.py"


def test_a_package_hides_the_module_of_its_name() -> None:
    assert resolve("core.gate", "src/core/__init__.py") == "src/core/gate/__init__.py"


def test_installed_packages_are_never_entered() -> None:
    timm = "venv/site-packages/timm/__init__.py"
    assert resolve("numpy", timm) is None
    assert resolve("timm.act", timm) == "venv/site-packages/timm/act.py"
    assert resolve("numpy", "venv/site-packages/single.py") is None
    assert resolve("numpy", timm, 2) is None


def test_module_names() -> None:
    project = Project(".", ("src",))
    assert project.module_name("pkg/nn/gate.py") == "pkg.nn.gate"
    assert project.module_name("pkg/nn/__init__.py") == "pkg.nn"
    assert project.module_name("scripts/train.py") == "train"
    assert project.module_name("src/core/gate.py") == "core.gate"


def test_answers_do_not_depend_on_how_the_importer_is_written() -> None:
    assert resolve("ops", os.path.abspath("pkg/nn/gate.py"), 2) == "pkg/ops.py"
    assert resolve("ops", "./pkg/../pkg/nn/gate.py", 2) == "pkg/ops.py"
