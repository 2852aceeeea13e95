"""What the README and docs/reports.md say of formats: all are named, what CI runs writes what is read afterwards."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.cli import main
from inplace_lint.report import FORMATS

ROOT = Path(__file__).parents[2]
TEXT = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/reports.md"))
CHECKS = re.findall(r"(?:run: |- |`)inplace-lint (check [^\n`|]*--output-format[^\n`|]*)", TEXT)
MODEL = "import torch\n\n\ndef gate(x, b):\n    y = torch.sigmoid(x.float())\n    y += b\n    return y\n"


def test_the_table_names_every_format() -> None:
    named = re.findall(r"^\| `([a-z0-9-]+)` \|", TEXT, re.MULTILINE)
    assert sorted(set(FORMATS) & set(named)) == sorted(FORMATS)


def test_there_are_commands_for_each_system() -> None:
    formats = {words[words.index("--output-format") + 1] for words in map(str.split, CHECKS)}
    assert formats >= {"sarif", "github", "gitlab", "rdjson", "html"}


@pytest.mark.parametrize("command", CHECKS)
def test_a_command_writes_what_is_read_afterwards(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "model.py").write_text(MODEL)
    words = shlex.split(command)
    code = main(words)
    assert code == ("--exit-zero" not in words), capsys.readouterr().err
    text = capsys.readouterr().out
    if "--output-file" in words:
        name = words[words.index("--output-file") + 1]
        assert re.search(rf"(sarif_file|codequality): {name}\n|{name} \.`", TEXT), "a later step takes it"
        text = (tmp_path / name).read_text(encoding="utf-8")
    assert "IPL101" in text and "model.py" in text
    if words[words.index("--output-format") + 1] not in ("html", "github", "azure", "junit"):
        json.loads(text)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is of Python 3.11")
def test_links_to_rules_are_those_of_the_project() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("urls", {}).get("Rules", "") == registry.SITE
    assert bool(registry.SITE) is not bool("pages are not published yet" in TEXT)
