"""Loads third-party rules from the installed entry points that a configuration names, once per process.

Only named entry points are loaded, and only installed packages offer them: no checked file is ever imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..plugin import Rule

GROUP = "inplace_lint.rules"
SEVERITIES = ("error", "note", "warning")
#: Codes and names of our own rules, which others cannot take; filled by `checks.registry`.
OWN: frozenset[str] = frozenset()
#: The loaded rules, by entry point.
_loaded: dict[str, tuple[Rule, ...]] = {}
#: The loaded rules by code and by name, each with its entry point.
RULES: dict[str, tuple[Rule, str]] = {}


def load(names: Iterable[str]) -> None:
    """Loads the rules of these entry points. Raises ValueError with the rest of a sentence."""
    for name in names:
        if name not in _loaded:
            rules = _checked(name, _found(name))
            _loaded[name] = rules
            RULES.update({text: (rule, name) for rule in rules for text in (rule.code, rule.name)})


def of(name: str) -> tuple[Rule, ...]:
    """The rules of one loaded entry point."""
    return _loaded[name]


def forget() -> None:
    """Forgets all loaded rules."""
    _loaded.clear()
    RULES.clear()


def _found(name: str) -> object:
    """Loads the object behind the entry point. Raises ValueError."""
    from importlib.metadata import entry_points

    offered = entry_points(group=GROUP)
    found = {point.value: point for point in offered if point.name == name}
    if not found:
        known = ", ".join(sorted({f"`{point.name}`" for point in offered})) or "none"
        raise ValueError(
            f"names `{name}`, which nothing that is installed offers (of {GROUP} there are: {known})"
        )
    if len(found) > 1:
        raise ValueError(f"names `{name}`, which several packages offer: {', '.join(sorted(found))}")
    (point,) = found.values()
    try:
        return point.load()
    except Exception as error:
        raise ValueError(
            f"names `{name}`, which cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def _checked(name: str, found: object) -> tuple[Rule, ...]:
    """The rules that an entry point offers, each validated. Raises ValueError."""
    import re

    from ..plugin import Rule

    if isinstance(found, Rule):
        found = (found,)
    if not isinstance(found, (list, tuple)) or not all(isinstance(rule, Rule) for rule in found) or not found:
        raise ValueError(f"names `{name}`, which is no inplace_lint.plugin.Rule, nor a list of them")
    rules: tuple[Rule, ...] = tuple(found)
    taken = dict.fromkeys(OWN, "inplace-lint") | {text: f"`{who}`" for text, (_, who) in RULES.items()}
    for rule in rules:
        begin = f"names `{name}`, whose rule `{rule.code}`"
        if not re.fullmatch(r"[A-Z]{2,6}[0-9]{3,4}", str(rule.code)) or rule.code.startswith("IPL"):
            raise ValueError(
                f"{begin} needs a code of two to six capitals, not IPL, and three or four digits"
            )
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", str(rule.name)):
            raise ValueError(f"{begin} needs a name in small letters and hyphens, not `{rule.name}`")
        if rule.severity not in SEVERITIES or not callable(rule.check):
            raise ValueError(f"{begin} needs a severity (error, warning or note) and a function `check`")
        for text in (rule.code, rule.name):
            if text in taken:
                raise ValueError(f"{begin} takes `{text}`, which is a rule of {taken[text]}")
            taken[text] = f"`{name}` itself"
    return rules
