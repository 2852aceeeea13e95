"""Rules of others: found by their entry points, selected and silenced as ours, and no reason for a run to end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.cli import main
from inplace_lint.project import extensions

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/own_rules"
TEXT = "import torch\nfrom torch import manual_seed as seed\n\ntorch.manual_seed(0)\nseed(1)\n"


def installed(folder: Path, module: str, text: str, entry: str = "own-rules") -> None:
    """A package as an installer leaves it: a module, and the folder that says what it offers."""
    (folder / f"{module}.py").write_text(text)
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[inplace_lint.rules]\n{entry} = {module}:RULES\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place where packages are installed, and a project that is the working directory."""
    site = tmp_path / "site"
    site.mkdir()
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.chdir(project)
    before = set(sys.modules)
    extensions.forget()
    yield site
    extensions.forget()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(site)):
            del sys.modules[name]


@pytest.fixture
def example(site: Path) -> Path:
    installed(site, "own_rules", (EXAMPLE / "own_rules.py").read_text(encoding="utf-8"))
    Path("inplace-lint.toml").write_text('select = ["OWN1", "IPL1"]\nrules = ["own-rules"]\n')
    Path("a.py").write_text(TEXT)
    return site


def found(capsys: pytest.CaptureFixture[str], *options: str) -> list[tuple[str, int]]:
    main(["check", "a.py", "--output-format", "json", *options])
    return [(one["code"], one["location"]["row"]) for one in json.loads(capsys.readouterr().out)]


