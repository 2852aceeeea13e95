"""Reads the options from one configuration file, validates each, and reports errors with their line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import extensions
from .errors import ConfigurationError, WrongEntry
from .paths import shown
from .reading import read as contents
from .settings import LARGEST, NEWEST_TORCH, OPTIONS, Option
from .toml_lines import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: The longest chain of files that extend one another.
_EXTENDED = 32
_BY_NAME = {option.name: option for option in OPTIONS}


def read(
    path: str, selector_problem: Callable[[str], str | None], seen: tuple[str, ...] = ()
) -> dict[str, Any] | None:
    """The values of one file as keywords of Settings; None if it has no table of ours. Raises ConfigurationError.

    `selector_problem` returns what is wrong with a rule's code or name; `seen` are the files that extend this one.
    """
    shown_path = shown(path)
    try:
        source = contents(path)
    except OSError as error:
        raise ConfigurationError(shown_path, None, f"cannot be read: {error.strerror}") from error
    own = os.path.basename(path) != "pyproject.toml"
    if not own and not _mentions_us(source):
        return None
    table = _parse(shown_path, source)
    lines = Lines(source)
    if own and "tool" in table:
        message = "keys stand at the top level of this file, without [tool.inplace-lint]"
        raise ConfigurationError(shown_path, lines.of("tool", "inplace-lint"), message)
    if not own:
        tool = table.get("tool")
        inner = tool.get("inplace-lint") if isinstance(tool, dict) else None
        if isinstance(tool, dict) and "inplace_lint" in tool:
            message = "the table is called [tool.inplace-lint], with a hyphen"
            raise ConfigurationError(shown_path, lines.of("tool", "inplace_lint"), message)
        if inner is None:
            return None
        if not isinstance(inner, dict):
            raise ConfigurationError(shown_path, None, "tool.inplace-lint must be a table")
        table = inner
    above = () if own else ("tool", "inplace-lint")
    values: dict[str, Any] = {}
    base = table.pop("extend", None)
    if base is not None:
        values = _extended(path, lines.of(*above, "extend"), base, selector_problem, seen)
    root = os.path.dirname(os.path.abspath(path))

    def value_of(key: str) -> Any:
        try:
            if key == "models":
                return _models(table[key], lambda entry: (shown_path, lines.of(*above, key, entry) or 0))
            return _value(key, table[key], root, selector_problem)
        except ValueError as error:
            entry = (error.key,) if isinstance(error, WrongEntry) else ()
            raise ConfigurationError(shown_path, lines.of(*above, key, *entry), str(error)) from error

    return {**values, **{key.replace("-", "_"): value_of(key) for key in _in_order(table)}}


def line_of(path: str, key: str) -> int | None:
    """The line of a key in a configuration file that has been read; None if it stands in one that this extends."""
    try:
        lines = Lines(contents(path))
    except OSError:
        return None
    above = ("tool", "inplace-lint") if os.path.basename(path) == "pyproject.toml" else ()
    return lines.of(*above, key, exact=True)


def _mentions_us(source: bytes) -> bool:
    """Whether a pyproject.toml may have a table of ours; if not, it need not be parsed."""
    return b"inplace-lint" in source or (b"inplace_lint" in source and b"tool" in source)


def _in_order(table: Mapping[str, object]) -> list[str]:
    """The keys, `rules` first: it loads the third-party rules that other keys may name."""
    return sorted(table, key=lambda key: key != "rules")


def inline(text: str, selector_problem: Callable[[str], str | None]) -> dict[str, Any]:
    """Parses `KEY = VALUE` to a keyword of Settings; a word needs no quotes. Raises ValueError."""
    key, _, given = (part.strip() for part in text.partition("="))
    option = _BY_NAME.get(key)
    try:
        table = _parse("", text.encode())
    except ConfigurationError as error:
        table = {key: given}
        if option is None or option.kind != "string":
            raise ValueError(error.message if option else _unknown_key(key)) from error
    if option is not None and option.kind == "string" and not isinstance(table[key], (str, list, dict)):
        table = {key: given}  # a version such as 2.10 must stay text
    (key,) = table
    return {key.replace("-", "_"): _value(key, table[key], os.getcwd(), selector_problem)}


def given(values: Mapping[str, object], selector_problem: Callable[[str], str | None]) -> dict[str, Any]:
    """Validates values that a program passes, and returns them as keywords of Settings. Raises ConfigurationError."""
    found = {}
    for name, value in values.items():
        key = name.replace("_", "-")
        if isinstance(value, tuple):
            value = list(value)
        try:
            found[key.replace("-", "_")] = _value(key, value, os.getcwd(), selector_problem)
        except ValueError as error:
            raise ConfigurationError("settings", None, str(error)) from error
    return found


def _value(key: str, value: object, root: str, selector_problem: Callable[[str], str | None]) -> Any:
    """The value of a key as Settings holds it, with paths below `root`. Raises ValueError with a sentence."""
    option = _BY_NAME.get(key)
    if option is None:
        raise ValueError(_unknown_key(key))
    if option.kind == "models":
        return _models(value, lambda inner: ("--config", 0))
    try:
        checked = _checked(option, value)
        _check_rules(option, checked, selector_problem)
        if key == "rules":
            extensions.load(checked)
        if key == "src":
            _check_folders(checked, root)
    except WrongEntry as error:
        raise WrongEntry(error.key, f"`{key}` {error}") from error
    except ValueError as error:
        raise ValueError(f"`{key}` {error}") from error
    if key == "src":
        return tuple(os.path.join(root, part) for part in checked)
    return os.path.join(root, checked) if key in ("baseline", "cache-dir") else checked


def _models(value: object, place_of: Callable[[str], tuple[str, int]]) -> Any:
    from . import declarations

    try:
        return declarations.of_models(value, place_of)
    except WrongEntry:
        raise
    except ValueError as error:
        raise ValueError(f"`models` {error}") from error


def _extended(
    path: str,
    line: int | None,
    base: object,
    selector_problem: Callable[[str], str | None],
    seen: tuple[str, ...],
) -> dict[str, Any]:
    if not isinstance(base, str):
        raise ConfigurationError(shown(path), line, "`extend` must be the path of another configuration file")
    if "\0" in base:
        raise ConfigurationError(shown(path), line, "`extend` names a file that cannot exist")
    target = os.path.join(os.path.dirname(os.path.abspath(path)), os.path.expanduser(base))
    seen = (*seen, os.path.realpath(path))
    if len(seen) > _EXTENDED:
        raise ConfigurationError(shown(path), line, f"`extend` goes through more than {_EXTENDED} files")
    if os.path.realpath(target) in seen:
        raise ConfigurationError(shown(path), line, f"`extend` goes round in a circle through {base}")
    if not os.path.isfile(target):
        raise ConfigurationError(shown(path), line, f"`extend` names a file that does not exist: {base}")
    return read(target, selector_problem, seen) or {}


def _check_rules(option: Option, value: Any, selector_problem: Callable[[str], str | None]) -> None:
    if not option.rules:
        return
    of_entries = {"": value} if option.kind == "strings" else dict(value)
    for entry, selectors in of_entries.items():
        for selector in selectors:
            problem = selector_problem(selector)
            if problem:
                raise WrongEntry(entry, f"has an unknown rule: {problem}")


def _parse(filename: str, source: bytes) -> dict[str, Any]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    if source.startswith(b"\xef\xbb\xbf"):
        message = "starts with a byte-order mark, which TOML does not take: save it as UTF-8 without one"
        raise ConfigurationError(filename, 1, message)
    try:
        return tomllib.loads(source.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(filename, line, "is not UTF-8, as TOML must be") from error
    except RecursionError:
        raise ConfigurationError(filename, None, "is nested too deeply") from None
    except ValueError as error:  # invalid TOML, or a number of thousands of digits
        text, _, place = str(error).partition(" (at line ")
        line_text = place.partition(",")[0]
        line = int(line_text) if line_text.isdigit() else max(len(source.splitlines()), 1)
        raise ConfigurationError(filename, line, f"is not valid TOML: {text}") from error


def _checked(option: Option, value: object) -> Any:
    """The value as Settings holds it. Raises ValueError with the rest of a sentence that begins with the key."""
    if option.kind == "flag":
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {_kind(value)}")
        return value
    if option.kind == "string":
        if not isinstance(value, str):
            raise ValueError(f"must be a string, not {_kind(value)}")
        if option.choices and value not in option.choices:
            raise ValueError(f"must be one of {', '.join(option.choices)}, not `{value}`")
        if "\0" in value:
            raise ValueError("must not hold a null character")
        if option.name == "target-torch":
            _check_version(value)
        return value
    if option.kind == "strings":
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            raise ValueError(f"must be a list of strings, not {_kind(value)}")
        if any("\0" in part for part in value):
            raise ValueError("must not hold a null character")
        return tuple(value)
    if option.kind == "sizes":
        return _sizes(option, value)
    if option.kind == "names":
        return _names(value)
    if not isinstance(value, dict):
        raise ValueError(f"must be a table of file patterns, not {_kind(value)}")
    for pattern, rules in value.items():
        if not isinstance(rules, list) or not all(isinstance(part, str) for part in rules):
            raise WrongEntry(pattern, f"must give a list of rules for the pattern `{pattern}`")
    return tuple((pattern, tuple(rules)) for pattern, rules in value.items())


def _names(value: object) -> tuple[tuple[str, str], ...]:
    wanted = 'must be a table of names such as "model:Net" = "tests.inputs:net"'
    if not isinstance(value, dict):
        raise ValueError(wanted)
    for entry, named in value.items():
        if not isinstance(named, str):
            raise WrongEntry(entry, wanted)
        for name in (entry, named):
            if ":" not in name:
                raise WrongEntry(entry, f"must name what it means as package.module:name, not `{name}`")
    return tuple(value.items())


def _sizes(option: Option, value: object) -> tuple[tuple[str, int], ...]:
    """The given sizes, and the defaults of the others."""
    sizes = dict(option.default)
    if not isinstance(value, dict):
        raise ValueError(f"must be a table of {', '.join(sizes)}, not {_kind(value)}")
    for name, size in value.items():
        if name not in sizes:
            raise WrongEntry(name, f"may hold {', '.join(sizes)}, not `{name}`")
        if type(size) is not int or not 0 < size <= LARGEST:
            raise WrongEntry(name, f"must give a whole number above 0, and at most {LARGEST:,}, for `{name}`")
        sizes[name] = size
    return tuple(sizes.items())


def _check_folders(paths: tuple[str, ...], root: str) -> None:
    for path in paths:
        if not os.path.isdir(os.path.join(root, path)):
            raise ValueError(f"names a directory that does not exist: {path}")


def _check_version(text: str) -> None:
    parts = text.split(".")
    if not all(part.isascii() and part.isdigit() and len(part) < 5 for part in parts):
        raise ValueError(f"must be a version such as 2.13, not `{text}`")
    if tuple(map(int, parts[:2])) > NEWEST_TORCH:
        newest = ".".join(map(str, NEWEST_TORCH))
        raise ValueError(f"is {text}, and the newest version that this inplace-lint knows is {newest}")


def _kind(value: object) -> str:
    if isinstance(value, list):
        odd = next((part for part in value if not isinstance(part, str)), None)
        return "a list" if odd is None else f"a list that holds {_kind(odd)}"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", dict: "a table"}
    return names.get(type(value), "a date or time")


def _unknown_key(key: str) -> str:
    import difflib

    near = difflib.get_close_matches(key, [*_BY_NAME, "extend"], n=1)
    advice = f"; did you mean `{near[0]}`?" if near else "; `inplace-lint config` lists the keys"
    return f"unknown key `{key}`{advice}"
