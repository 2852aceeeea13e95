"""Modules that are read when something of them is first asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from inplace_lint.lazy import lazily


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package of two modules, one of which is read late."""
    folder = tmp_path / "lazy_sample"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from inplace_lint.lazy import lazily\nread = []\nlazily(__name__, 'late')\n"
    )
    (folder / "late.py").write_text(
        "from . import read\nread.append(__name__)\nbudget = 1\n"
        "def spend():\n    global budget\n    budget -= 1\n    return budget\n"
    )
    (folder / "user.py").write_text("from . import late\ndef use():\n    return late.spend()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield __import__("lazy_sample.user")
    for name in [name for name in sys.modules if name.startswith("lazy_sample")]:
        del sys.modules[name]


def test_a_module_is_read_when_it_is_first_used(package: ModuleType) -> None:
    assert package.read == []
    assert package.user.use() == 0
    assert package.read == ["lazy_sample.late"]


def test_all_see_one_module_and_it_is_like_any_other(package: ModuleType) -> None:
    package.user.use()
    from lazy_sample.late import spend  # type: ignore[import-not-found]

    assert spend() == -1
    late = sys.modules["lazy_sample.late"]
    assert late is package.user.late
    assert type(late) is ModuleType
    assert late.budget == -1
    assert late.__file__ == late.__spec__.origin
    assert package.read == ["lazy_sample.late"]


def test_what_a_module_lacks_is_an_attribute_error(package: ModuleType) -> None:
    for _ in range(2):
        with pytest.raises(AttributeError):
            package.user.late.missing  # noqa: B018


def test_a_reading_that_was_broken_off_is_tried_again(
    package: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "read", None)
    with pytest.raises(AttributeError):
        package.user.use()
    monkeypatch.setattr(package, "read", [])
    assert package.user.use() == 0


def test_a_module_that_does_not_exist_is_an_import_error(package: ModuleType) -> None:
    lazily("lazy_sample", "nowhere")
    with pytest.raises(ModuleNotFoundError, match=r"lazy_sample\.nowhere"):
        package.nowhere.anything  # noqa: B018
