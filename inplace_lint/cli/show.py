"""Prints what a run would do: which files it would check, with which settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..project.settings import OPTIONS
from ..report.style import safe

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..project import Settings
    from ..project.discovery import Target


def files(targets: Sequence[Target]) -> None:
    """The files, one a line."""
    for target in targets:
        print(safe(target.filename))


def settings(settings: Settings, filename: str = "", keys: Collection[str] = ()) -> None:
    """The settings as TOML that can be read again, with what each means; with `keys` these alone."""
    for_file = f" for {safe(filename)}" if filename else ""
    if settings.config_file:
        print(f"# from {safe(settings.config_file)}{for_file}")
    else:
        print(f"# no configuration file{for_file}: the defaults")
    for option in OPTIONS:
        if not keys or option.name in keys:
            choices = f" ({', '.join(option.choices)})" if option.choices else ""
            print(f"\n# {option.meaning}{choices}")
            print(_toml(option.name, getattr(settings, option.name.replace("-", "_"))))


def _toml(key: str, value: object) -> str:
    if value is None:
        return f"# {key} is not set"
    if isinstance(value, bool):
        return f"{key} = {str(value).lower()}"
    if isinstance(value, tuple):
        if key == "per-file-ignores":
            inside = ", ".join(f"{_string(pattern)} = [{_quoted(rules)}]" for pattern, rules in value)
            return f"{key} = {{{inside}}}"
        if key == "inputs":
            inside = ", ".join(f"{_string(target)} = {_string(factory)}" for target, factory in value)
            return f"{key} = {{{inside}}}"
        if key == "models":
            inside = ", ".join(f"{_string(name)} = {_string(said.text)}" for name, said in value)
            return f"{key} = {{{inside}}}"
        if key == "attention-sizes":
            return f"{key} = {{{', '.join(f'{name} = {size}' for name, size in value)}}}"
        return f"{key} = [{_quoted(value)}]"
    return f"{key} = {_string(str(value))}"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(map(_string, texts))


def _string(text: str) -> str:
    """A string of TOML, without anything that a terminal would obey."""
    shown = "".join(
        letter if letter not in '"\\' and safe(letter) == letter else f"\\u{ord(letter):04x}"
        for letter in text
    )
    return f'"{shown}"'
