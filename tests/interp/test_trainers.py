"""Training of two networks: torch says which programs raise, and the tool names the same, with and without the caller.

As a library, a file has a function or a class that gets networks, optimizers and data; what these are stands elsewhere.
"""

from __future__ import annotations

import ast
import re
import textwrap

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

from .trainers import HEAD, MADE, PROGRAMS

torch = pytest.importorskip("torch")

#: Programs whose networks are made within, whose objects are of a class that a library does not know, or of which a
#: library cannot tell whether the step changes the network that the later backward goes through.
WHOLE_ONLY = frozenset(
    {"a class that trains", "a list of critics", "a class around an optimizer", "a state that goes on"}
)
#: ... and of which a class would keep a loop variable or a number as an attribute.
FUNCTION_ONLY = frozenset({"a sum of losses", "a closure", "two critics", "a class around optimizers"})
FORM = pytest.mark.parametrize("form", ["bad", "good"])


def _form(name: str, form: str) -> str:
    """The program in one of its forms."""
    other = "good" if form == "bad" else "bad"
    lines = [line for line in PROGRAMS[name].splitlines() if not line.endswith(f"  # {other}")]
    return "\n".join(line.removesuffix(f"  # {form}") for line in lines).strip("\n") + "\n"


def _raises(text: str) -> bool:
    """Whether torch refuses a backward of this program because of what a step has changed."""
    try:
        exec(compile(text, "train.py", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "inplace" in str(error), error
        return True
    return False


def _found(text: str) -> bool:
    found = check_source("train.py", text.encode(), Settings(), Project())
    return any(one.severity == "error" and one.code[:4] in ("IPL1", "IPL2") for one in found)


def _as_a_library(text: str, in_class: bool) -> tuple[str, str]:
    """The program as a function, or a class, that is given what it made before its loop; and the rest, with a call."""
    classes: list[str] = []
    made: list[str] = []
    loop: list[str] = []
    names: list[str] = []
    for node in ast.parse(text).body:
        part = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.ClassDef):
            classes.append(part)
        elif loop or isinstance(node, ast.For):
            loop.append(part.replace("loader()", "loader"))
        else:
            made.append(part)
            targets = node.targets[0] if isinstance(node, ast.Assign) else ast.Pass()
            names += [one.id for one in ast.walk(targets) if isinstance(one, ast.Name)]
    names = [*dict.fromkeys(names), "loader"]
    body = "\n".join(loop) + "\n"
    given = ", ".join(names).replace("loader", "loader()")
    if not in_class:
        library = f"def train({', '.join(names)}):\n{textwrap.indent(body, '    ')}"
        return "\n\n\n".join([*classes, library]), "\n".join([*made, f"train({given})"])
    for name in names:
        body = re.sub(rf"(?<![\w.'\"]){name}(?![\w'\"=])", f"self.{name}", body)
    kept = "".join(f"        self.{name} = {name}\n" for name in names)
    library = f"class Trainer:\n    def __init__(self, {', '.join(names)}):\n{kept}"
    library += f"\n    def train(self):\n{textwrap.indent(body, '        ')}"
    return "\n\n\n".join([*classes, library]), "\n".join([*made, f"Trainer({given}).train()"])


@FORM
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("within", ["the top level", "a function"])
def test_a_program(name: str, form: str, within: str) -> None:
    body = _form(name, form)
    if within == "a function":
        body = f'def main():\n{textwrap.indent(body, "    ")}\n\nif __name__ == "__main__":\n    main()\n'
    text = HEAD + MADE + body
    assert _raises(text) is (form == "bad")
    assert _found(text) is (form == "bad")


@FORM
@pytest.mark.parametrize("kind", ["a function", "a class"])
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in WHOLE_ONLY])
def test_a_library(name: str, kind: str, form: str) -> None:
    if kind == "a class" and name in FUNCTION_ONLY:
        pytest.skip("a loop variable or a number would be an attribute")
    library, rest = _as_a_library(_form(name, form), kind == "a class")
    assert _raises(HEAD + MADE + library + "\n\n\n" + rest) is (form == "bad")
    assert _found(HEAD + library) is (form == "bad")
