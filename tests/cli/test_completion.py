"""`inplace-lint completion`: the scripts, and what bash completes with its own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from inplace_lint.cli import main
from inplace_lint.cli.completion import SHELLS
from inplace_lint.cli.verbs import VERBS

shtab = pytest.importorskip("shtab")

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_shtab_inplace_lint inplace-lint "${@: -1}" "${@: -2:1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Path]:
    found = {}
    for shell in SHELLS:
        assert main(["completion", shell]) == 0
        found[shell] = tmp_path / shell
        found[shell].write_text(capsys.readouterr().out, encoding="utf-8")
    return found


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["ch"], ["check"]),
        ([""], list(VERBS)),
        (["--unsafe"], ["--unsafe-fixes"]),
        (["check", "--output-fo"], ["--output-format"]),
        (["--output-format", "conc"], ["concise"]),
        (["check", "--select", "IPL50"], ["IPL501", "IPL502", "IPL503", "IPL504"]),
        (["rule", "saved-res"], ["saved-result-overwritten"]),
        (["config", "min"], ["min-confidence"]),
        (["completion", ""], list(SHELLS)),
        (["check", "mod"], ["model.py"]),
        (["check", "--config", "mod"], ["model.py"]),
        (["trace", "--no"], ["--no-checksums"]),
    ],
    ids=" ".join,
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes(
    scripts: dict[str, Path], tmp_path: Path, words: list[str], wanted: list[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "model.py").write_text("")
    done = subprocess.run(
        ["bash", "-c", ASK, "ask", str(scripts["bash"]), "inplace-lint", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert sorted(done.stdout.split()) == sorted(wanted)
    assert "-o default -F" in scripts["bash"].read_text(), "where no verb fits, a file is completed"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("ch", "check"),
        ("check --output-fo", "--output-format"),
        ("check --select IPL501", "IPL501"),
        ("rule saved-res", "saved-result-overwritten"),
        ("check mod", "model.py"),
    ],
)
@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
def test_fish_completes(scripts: dict[str, Path], tmp_path: Path, line: str, wanted: str) -> None:
    (tmp_path / "model.py").write_text("")
    ask = f"source {scripts['fish']}; complete -C 'inplace-lint {line}'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", ask],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert [told.partition("\t")[0] for told in done.stdout.splitlines()] == [wanted]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_the_verbs_and_a_shell_that_is_there_reads_its_script(
    scripts: dict[str, Path], shell: str
) -> None:
    text = scripts[shell].read_text(encoding="utf-8")
    assert all(name in text for name in (*VERBS, "saved-result-overwritten", "--min-confidence"))
    if shell != "tcsh" and shutil.which(shell):
        subprocess.run([shell, "-n", str(scripts[shell])], check=True, timeout=60)


@pytest.mark.parametrize("words", [[], ["ksh"], ["bash", "zsh"]])
def test_another_shell_is_told(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", *words]) == 2
    assert "completion takes the name of a shell, one of bash, zsh, tcsh, fish" in capsys.readouterr().err
