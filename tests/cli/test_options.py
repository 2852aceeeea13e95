"""How a command line is read: options and arguments in any order, programs with words of their own, wrong calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inplace_lint.cli.options import Parser, UsageError
from inplace_lint.cli.verbs import VERBS, verb

Run = Callable[..., tuple[int, str, str]]
Write = Callable[[str, str], None]


def parser(name: str) -> Parser:
    return verb(name).parser(name)


def test_options_and_paths_stand_in_any_order() -> None:
    options = parser("check").read(
        ["a.py", "--select", "IPL1, IPL2", "b.py", "--notes", "--select=IPL3", "-", "--jobs=3"]
    )
    assert options.arguments == ["a.py", "b.py", "-"]
    assert options.select == ["IPL1", "IPL2", "IPL3"]
    assert (options.notes, options.jobs, options.fix, options.ignore) == (True, 3, False, None)


def test_what_follows_two_dashes_is_a_path() -> None:
    options = parser("check").read(["--notes", "a.py", "--", "--fix", "-", "--", "-h"])
    assert options.arguments == ["a.py", "--fix", "./-", "--", "-h"]
    assert not options.fix


@pytest.mark.parametrize("name", ["trace", "capture"])
@pytest.mark.parametrize(
    ("words", "program", "is_module"),
    [
        (
            ["train.py", "--output-file", "x", "-m", "--", "y"],
            ["train.py", "--output-file", "x", "-m", "--", "y"],
            0,
        ),
        (["-m", "pkg.train", "--epochs", "1", "-h"], ["pkg.train", "--epochs", "1", "-h"], 1),
        (["--", "--odd.py", "-h"], ["--odd.py", "-h"], 0),
        (["-m"], [], 1),
        ([], [], 0),
    ],
)
def test_a_program_keeps_its_own_words(
    name: str, words: list[str], program: list[str], is_module: int
) -> None:
    option = {"trace": "--output-file", "capture": "--output"}[name]
    for own in ([], [option, "out"], [f"{option}=out"]):
        options = parser(name).read_program([*own, *words])
        assert (options.program, options.is_module, options.arguments) == (program, bool(is_module), [])
        assert vars(options)[option[2:].replace("-", "_")] == ("out" if own else None)


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_says_how_it_is_called(run: Run, name: str) -> None:
    code, out, err = run(name, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: inplace-lint {name}")
    assert run("help", name) == run(name, "-h") == (code, out, err)


@pytest.mark.parametrize("name", VERBS)
def test_no_line_of_help_ends_in_a_blank(run: Run, name: str) -> None:
    assert not [line for line in run(name, "--help")[1].splitlines() if line != line.rstrip()]


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("word", ["--bogus-thing", "--bogus-thing=1", "-x", "-5", "--", "-a b"])
def test_no_verb_takes_an_option_that_it_does_not_have(name: str, word: str) -> None:
    own = verb(name)
    read = parser(name).read_program if own.program else parser(name).read
    if word == "--":
        read([word])
        return
    with pytest.raises(UsageError, match=f"unknown option {word.partition('=')[0]}; (see|did you mean)"):
        read([word])


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["check", "--fxi"], "unknown option --fxi; did you mean --fix?"),
        (["check", "--output", "json"], "unknown option --output; did you mean --output-"),
        (["check", "--select", "--fix"], "--select needs a value: --select RULES"),
        (["check", "--jobs", "-1"], "--jobs needs a number from 1 upwards, not `-1`"),
        (["check", "--jobs", "9" * 30], "--jobs needs a number from 1 upwards, not `999"),
        (["check", "--fix=yes"], "--fix takes no value"),
        (["check", "--output-format="], "--output-format must be one of full, concise"),
        (["rule", "--al"], "unknown option --al; did you mean --all?"),
        (["version", "x"], "version takes no arguments"),
        (["confirm", "--device", "tpu"], "--device is cpu, cuda or cuda:1, not `tpu`"),
        (["confirm", "--launcher", "'"], "--launcher: No closing quotation"),
        (["trace"], "trace needs a program"),
        (["trace", "-m"], "trace needs a program"),
        (["trace", "--output-file"], "--output-file needs a value: --output-file FILE"),
        (["trace", "--output-format", "xml", "a.py"], "--output-format must be one of full"),
        (["trace", "none.py"], "there is no file none.py"),
        (["capture", "--outptu", "x", "a.py"], "unknown option --outptu; did you mean --output?"),
        (["measure", "a", "b"], "measure needs one target: inplace-lint measure model.py::Attention"),
        (["measure", "--sizes", "1,x", "a.py::F"], "--sizes needs numbers such as 256,512,1024, not `x`"),
        (["measure", "--method", "foo", "a.py::F"], "--method must be one of cpu, predict, gpu, not `foo`"),
        (["chekc", "a.py"], "`chekc` is neither a verb nor a file here; did you mean `inplace-lint check`?"),
        (
            ["explian", "a.py:1"],
            "`explian` is neither a verb nor a file here; did you mean `inplace-lint explain`?",
        ),
    ],
    ids=" ".join,
)
def test_wrong_calls_say_what_is_wrong(run: Run, write: Write, argv: list[str], message: str) -> None:
    write("a.py", "x = 1\n")
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert err.startswith(f"inplace-lint: {message}")


def test_what_is_a_file_or_no_verb_at_all_is_a_path(run: Run, write: Write) -> None:
    write("chekc/a.py", "x = 1\n")
    assert run("chekc") == (0, "", "All checks passed in 1 file.\n")
    code, out, _ = run("models")
    assert code == 1
    assert "models:1:1" in out
