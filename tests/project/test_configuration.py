"""Which configuration is in force where, and what is said of one that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.project import torch_version
from inplace_lint.project.configuration import Configuration
from inplace_lint.project.errors import ConfigurationError
from inplace_lint.project.settings import NEWEST_TORCH, OPTIONS, Settings
from inplace_lint.torchmodel import table


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def settings(directory: str = ".", **options: object) -> Settings:
    return Configuration(selector_problem=registry.problem, **options).settings(directory)


def write(path: str, text: str) -> None:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_defaults_without_a_file(tmp_path: Path) -> None:
    found = settings()
    assert found.config_file is None
    assert found.root == str(tmp_path)
    for option in OPTIONS:
        assert getattr(found, option.name.replace("-", "_")) == option.default


def test_pyproject_without_our_table_is_not_ours(tmp_path: Path) -> None:
    write("pyproject.toml", "[tool.ruff]\nline-length = 100\n")
    write("sub/pyproject.toml", "this is not TOML and nobody asks")
    assert settings("sub").config_file is None
    assert settings("sub").root == str(tmp_path / "sub")


def test_closest_file_wins() -> None:
    write("pyproject.toml", '[tool.inplace-lint]\nignore = ["IPL101"]\n')
    write("a/b/inplace-lint.toml", "notes = true\n")
    assert settings("a").ignore == ("IPL101",)
    assert settings("a/b/c").ignore == ()
    assert settings("a/b/c").notes
    assert settings("a/b").config_file == str(Path("a/b/inplace-lint.toml"))


def test_sizes_that_are_not_given_are_the_defaults() -> None:
    write("inplace-lint.toml", "attention-sizes = { length = 4096 }\n")
    assert dict(settings().attention_sizes) == {"batch": 8, "heads": 16, "length": 4096}


@pytest.mark.parametrize("value", ["3", "{ length = 0 }", "{ length = true }", "{ width = 3 }"])
def test_sizes_that_mean_nothing_are_refused(value: str) -> None:
    write("inplace-lint.toml", f"attention-sizes = {value}\n")
    with pytest.raises(ConfigurationError, match=r"`attention-sizes` (must|may)"):
        settings()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["torch>=2.1,<3", "numpy"]\n', (2, 1)),
        ("pyproject.toml", '[project]\ndependencies = [\n  "torch ~= 2.4.0",\n]\n', (2, 4)),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.2"\n', (2, 2)),
        ("pyproject.toml", '[project]\ndependencies = ["torch<2.1"]\n', (2, 0)),
        ("pyproject.toml", '[project]\ndependencies = ["torch<=2.1"]\n', (2, 1)),
        ("requirements.txt", "numpy\ntorch==2.0.1\n", (2, 0)),
        ("requirements.txt", "torchvision>=0.1\ntorch\n", None),
        ("pyproject.toml", '[project]\ndependencies = ["pytorch-lightning>=2.0"]\n', None),
    ],
)
def test_oldest_torch_is_what_the_dependencies_declare(
    name: str, text: str, expected: tuple[int, int] | None
) -> None:
    write(".git/HEAD", "")
    write(name, text)
    assert torch_version.oldest(settings()) == expected


def test_configured_torch_comes_before_the_dependencies() -> None:
    write(
        "pyproject.toml",
        '[project]\ndependencies = ["torch>=2.1"]\n[tool.inplace-lint]\ntarget-torch = "2.6"\n',
    )
    assert torch_version.oldest(settings()) == (2, 6)


def test_own_file_comes_before_pyproject() -> None:
    write("pyproject.toml", '[tool.inplace-lint]\nignore = ["IPL101"]\n')
    write("inplace-lint.toml", 'ignore = ["IPL102"]\n')
    assert settings().ignore == ("IPL102",)


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    write(
        "inplace-lint.toml",
        """