def test_example_finds_what_it_is_for(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "a.py", "--output-format", "concise"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out == [
        f"a.py:{row}:1: warning[OWN101] importing this file sets the random numbers of others"
        for row in (4, 5)
    ]


def test_nothing_is_loaded_that_no_configuration_names(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert found(capsys, "--isolated") == []
    assert "own_rules" not in sys.modules and not extensions.RULES


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (["--select", "OWN101"], [4, 5]),
        (["--select", "OWN"], [4, 5]),
        (["--select", "seed-in-library"], [4, 5]),
        (["--select", "ALL"], [4, 5]),
        (["--select", "IPL"], []),
        (["--ignore", "OWN101"], []),
        (["--ignore", "seed-in-library"], []),
        (["--config", "rules=[]", "--select", "IPL1"], []),
    ],
)
def test_codes_of_others_are_selected_as_ours(
    options: list[str], rows: list[int], example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert found(capsys, *options) == [("OWN101", row) for row in rows]


@pytest.mark.parametrize("said", ["ignore[OWN101]", "ignore[seed-in-library]", "ignore[OWN]", "ignore"])
def test_comments_silence_them(said: str, example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(TEXT.replace("(0)\n", f"(0)  # inplace-lint: {said}\n"))
    assert found(capsys) == [("OWN101", 5)]
    Path("a.py").write_text(TEXT.replace("(0)\n", "(0)  # noqa: OWN101\n"))
    assert found(capsys) == [("OWN101", 5)]


def test_a_comment_that_silences_none_of_them_is_unused(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text("x = 1  # inplace-lint: ignore[OWN101]\ny = 2  # inplace-lint: ignore[OWN999]\n")
    assert found(capsys, "--select", "ALL") == [("IPL001", 1), ("IPL001", 2)]


def test_files_can_be_left_out_and_notes_are_shown_on_request(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "    y = torch.sigmoid(net(x))\n    y += 1\n    return y\n"
    text = "import torch\n\nnet = torch.nn.Linear(2, 2)\n\n\ndef f(x):\n" + body + "\n\ndef g(x):\n" + body
    Path("a.py").write_text(text)
    assert found(capsys) == [("IPL101", 8), ("IPL101", 14)]
    assert ("OWN102", 8) in found(capsys, "--notes")
    Path("inplace-lint.toml").write_text('rules = ["own-rules"]\nper-file-ignores = { "a.py" = ["OWN"] }\n')
    assert found(capsys, "--notes", "--select", "OWN102") == []


def test_the_page_of_a_rule_is_shown(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "own101"]) == 0
    assert capsys.readouterr().out.startswith("# OWN101 seed-in-library\n\n## What it does")
    assert main(["rule", "many-hazards"]) == 0
    assert "A file holds several errors" in capsys.readouterr().out
    assert main(["rule"]) == 0
    assert "OWN102  many-hazards" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["full", "sarif", "html", "gitlab", "junit", "github", "json-v2", "rdjson"])
def test_every_format_takes_them(form: str, example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "a.py", "--output-format", form]) == 1
    assert "OWN101" in capsys.readouterr().out
    assert main(["check", "a.py", "--statistics"]) == 1


def test_workers_know_them(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(8):
        Path(f"b{number}.py").write_text(TEXT)
    assert main(["check", ".", "--jobs", "2", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.count("OWN101") == 18


def test_what_they_find_is_found_anew_each_time(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys) == [("OWN101", 4), ("OWN101", 5)]
    text = (example / "own_rules.py").read_text(encoding="utf-8")
    (example / "own_rules.py").write_text(text.replace('"torch.manual_seed", ', ""))
    extensions.forget()
    del sys.modules["own_rules"]
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        assert len(found(capsys)) < 2
    finally:
        sys.dont_write_bytecode = before


BROKEN = """\
from inplace_lint.plugin import Finding, Rule


def bad(file):
    {body}


def good(file):
    yield Finding(file.tree.body[0], "seen")


RULES = [Rule("OWN1", "bad", "error", "Bad.", bad), Rule("OWN1", "good", "error", "Good.", good)]
"""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("raise ValueError('no\\nway')", "ValueError: no"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("return bad(file)", "RecursionError"),
        ("return 3", "TypeError"),
        ("return [3]", "TypeError: a finding is an inplace_lint.plugin.Finding"),
        ("return [Finding(3, 'x')]", "TypeError: a finding stands at a node"),
        ("return [Finding(file.tree, 'x')]", "TypeError: a finding stands at a node"),
        ("return [Finding(file.tree.body[0], '')]", "TypeError"),
        ("return [Finding(file.tree.body[0], 'x', confidence='sure')]", "ValueError: confidence is one of"),
        (
            "return [Finding(__import__('inplace_lint').Location('b.py', 9, 1, 9, 2), 'x')]",
            "is not in this file",
        ),
    ],
)
def test_a_rule_that_fails_is_told_and_the_others_go_on(
    body: str, why: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = BROKEN.format(body=body).replace('"OWN1", "bad"', '"OWN101", "bad"')
    installed(site, "broken", text.replace('"OWN1", "good"', '"OWN102", "good"'))
    Path("inplace-lint.toml").write_text('rules = ["own-rules"]\n')
    Path("a.py").write_text("import torch\n\n\ndef f(x):\n    y = torch.exp(x)\n    y += 1\n    return y\n")
    assert main(["check", "a.py", "--output-format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in told] == ["IPL002", "OWN102", "IPL101"]
    assert "the rule OWN101 of `own-rules` failed on this file" in told[0]["message"]
    assert why in told[0]["message"]


GOOD = 'from inplace_lint.plugin import Rule\n\nRULES = [Rule("{}", "{}", "{}", "Sum.", print)]\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import nothing_of_this_name", "cannot be loaded: ModuleNotFoundError"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError"),
        ("", "cannot be loaded: AttributeError"),
        ("RULES = []", "is no inplace_lint.plugin.Rule"),
        ("RULES = 3", "is no inplace_lint.plugin.Rule"),
        (GOOD.format("IPL901", "mine", "error"), "needs a code of two to six capitals, not IPL"),
        (GOOD.format("own1", "mine", "error"), "needs a code"),
        (GOOD.format("OWN101", "My Rule", "error"), "needs a name in small letters"),
        (GOOD.format("OWN101", "mine", "fatal"), "needs a severity"),
        (
            GOOD.format("OWN101", "leaf-overwritten", "error"),
            "takes `leaf-overwritten`, which is a rule of inplace-lint",
        ),
        (GOOD.format("OWN101", "mine", "error") + "RULES *= 2\n", "which is a rule of `own-rules` itself"),
    ],
)
def test_what_cannot_be_used_is_an_error_of_the_configuration(
    text: str, why: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(site, "broken", text)
    Path("inplace-lint.toml").write_text('select = ["ALL"]\nrules = ["own-rules"]\n')
    Path("a.py").write_text("x = 1\n")
    assert main(["check", "a.py"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("inplace-lint: inplace-lint.toml:2: `rules` names `own-rules`, ") and why in told


def test_rules_that_nobody_offers_are_told_with_those_that_there_are(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("inplace-lint.toml").write_text('rules = ["other-rules"]\n')
    assert main(["check", "a.py"]) == 2
    told = capsys.readouterr().err
    assert "`other-rules`, which nothing that is installed offers" in told and "`own-rules`" in told


def test_two_packages_cannot_take_the_same_codes(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    installed(example, "others", GOOD.format("OWN101", "mine", "error"), entry="others")
    Path("inplace-lint.toml").write_text('rules = ["own-rules", "others"]\n')
    assert main(["check", "a.py"]) == 2
    assert (
        "`others`, whose rule `OWN101` takes `OWN101`, which is a rule of `own-rules`"
        in capsys.readouterr().err
    )


def test_what_lies_in_the_checked_tree_is_not_installed(tmp_path: Path) -> None:
    installed(tmp_path, "sneaky", "raise SystemExit('it ran')\n")
    (tmp_path / "inplace-lint.toml").write_text('rules = ["own-rules"]\n')
    (tmp_path / "a.py").write_text("x = 1\n")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "inplace_lint", "check", "a.py"],
        cwd=tmp_path,
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2 and "which nothing that is installed offers" in done.stderr
    assert "it ran" not in done.stdout + done.stderr


def test_without_rules_of_others_nothing_of_them_is_read(site: Path) -> None:
    Path("a.py").write_text("x = 1\n")
    code = "import sys; from inplace_lint.cli import main; main(['check', 'a.py', '-q']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    names = set(done.stdout.split())
    assert not names & {"importlib.metadata", "inplace_lint.plugin", "inplace_lint.checks.extension"}


def test_codes_are_unknown_where_their_package_is_not_named(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("inplace-lint.toml").write_text('select = ["OWN101"]\n')
    assert main(["check", "a.py"]) == 2
    assert "no rule is called `OWN101`" in capsys.readouterr().err
    assert registry.find("OWN101") is None
