"""Classes that a script picks from a table, or a function, of another file: what their methods write is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

LIBRARY = """import torch
from torch import nn


class Good:
    def __init__(self, model):
        self.model = model

    def mid(self):
        pass

    def fit(self, rounds):
        for _ in range(rounds):
            loss = self.model(torch.randn(2, 4)).sum()
            self.mid()
            loss.backward()


class Bad(Good):
    def mid(self):
        with torch.no_grad():
            for p in self.model.parameters():
                p.mul_(0.9)


"""
SCRIPT = """from torch import nn

{imported}


def main():
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    trainer = {picked}(model)
    trainer.fit(2)


if __name__ == "__main__":
    main()
"""
#: What stands in the library, what the script imports, and how it picks a class by {key}.
TABLES = {
    "dict": ('TABLE = {"good": Good, "bad": Bad}', "from library import TABLE", 'TABLE["{key}"]'),
    "dict()": ("TABLE = dict(good=Good, bad=Bad)", "from library import TABLE", 'TABLE["{key}"]'),
    "get": ('TABLE = {"good": Good, "bad": Bad}', "from library import TABLE", 'TABLE.get("{key}")'),
    "of a module": ('TABLE = {"good": Good, "bad": Bad}', "import library", 'library.TABLE["{key}"]'),
    "function": (
        'def pick(name):\n    return {"good": Good, "bad": Bad}[name]',
        "from library import pick",
        'pick("{key}")',
    ),
    "function of a table": (
        'TABLE = {"good": Good, "bad": Bad}\n\n\ndef pick(name):\n    return TABLE[name]',
        "from library import pick",
        'pick("{key}")',
    ),
}


@pytest.mark.parametrize("key", ["bad", "good"])
@pytest.mark.parametrize("table", TABLES)
def test_a_class_is_found_in_a_table(tmp_path: Path, table: str, key: str) -> None:
    kept, imported, picked = TABLES[table]
    (tmp_path / "library.py").write_text(LIBRARY + kept + "\n")
    script = SCRIPT.format(imported=imported, picked=picked.format(key=key))
    path = tmp_path / "script.py"
    path.write_text(script)
    found = check_source(str(path), script.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.code == "IPL102" for one in found if one.severity == "error") == (key == "bad")
