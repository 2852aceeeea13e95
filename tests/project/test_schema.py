"""The JSON schema of the configuration takes what the reader takes, and no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import inplace_lint
from inplace_lint.checks import registry
from inplace_lint.cli import main, schema
from inplace_lint.project.settings import OPTIONS

jsonschema = pytest.importorskip("jsonschema")

VALUES = [
    *(
        True,
        1,
        0,
        -1,
        1 << 41,
        2.5,
        "",
        "x",
        "full",
        "certain",
        "both",
        "cuda",
        "error",
        "2.13",
        "2.",
        "v2",
        "12345",
    ),
    *(
        "a:b",
        "IPL1",
        "base.toml",
        [],
        ["x"],
        ["IPL101"],
        ["ALL", "IPL1", "leaf-overwritten"],
        ["IPL999"],
        [1],
    ),
    *([["IPL101"]], "json-v2", "xml"),
    *({}, {"tests/*": ["IPL1"]}, {"tests/*": "IPL1"}, {"tests/*": ["IPL9"]}, {"tests/*": [True]}),
    *(
        {"batch": 1},
        {"batch": 0},
        {"batch": 1 << 40},
        {"batch": (1 << 40) + 1},
        {"batch": True},
        {"width": 1},
    ),
    *({"a:B": "c:d"}, {"a": "c:d"}, {"a:B": "c"}, {"a:B": 1}),
    *({"a.b:C": "returns(new)"}, {"a.b": "returns(new)"}, {"o:b": "saves()x"}, {"o:b": "no_grad, detaches"}),
    *({"o:b": {"returns": ["new", "new"]}}, {"o:b": {"wrties": "x"}}, {"o:b": {"no_grad": 1}}, {"o:b": {}}),
]


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


@pytest.mark.parametrize("key", [*(option.name for option in OPTIONS), "extend", "selct"])
def test_schema_and_reader_agree(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("")
    (tmp_path / "base.toml").write_text("")
    validator = jsonschema.Draft7Validator(json.loads(schema.document()))
    taken = []
    for value in VALUES:
        (tmp_path / "inplace-lint.toml").write_text(f"{key} = {toml(value)}\n")
        code = main(["check", "--show-settings", "a.py"])
        if key == "extend" and isinstance(value, str):
            code = 0  # which files there are is nothing that a schema knows
        if key in ("src", "rules") and isinstance(value, list) and all(isinstance(one, str) for one in value):
            code = 0  # nor which directories, nor what is installed
        if key == "select" and value == []:
            code = 0  # nor whether `extend-select` has some
        assert (code == 0) == validator.is_valid({key: value}), value
        taken += [value] if code == 0 else []
    assert bool(taken) == (key != "selct")


def test_the_schema_is_a_schema_that_holds_for_the_defaults() -> None:
    document = json.loads(schema.document())
    jsonschema.Draft7Validator.check_schema(document)
    defaults = {key: one["default"] for key, one in document["properties"].items() if "default" in one}
    jsonschema.validate(defaults, document)
    assert all(one["description"] for one in document["properties"].values())
    assert {rule.code for rule in registry.RULES} <= set(document["definitions"]["rule"]["anyOf"][0]["enum"])


def test_the_file_in_the_package_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--schema"]) == 0
    file = Path(inplace_lint.__file__).with_name("project") / "schema.json"
    assert capsys.readouterr().out == file.read_text(encoding="utf-8"), (
        "inplace-lint config --schema > inplace_lint/project/schema.json"
    )