select = ["IPL1"]
ignore = ["leaf-overwritten"]
extend-select = ["IPL001"]
min-confidence = "certain"
notes = true
target-torch = "2.4"
device = "cuda"
src = ["lib"]
exclude = ["old"]
extend-exclude = ["vendor/*"]
force-exclude = true
respect-gitignore = false
[per-file-ignores]
"tests/*" = ["IPL101", "IPL102"]
""",
    )
    found = settings()
    assert found.select == ("IPL1",)
    assert found.ignore == ("leaf-overwritten",)
    assert found.extend_select == ("IPL001",)
    assert found.min_confidence == "certain"
    assert found.target_torch == "2.4"
    assert found.device == "cuda"
    assert found.src == (str(tmp_path / "lib"),)
    assert found.exclude == ("old",)
    assert found.extend_exclude == ("vendor/*",)
    assert (found.notes, found.force_exclude, found.respect_gitignore) == (True, True, False)
    assert found.per_file_ignores == (("tests/*", ("IPL101", "IPL102")),)


def test_extend_is_the_base_and_own_keys_win() -> None:
    write("base.toml", 'ignore = ["IPL101"]\nnotes = true\n')
    write("pyproject.toml", '[tool.inplace-lint]\nextend = "base.toml"\nignore = ["IPL102"]\n')
    assert settings().ignore == ("IPL102",)
    assert settings().notes


def test_command_line_wins_and_its_ignore_is_added() -> None:
    write("inplace-lint.toml", 'select = ["IPL101"]\nignore = ["IPL102"]\n')
    found = settings(overrides={"select": ("IPL103",)}, more_ignored=("IPL104",))
    assert found.select == ("IPL103",)
    assert found.ignore == ("IPL102", "IPL104")


def test_isolated_reads_nothing() -> None:
    write("inplace-lint.toml", "broken [")
    assert settings(isolated=True).config_file is None


def test_named_file_is_the_only_one() -> None:
    write("inplace-lint.toml", "broken [")
    write("other/mine.toml", "notes = true\n")
    assert settings(file="other/mine.toml").notes


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("select = [", 1, "is not valid TOML"),
        ("notes = true\nselct = []", 2, "unknown key `selct`; did you mean `select`?"),
        ("\n\nnotes = 3", 3, "`notes` must be true or false, not a number"),
        ('select = "IPL101"', 1, "`select` must be a list of strings, not a string"),
        ("select = [1]", 1, "`select` must be a list of strings, not a list that holds a number"),
        ('select = ["IPL109"]', 1, "`select` has an unknown rule: no rule is called `IPL109`; did you mean"),
        ('min-confidence = "sure"', 1, "must be one of possible, likely, certain, not `sure`"),
        ('target-torch = "new"', 1, "must be a version such as 2.13, not `new`"),
        ('notes = true\nsrc = [".", "nope"]', 2, "`src` names a directory that does not exist: nope"),
        ('target-torch = "9.9"', 1, "is 9.9, and the newest version that this inplace-lint knows is 2.13"),
        ('target-torch = "3"', 1, "is 3, and the newest"),
        ('[per-file-ignores]\n"a.py" = "IPL101"', 2, "must give a list of rules for the pattern `a.py`"),
        ('[per-file-ignores]\n"a.py" = ["IPX"]', 2, "`per-file-ignores` has an unknown rule"),
        ('[per-file-ignores]\n"a.py" = ["IPL1"]\n\n"b.py" = ["IPX"]', 4, "`per-file-ignores` has an unknown"),
        ('notes = true\nper-file-ignores = { "a.py" = ["IPX"] }', 2, "`per-file-ignores` has an unknown"),
        ("notes = true\nper-file-ignores.\"a.py\" = ['IPX']", 2, "`per-file-ignores` has an unknown"),
        (
            "[per-file-ignores]\n'a.py' = []\nb = [\n  'IPL1',\n  'IPX',\n]",
            3,
            "`per-file-ignores` has an unknown",
        ),
        ('[inputs]\n"m:Net" = "i:net"\n"m:Other" = "net"', 3, "`inputs` must name what it means"),
        ('[inputs]\n"m:Net" = "i:net"\nNet = "i:net"', 3, "`inputs` must name what it means"),
        ('[inputs]\n"m:Net" = "i:net"\n"m:\\u0041" = 3', 3, "`inputs` must be a table of names"),
        ("[attention-sizes]\nbatch = 1\nwidth = 1", 3, "`attention-sizes` may hold"),
        ("[attention-sizes]\nbatch = 1\nheads = 0 # [length]", 3, "`attention-sizes` must give"),
        ('[models]\n"a:f" = "returns(new)"\n"b:f" = "wrties(x)"', 3, '`models` "b:f"'),
        ('[models."a:f"]\nreturns = "new"\n[models."b:f"]\nwrties = "x"', 3, '`models` "b:f"'),
        ("per-file-ignores = []", 1, "must be a table of file patterns, not a list"),
        ("[tool.inplace-lint]\nnotes = true", 1, "keys stand at the top level"),
        ('extend = "none.toml"', 1, "`extend` names a file that does not exist: none.toml"),
        ('extend = "inplace-lint.toml"', 1, "goes round in a circle"),
        ("extend = 3", 1, "`extend` must be the path"),
    ],
)
def test_what_cannot_be_used_is_told_with_file_and_line(text: str, line: int, message: str) -> None:
    write("inplace-lint.toml", text)
    with pytest.raises(ConfigurationError) as caught:
        settings()
    assert caught.value.line == line
    assert str(caught.value).startswith(f"inplace-lint.toml:{line}: ")
    assert message in str(caught.value)


def test_line_of_an_entry_in_pyproject() -> None:
    text = '[tool.ruff.per-file-ignores]\n"a.py" = []\n[tool.inplace-lint . "per-file-ignores"]\n"a.py" = ["IPX"]\n'
    write("pyproject.toml", text)
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:4: `per-file-ignores`"):
        settings()
    write("pyproject.toml", "[tool]\nx = 1\ninplace-lint = { notes = 1 }\n")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:3: `notes`"):
        settings()


def test_line_of_a_key_in_pyproject() -> None:
    write("pyproject.toml", "[tool.other]\nnotes = 1\n[tool.inplace-lint]\nnotes = 1\n")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:4: `notes`"):
        settings()


def test_file_that_is_not_utf8() -> None:
    Path("inplace-lint.toml").write_bytes(b'# gr\xfc\xdfe\nselect = ["IPL1"]\n')
    with pytest.raises(ConfigurationError, match=r"inplace-lint\.toml:1: is not UTF-8"):
        settings()


def test_the_newest_torch_is_that_of_the_table() -> None:
    assert ".".join(map(str, NEWEST_TORCH)) == table.get().torch_version.rpartition(".")[0]
    for version in ("1.13", "2", "2.13", "2.13.1"):
        write("inplace-lint.toml", f'target-torch = "{version}"\n')
        assert settings().target_torch == version


@pytest.mark.parametrize(
    "header",
    ["[tool.inplace_lint]", "[tool.inplace_lint.inputs]", '[tool."inplace_lint"]', "tool.inplace_lint = {}"],
)
def test_a_table_with_an_underscore_is_not_passed_over(header: str) -> None:
    write("pyproject.toml", f'a = "x"\n{header}\n')
    with pytest.raises(
        ConfigurationError, match=r"toml:2: the table is called \[tool\.inplace-lint\], with a hyphen"
    ):
        settings()
    write("pyproject.toml", '[tool.x]\n[project.entry-points."inplace_lint.rules"]\nmine = "a:b"\n')
    assert settings().config_file is None


def test_a_selection_of_nothing_is_told() -> None:
    message = r"`select` is empty, so no rule would be checked: leave it out, or say \[\"ALL\"\]"
    write("pyproject.toml", "[tool.inplace-lint]\nnotes = true\nselect = []\n")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:3: " + message):
        settings()
    write("base.toml", "select = []\n")
    write("pyproject.toml", '[tool.inplace-lint]\nextend = "base.toml"\n')
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml: " + message):
        settings()
    with pytest.raises(ConfigurationError, match="--config: " + message):
        settings(overrides={"select": ()}, isolated=True)
    assert settings(overrides={"select": ("IPL1",)}).select == ("IPL1",)
    write("pyproject.toml", '[tool.inplace-lint]\nselect = []\nextend-select = ["IPL101"]\n')
    assert settings().extend_select == ("IPL101",)


def test_a_byte_order_mark_is_told_by_its_name() -> None:
    Path("pyproject.toml").write_bytes(b"\xef\xbb\xbf[tool.inplace-lint]\nnotes = true\n")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:1: starts with a byte-order mark"):
        settings()
