"""What a call and the configuration set for a run: `--config`, colour, `-q`, `-v`, what would be checked and how."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]
Write = Callable[[str, str], None]

FLAGGED = 'x = 1\nhazard("IPL101")\n'


def codes(out: str) -> list[str]:
    return [record["code"] for record in json.loads(out)]


# --config


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("min-confidence=certain", 'min-confidence = "certain"'),
        ("min-confidence = 'certain'", 'min-confidence = "certain"'),
        ("target-torch=2.10", 'target-torch = "2.10"'),
        ("notes=true", "notes = true"),
        ('ignore=["IPL105", "ipl2"]', 'ignore = ["IPL105", "ipl2"]'),
        ('per-file-ignores."tests/*"=["IPL1"]', 'per-file-ignores = {"tests/*" = ["IPL1"]}'),
        ("attention-sizes={batch=2}", "attention-sizes = {batch = 2, heads = 16, length = 8192}"),
        ("unsafe-fixes=true", "unsafe-fixes = true"),
        ("output-format=concise", 'output-format = "concise"'),
    ],
)
def test_a_key_is_set_by_the_call(run: Run, write: Write, given: str, shown: str) -> None:
    write("a.py", "x = 1\n")
    write("inplace-lint.toml", "min-confidence = 'possible'\nignore = ['IPL101']\n")
    code, out, _ = run("--show-settings", "--config", given)
    assert code == 0
    assert shown in out.splitlines()


def test_what_the_call_says_wins_over_files_and_options_over_keys(run: Run, write: Write) -> None:
    write("a.py", 'hazard("IPL101")\nhazard("IPL102")\nhazard("IPL103")\n')
    write("inplace-lint.toml", "select = ['IPL101']\n")
    form = ("--output-format", "json")
    assert codes(run(*form)[1]) == ["IPL101"]
    assert codes(run(*form, "--config", "select=['IPL102']")[1]) == ["IPL102"]
    assert codes(run(*form, "--config", "select=['IPL102']", "--select", "IPL103")[1]) == ["IPL103"]
    assert codes(run(*form, "--isolated", "--config", "ignore=['IPL102']")[1]) == ["IPL101", "IPL103"]
    assert codes(run(*form, "--isolated", "--config", "ignore=['IPL102']", "--ignore", "IPL101")[1]) == [
        "IPL103"
    ]
    write("other.toml", "select = ['IPL102', 'IPL103']\n")
    both = ("--config", "other.toml", "--config", "ignore=['IPL103']")
    assert codes(run(*form, *both)[1]) == ["IPL102"]
    write("odd=name.toml", "select = ['IPL103']\n")
    assert codes(run(*form, "--config", "odd=name.toml")[1]) == ["IPL103"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["selct=['IPL1']"], "--config: unknown key `selct`; did you mean `select`?"),
        (["selct=x y"], "--config: unknown key `selct`; did you mean `select`?"),
        (["select=IPL1"], "--config: is not valid TOML"),
        (["select='IPL1'"], "--config: `select` must be a list of strings, not a string"),
        (["select=['IPL109']"], "--config: `select` has an unknown rule: no rule is called `IPL109`"),
        (
            ["min-confidence=sure"],
            "--config: `min-confidence` must be one of possible, likely, certain, not `sure`",
        ),
        (["notes=1"], "--config: `notes` must be true or false, not a number"),
        (["output-format=xml"], "`output-format` must be one of full, concise"),
        (["="], "--config: unknown key ``"),
        (["a\nb=1"], "--config: unknown key `a"),
        (["extend='x.toml'"], "--config: unknown key `extend`"),
        (["none.toml"], "--config: there is no file none.toml; a key is set as KEY=VALUE"),
        (["b.toml", "b.toml"], "--config names two files, b.toml and b.toml"),
        (["b.toml", "--isolated"], "--isolated and --config FILE contradict each other"),
    ],
)
def test_a_key_that_cannot_be_set_is_told(run: Run, write: Write, given: list[str], message: str) -> None:
    write("a.py", "x = 1\n")
    write("b.toml", "")
    words = [word for one in given for word in (["--config", one] if one[0] != "-" else [one])]
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in err.replace("␊", "\n")


# What the configuration says of the whole run


def test_the_run_is_set_where_it_is_started(run: Run, write: Write) -> None:
    write("a.py", 'hazard("IPL204")\n')
    write("sub/inplace-lint.toml", "output-format = 'json'\nfail-on = 'error'\n")
    assert run()[1].startswith("warning[IPL204]")
    write("inplace-lint.toml", "output-format = 'concise'\nfail-on = 'error'\n")
    code, out, _ = run()
    assert (code, out[:7]) == (0, "a.py:1:")
    assert run("--output-format", "full", "--fail-on", "warning")[0] == 1
    assert run("--isolated")[0] == 1


def test_the_baseline_of_the_configuration_lies_beside_it(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("sub/a.py", FLAGGED)
    write("pyproject.toml", "[tool.inplace-lint]\nbaseline = 'known.json'\n")
    code, _, err = run()
    assert code == 2
    assert "known.json; --write-baseline" in err
    assert run("--write-baseline", "known.json")[0] == 0
    assert run()[0] == 0
    monkeypatch.chdir("sub")
    assert run()[0] == 0
    assert run("--isolated")[0] == 1
    assert run("--config", "baseline=other.json")[0] == 2


def test_a_broken_configuration_here_does_not_keep_files_elsewhere_from_being_checked(
    run: Run, write: Write
) -> None:
    write("inplace-lint.toml", "select = [\n")
    write("sub/inplace-lint.toml", "")
    write("sub/a.py", FLAGGED)
    assert run("sub")[0] == 1
    assert run()[0] == 2


# What is said, and in which colours


def test_quiet_prints_the_findings_alone(run: Run, write: Write) -> None:
    write("a.py", FLAGGED)
    for option in ("-q", "--quiet"):
        code, out, err = run(option)
        assert (code, err) == (1, "")
        assert "IPL101" in out
    write("a.py", "x = 1\n")
    assert run("-q") == (0, "", "")
    assert run("-q", "--diff") == (0, "", "")
    assert run("-q", "none")[0] == 1
    write("inplace-lint.toml", "selct = []\n")
    assert "unknown key `selct`" in run("-q")[2], "what is wrong is said all the same"


def test_verbose_tells_of_settings_and_time(run: Run, write: Write) -> None:
    write("a.py", FLAGGED)
    write("b.py", FLAGGED)
    write("sub/c.py", "x = 1\n")
    write("sub/inplace-lint.toml", "")
    lines = run("-v")[2].splitlines()
    assert lines[:3] == [
        "Found 2 errors in 3 files.",
        "2 files with the defaults: there is no configuration file.",
        "1 file with the settings of sub/inplace-lint.toml.",
    ]
    assert lines[3].startswith("1 process, ")
    assert run("-v", "-q")[2] == ""
    run("--write-baseline", "b.json")
    write("b.py", "x = 1\n")
    assert 'gone: IPL101 in <module>: hazard("IPL101")' in run("-v", "--baseline", "b.json")[2]


def test_colour_as_the_call_says(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", FLAGGED)
    assert "\x1b[" in run("--color", "always")[1]
    assert "\x1b[" not in run("--color", "auto")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("--color=auto")[1]
    assert "\x1b[" not in run("--color", "never")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in run("--color", "always")[1]
    code, _, err = run("--color", "yes")
    assert (code, err) == (2, "inplace-lint: --color must be one of auto, always, never, not `yes`\n")


def test_show_files(run: Run, write: Write) -> None:
    write("b.py", FLAGGED)
    write("a.py", "x = (\n")
    write("build/c.py", "")
    write("no.txt", "")
    assert run("--show-files") == (0, "a.py\nb.py\n", "")
    assert run("--show-files", "b.py", "build/c.py") == (0, "b.py\nbuild/c.py\n", "")
    assert run("--show-files", "b.py", "build/c.py", "--force-exclude") == (0, "b.py\n", "")
    write("sub/inplace-lint.toml", "select = [\n")
    assert run("--show-files")[0] == 2


def test_show_settings(run: Run, write: Write) -> None:
    write("sub/a.py", "x = 1\n")
    write("sub/inplace-lint.toml", "ignore = ['IPL101']\n")
    code, out, err = run("--show-settings", "sub", "--ignore", "IPL102", "--notes")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "# from sub/inplace-lint.toml for sub/a.py"
    assert 'ignore = ["IPL101", "IPL102"]' in lines
    assert "notes = true" in lines


@pytest.mark.parametrize("option", ["--show-files", "--show-settings"])
def test_what_does_not_exist_is_not_shown(run: Run, write: Write, option: str) -> None:
    write("a.py", "")
    code, out, err = run(option, "nope.py", "a.py", "no/folder")
    assert code == 2
    assert "nope.py" not in out
    assert "a.py" in out
    assert err == (
        "inplace-lint: nope.py: no such file or directory\ninplace-lint: no/folder: no such file or directory\n"
    )
