"""What is found in a file does not hang on which files were checked before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.api import check_paths
from inplace_lint.interp.program import forget

LONG = "".join(f"    n = {number}\n" for number in range(2_500))
STATE = """\
import torch


class State:
    def update(self, x):
        x.add_(torch.ones(2))
        return x
"""
#: `options` may be a State here, and `load` with it a function that writes: no other file knows that.
USER = f"""\
import torch
from .state import State


def load(options):
    options.update(1)
    return options


def act(x):
{LONG}    y = x.sigmoid()
    load(y)
    y.add_(1)
    return State().update(y)
"""
LOADER = f"""\
import torch
from .user import load


def act(x):
{LONG}    load(x)
    y = x.sigmoid()
    y.add_(1)
    return y
"""


def each_in_turn(names: list[str]) -> dict[str, list[str]]:
    """What is found in files that one process checks in this order."""
    forget(everything=True)
    return {
        name: [f"{one.location.row} {one.code} {one.message}" for one in check_paths([name]).diagnostics]
        for name in names
    }


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = Path("pkg")
    folder.mkdir()
    (folder / "__init__.py").touch()
    return folder


def test_what_is_cut_short_does_not_hang_on_the_file_before(package: Path) -> None:
    texts = {"state": STATE, "user": USER, "loader": LOADER}
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text)
    names = [f"pkg/{name}.py" for name in texts]
    found = each_in_turn(names)
    assert any("IPL003" in one for one in found["pkg/user.py"])
    assert found == each_in_turn(names[::-1])
    assert found == {name: each_in_turn([name])[name] for name in names}


def test_files_that_import_each_other_in_a_long_row_lose_no_finding(package: Path) -> None:
    count = 44  # more than calls are entered deep
    for number in range(count):
        handed = f"    x = f{number + 1}(x)\n" if number < count - 1 else ""
        (package / f"m{number:02}.py").write_text(
            (f"from .m{number + 1:02} import f{number + 1}\n" if handed else "")
            + f"import torch\n\n\ndef f{number}(x):\n{handed}    y = x.sigmoid()\n    y.add_(1)\n    return y\n"
        )
    names = [f"pkg/m{number:02}.py" for number in range(count)]
    found = each_in_turn(names)
    assert found == each_in_turn(names[::-1])
    assert all(any("IPL101" in one for one in told) for told in found.values())
