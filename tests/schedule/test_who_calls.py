"""A write that breaks a backward only if an argument requires grad: whoever calls the function says whether it does."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from inplace_lint.api import check_paths

#: For each the text of a file, and the same with one part replaced, which makes the write one to tell.
QUIET_AND_TOLD = {
    "a method that nobody calls, and one that returns one number, as a loss is": (
        """
        import torch

        def weights(scores):
            found = scores.exp_()
            found /= found.sum(1, keepdim=True)  # here
            return found

        class Bank:
            def match(self, keys, query):
                return weights(keys @ query)
        """,
        ("weights(keys @ query)", "weights(keys @ query).sum()"),
    ),
    "an item of a data set, and of a plain object": (
        """
        import torch
        from torch.utils import data

        class Pictures(data.Dataset):
            def __getitem__(self, picture):
                spread = picture.std(dim=0)
                spread[spread == 0] = 1.0  # here
                return (picture / spread).sum()
        """,
        ("(data.Dataset)", ""),
    ),
}


@pytest.mark.parametrize(
    ("text", "changes"), [(text, rest) for text, *rest in QUIET_AND_TOLD.values()], ids=QUIET_AND_TOLD
)
def test_a_write_is_told_where_a_caller_may_differentiate(
    text: str, changes: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quiet.py").write_text(dedent(text))
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (tmp_path / "told.py").write_text(dedent(text))
    rows = {row for row, line in enumerate(dedent(text).split("\n"), 1) if line.endswith("# here")}
    told = {
        (one.location.filename, one.location.row) for one in check_paths(["quiet.py", "told.py"]).diagnostics
    }
    assert told == {("told.py", row) for row in rows}
