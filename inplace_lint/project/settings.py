"""Defines the options that a user can set, with default and meaning; `Settings` holds one set of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .declarations import Declaration

#: Sizes for which messages say how much memory attention saves, if the source does not give them.
ATTENTION_SIZES = (("batch", 8), ("heads", 16), ("length", 8192))

#: The newest PyTorch that the op table knows, which `target-torch` may name.
NEWEST_TORCH = (2, 13)

#: The largest size that attention may be told to have.
LARGEST = 1 << 40

#: Patterns that are never searched unless named on the command line: Ruff's list.
EXCLUDE = (
    ".bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .pants.d .pyenv "
    ".pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pypackages__ _build buck-out build dist "
    "node_modules site-packages venv"
)


@dataclass(frozen=True, slots=True)
class Option:
    """One key of the configuration.

    `kind` is strings, string, flag, table, names, sizes or models; `choices` limits a string; `rules` tells whether its
    strings name rules.
    """

    name: str
    kind: str
    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    rules: bool = False


OPTIONS: tuple[Option, ...] = (
    Option(
        "select", "strings", ("ALL",), "rules to report: codes, prefixes of codes, names, ALL", rules=True
    ),
    Option("ignore", "strings", (), "rules not to report", rules=True),
    Option("extend-select", "strings", (), "rules to report besides those of `select`", rules=True),
    Option(
        "min-confidence",
        "string",
        "likely",
        "report findings that are at least this sure",
        choices=("possible", "likely", "certain"),
    ),
    Option("notes", "flag", False, "show notes too; they never change the exit code"),
    Option(
        "target-torch",
        "string",
        None,
        "the PyTorch version to check for, such as 2.13; the newest known if unset",
    ),
    Option("device", "string", "both", "the device the code runs on", choices=("both", "cpu", "cuda")),
    Option("per-file-ignores", "table", (), "a table: file pattern = rules not to report there", rules=True),
    Option(
        "inputs", "names", (), "a table: package.module:Class = package.module:function that makes its inputs"
    ),
    Option(
        "attention-sizes",
        "sizes",
        ATTENTION_SIZES,
        "a table: the batch, heads and length for which messages say what attention keeps in memory",
    ),
    Option(
        "models",
        "models",
        (),
        "a table: package.module:function = what it saves, writes and returns, as in writes(x), returns(new)",
    ),
    Option(
        "rules",
        "strings",
        (),
        "rules of others to run too: names of installed entry points of the group inplace_lint.rules",
    ),
    Option("src", "strings", (), "directories from which the project's own modules are imported"),
    Option("exclude", "strings", tuple(EXCLUDE.split()), "files and directories to pass over"),
    Option("extend-exclude", "strings", (), "files and directories to pass over besides those of `exclude`"),
    Option("force-exclude", "flag", False, "pass over excluded files even where they are named one by one"),
    Option("respect-gitignore", "flag", True, "pass over what .gitignore files name"),
    # These apply to a whole run: the directory in which it is started decides.
    Option(
        "output-format",
        "string",
        "full",
        "how to report, as --output-format; see `inplace-lint check --help`",
    ),
    Option(
        "unsafe-fixes",
        "flag",
        False,
        "also make, and count, the fixes that may change what the program computes",
    ),
    Option(
        "fail-on",
        "string",
        "warning",
        "findings that are at least this bad end with exit code 1",
        choices=("error", "warning"),
    ),
    Option("baseline", "string", None, "report only findings that this file does not list"),
    Option(
        "cache-dir",
        "string",
        None,
        "where findings are kept for the next run, in place of .inplace_lint_cache beside this file",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values of all options for the files of one directory tree.

    `root` is the directory that patterns, `src` and fingerprints are relative to; `config_file` the file that
    the values came from, None for defaults.
    """

    root: str = "."
    config_file: str | None = None
    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    min_confidence: str = "likely"
    notes: bool = False
    target_torch: str | None = None
    device: str = "both"
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    attention_sizes: tuple[tuple[str, int], ...] = ATTENTION_SIZES
    models: tuple[tuple[str, Declaration], ...] = ()
    rules: tuple[str, ...] = ()
    src: tuple[str, ...] = ()
    exclude: tuple[str, ...] = tuple(EXCLUDE.split())
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    output_format: str = "full"
    unsafe_fixes: bool = False
    fail_on: str = "warning"
    baseline: str | None = None
    cache_dir: str | None = None
