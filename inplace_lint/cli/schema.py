"""The configuration as a JSON schema, for editors and SchemaStore: made from the options that are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..checks import registry
from ..project.declarations import ALONE, NAMING
from ..project.settings import LARGEST, OPTIONS
from ..report import FORMATS

if TYPE_CHECKING:
    from ..project.settings import Option

_RULES = {"type": "array", "items": {"$ref": "#/definitions/rule"}}
_TEXT = {"type": "string", "pattern": "^[^\\u0000]*$"}
_VERSION = {"type": "string", "pattern": r"^[0-9]{1,4}(\.[0-9]{1,4})*$"}
_NAME = {"type": "string", "pattern": ":"}


def document() -> str:
    """The schema, as SchemaStore takes it."""
    codes = [rule.code for rule in registry.RULES]
    prefixes = {code[:length] for code in codes for length in range(3, len(code))}
    names = ["ALL", *sorted(prefixes), *codes, *(rule.name for rule in registry.RULES)]
    extend = {
        "type": "string",
        "description": "another configuration file: what is not said here is taken from it",
    }
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://json.schemastore.org/inplace-lint.json",
        "title": "Configuration of inplace-lint",
        "description": "inplace-lint.toml, or the table [tool.inplace-lint] of pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "definitions": {
            "rule": {
                "description": "a rule's code or name, the beginning of codes, or ALL; a code of rules of others",
                "anyOf": [{"enum": names}, {"type": "string", "pattern": "^(?!IPL)[A-Z]{2,6}[0-9]{3,4}$"}],
            }
        },
        "properties": {
            **{option.name: {**_form(option), **_told(option)} for option in OPTIONS},
            "extend": extend,
        },
    }
    return json.dumps(schema, indent=2) + "\n"


def _form(option: Option) -> dict[str, Any]:
    """Which values an option takes."""
    if option.kind == "flag":
        return {"type": "boolean"}
    if option.kind == "strings":
        return _RULES if option.rules else {"type": "array", "items": _TEXT}
    if option.kind == "table":
        return {"type": "object", "additionalProperties": _RULES}
    if option.kind == "names":
        return {"type": "object", "propertyNames": {"pattern": ":"}, "additionalProperties": _NAME}
    if option.kind == "models":
        return _models()
    if option.kind == "sizes":
        size = {"type": "integer", "minimum": 1, "maximum": LARGEST}
        sizes = {name: {**size, "default": default} for name, default in option.default}
        return {"type": "object", "properties": sizes, "additionalProperties": False}
    if option.name == "target-torch":
        return _VERSION
    choices = tuple(FORMATS) if option.name == "output-format" else option.choices
    return {"type": "string", "enum": list(choices)} if choices else _TEXT


def _models() -> dict[str, Any]:
    """What functions are declared to do: words, or a table of them."""
    word = rf"(({'|'.join((*NAMING, 'returns'))})\s*\(.*\)|{'|'.join(ALONE)})"
    words = {"type": "string", "pattern": rf"^\s*{word}(\s*,\s*{word})*\s*$"}
    names = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    said: dict[str, Any] = dict.fromkeys((*NAMING, "returns"), names)
    said |= {word: {"type": "boolean"} for word in ALONE}
    table = {"type": "object", "properties": said, "additionalProperties": False, "minProperties": 1}
    dotted = r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*"
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^{dotted}:{dotted}$"},
        "additionalProperties": {"anyOf": [words, table]},
    }


def _told(option: Option) -> dict[str, Any]:
    told: dict[str, Any] = {"description": option.meaning}
    if option.default is not None:
        is_table = option.kind in ("table", "names", "sizes", "models")
        told["default"] = dict(option.default) if is_table else option.default
    return told
