"""Every format reports the same findings and counts the same."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from xml.etree import ElementTree

import pytest

from inplace_lint.cli import main
from inplace_lint.report import FORMATS

FILES = {
    "errors.py": """
        import torch


        def one(x):
            y = torch.exp(x.float())
            y += 1
            return y


        def silenced(x):
            y = torch.exp(x.float())
            y += 1  # inplace-lint: ignore[IPL101]
            return y


        def refused_when_tried(x):
            y = torch.exp(x.float())
            return torch.sin(y), y.zero_()


        def remark(x):
            x = x.float() * 2
            x.add_(1)
            return x
    """,
    "warnings.py": """
        import torch.nn.functional as F


        def attend(q, k, v, scale: float):
            weights = F.softmax(q @ k.transpose(-2, -1) * scale, dim=-1)
            return weights @ v
    """,
    "unreadable.py": "x = (",
}


def counted(form: str, out: str) -> int:
    """How many findings a report holds."""
    if form == "full":
        return sum(line.lstrip().startswith("--> ") for line in out.splitlines())
    if form == "statistics":
        return sum(int(line.split()[0]) for line in out.splitlines())
    if form == "junit":
        return sum(len(case) for case in ElementTree.fromstring(out.encode()).iter("testcase"))
    if form == "html":
        return out.count("<article ")
    if form in FORMATS and FORMATS[form].streamed:
        return len(out.splitlines())
    read = json.loads(out)
    if form == "statistics-json":
        return sum(row["count"] for row in read)
    inside = {"sarif": ("runs", 0, "results"), "json-v2": ("findings",), "rdjson": ("diagnostics",)}
    for step in inside.get(form, ()):
        read = read[step]
    return len(read)


@pytest.mark.parametrize("more", [(), ("--notes",), ("--min-confidence", "possible"), ("--unsafe-fixes",)])
def test_all_formats_count_the_same(
    more: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(textwrap.dedent(text))
    monkeypatch.chdir(tmp_path)
    seen = {}
    for form in (*FORMATS, "statistics", "statistics-json"):
        how = ("--statistics",) if form.startswith("statistics") else ("--output-format", form)
        how += ("--output-format", "json") if form == "statistics-json" else ()
        code = main(["check", "--isolated", *how, *more])
        out, err = capsys.readouterr()
        seen[form] = (counted(form, out), code, err)
    assert len(set(seen.values())) == 1, seen
    assert seen["json"][0] >= 4


def test_what_is_kept_back_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(90):  # enough for several processes
        (tmp_path / f"m{number:02}.py").write_text("x = 1\n")
    for name, text in FILES.items():
        (tmp_path / name).write_text(textwrap.dedent(text))
    monkeypatch.chdir(tmp_path)

    def summary(*more: str) -> tuple[int, int, int]:
        main(["check", "--isolated", "--output-format", "json-v2", *more])
        told = json.loads(capsys.readouterr().out)["summary"]
        return told["findings"], told["silenced"], told["in_baseline"]

    found = summary()
    assert found[1:] == (1, 0)
    assert summary("--jobs", "2") == summary("--jobs", "1") == found
    assert summary("--ignore", "IPL101")[1] == 0
    main(["check", "--isolated", "--write-baseline", "known.json"])
    capsys.readouterr()
    assert summary("--baseline", "known.json") == (1, 1, found[0] - 1)  # what cannot be read is never known
