"""docs/comparison.md has a row for what is asked, and what it says of this tool is so now."""

from __future__ import annotations

import re
import shlex

import pytest

from scripts import comparison

from .pages import printed

PAGE = comparison.PAGE.read_text(encoding="utf-8")
FEATURES = comparison.tomllib.loads((comparison.ASKED / "features.toml").read_text(encoding="utf-8"))[
    "feature"
]
ROWS = {
    cells[0]: cells[1:]
    for cells in re.findall(
        r"^\| ([^|]+) \| (\w+) \| (\w+) \| (\w+) \| (\w+) \| (\w+) \| (\w+) \|$", PAGE, re.M
    )
}


def test_each_feature_has_its_row_and_its_reasons() -> None:
    assert list(ROWS) == [feature["name"] for feature in FEATURES]
    known = PAGE.partition("## How each cell is known")[2]
    assert len(re.findall(r"^- [a-z-]+: (?:yes|no|part); .+$", known, re.M)) == len(FEATURES) * len(
        comparison.HELP
    )


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature["name"])
def test_what_is_said_of_this_tool_is_so(
    feature: dict, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    asked = feature.get("inplace-lint", feature.get("help"))
    if "inplace-lint" not in feature:
        help_texts = "".join(map(printed, comparison.HELP["inplace-lint"]))
        now = "yes" if re.search(asked, help_texts) else "no"
    elif isinstance(asked, str):
        now = asked.partition(":")[0]
    elif shlex.split(asked[0])[0] != "inplace-lint":
        return
    else:
        named = comparison.prepared(comparison.Path(str(tmp_path)))
        command = asked[0]
        for name, value in named.items():
            command = command.replace("{" + name + "}", value)
        now = "yes" if re.search(asked[1], printed(command)) else "no"
    assert ROWS[feature["name"]][0] == now
