"""A fix changes the code of cells, and no other byte of the file."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from inplace_lint.fixes.cells import shown, written
from inplace_lint.model import Refused
from inplace_lint.syntax.notebook import Notebook

from .books import book, code, lines, prose, raw, sources

#: Code with what is written in several ways in JSON: quotes, tabs, letters outside of ASCII, line separators.
LINES = [
    "x = 1\n",
    'y = "tab\\t and \\"quotes\\""\n',
    "z = 'ü \U0001f600 \u2028 \x7f'\n",
    "!ls *.py\n",
    "%time w = x\n",
    "w = %pwd\n",
    "\n",
    "# a comment\t\n",
    "def f(x):\n",
    "    return x\n",
]


def changed(notebook: Notebook, *pairs: tuple[str, str]) -> bytes:
    program = notebook.source.decode()
    for old, new in pairs:
        assert old in program
        program = program.replace(old, new)
    return program.encode()


@pytest.mark.parametrize("indent", [None, 0, 1, 4, "\t"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_only_the_line_that_changes_is_written(indent: Any, whole: bool, ascii_only: bool) -> None:
    text = "a = 'é\t'\nb += 1\nc = '\\\\'"
    cell = code(text if whole else lines(text))
    data = json.dumps(book(prose("# é"), cell, "d = 1"), indent=indent, ensure_ascii=ascii_only).encode()
    fixed = written(notebook := Notebook(data), changed(notebook, ("b += 1", "b = b + 1")))
    assert fixed == data.replace(b"b += 1", b"b = b + 1")


def test_lines_come_and_go() -> None:
    data = raw("import torch\nx += 1", "y = 1")
    notebook = Notebook(data)
    more = changed(notebook, ("import torch\n", "import torch\nimport math\n"))
    assert written(notebook, more) == data.replace(
        b'"import torch\\n",', b'"import torch\\n",\n    "import math\\n",'
    )
    less = changed(notebook, ("import torch\n", ""))
    assert written(notebook, less) == data.replace(b'"import torch\\n",\n    ', b"")
    assert sources(written(notebook, changed(notebook, ("y = 1\n", "y = 1\nz = 2\n")))) == [
        "import torch\nx += 1",
        "y = 1\nz = 2",
    ]


def test_a_cell_of_one_line_gets_a_second_on_a_row_of_its_own() -> None:
    data = raw("x = 1")
    notebook = Notebook(data)
    fixed = written(notebook, changed(notebook, ("x = 1", "y = 2\nx = 1")))
    assert fixed == data.replace(b'"x = 1"', b'"y = 2\\n",\n    "x = 1"')


@pytest.mark.parametrize("source", [[], [""], ""])
def test_an_empty_cell_takes_code(source: Any) -> None:
    data = raw(code(source), "x = 1")
    notebook = Notebook(data)
    program = notebook.source.decode().replace("cell 1\n", "cell 1\nimport torch\n")
    assert sources(written(notebook, program.encode()))[0] == "import torch\n"


def test_a_cell_that_loses_all_its_code_stays() -> None:
    notebook = Notebook(raw("import os", "x = 1"))
    assert sources(written(notebook, changed(notebook, ("import os\n", "")))) == ["", "x = 1"]


def test_strings_that_are_no_lines_are_read_as_one_text() -> None:
    data = raw(code(["x = ", "1\ny ", "+= 1\n", "z = 3"]))
    notebook = Notebook(data)
    fixed = written(notebook, changed(notebook, ("y += 1", "y = y + 1")))
    assert sources(fixed) == ["x = 1\ny = y + 1\nz = 3"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# _ipl\n", ""),
        ("# _ipl cell 2\n", ""),
        ("# _ipl cell 2\n", "x = 1  # _ipl cell 2\n"),
        ('("_ipl 0")\n', ""),
        ('("_ipl 0")', '("_ipl 0"); ("_ipl 0")'),
        ('("_ipl 0")', '("_ipl 1")'),
        ('"_ipl 0"', "'_ipl 0'"),
        ('z = get_ipython("_ipl 1")', 'z  = get_ipython("_ipl 1")'),
    ],
)
def test_what_would_touch_more_than_code_is_refused(old: str, new: str) -> None:
    notebook = Notebook(raw("!ls\n%time z = f()\ny = 1", "x = 1"))
    with pytest.raises(Refused):
        written(notebook, changed(notebook, (old, new)))


def test_the_difference_is_shown_by_cell() -> None:
    notebook = Notebook(raw(prose("text"), "!ls\nx += 1", "y += 1\nz = 1\n", "w = 1"))
    text = shown("n.ipynb", notebook, changed(notebook, ("x += 1", "x = x + 1"), ("y += 1", "y = y + 1")))
    assert text == (
        "--- n.ipynb:cell 2\n+++ n.ipynb:cell 2\n@@ -1,2 +1,2 @@\n !ls\n-x += 1\n+x = x + 1\n"
        "--- n.ipynb:cell 3\n+++ n.ipynb:cell 3\n@@ -1,3 +1,3 @@\n-y += 1\n+y = y + 1\n z = 1\n \n"
    )


def _random_notebook(chance: random.Random) -> bytes:
    cells: list[Any] = []
    for _ in range(chance.randrange(1, 8)):
        text = "".join(chance.choice(LINES) for _ in range(chance.randrange(6))).replace(
            "def f(x):\n", "def f(x):\n    return x\n"
        )
        text = text.replace("    return x\n    return x\n", "    return x\n").removesuffix(
            chance.choice(["\n", ""])
        )
        pieces: Any = chance.choice([text, lines(text), [text[i : i + 3] for i in range(0, len(text), 3)]])
        outputs = [{"output_type": "stream", "text": ["x = 1\n", "\x1b[0mé", "\u2028"], "n": float("nan")}]
        cells.append(chance.choice([code(pieces, outputs=outputs), prose(text)]))
    data = book(*cells, metadata={"z": 1e400, "a": 12345678901234567890, "language_info": {"name": "python"}})
    text = json.dumps(
        data,
        indent=chance.choice([None, 0, 1, 2, "\t"]),
        ensure_ascii=chance.random() < 0.5,
        sort_keys=chance.random() < 0.5,
        separators=chance.choice([(",", ":"), (", ", ": ")]),
    )
    text += chance.choice(["", "\n", "\r\n\r\n"])
    if chance.random() < 0.3:
        text = text.replace("\n", "\r\n")
    return chance.choice([b"", b"\xef\xbb\xbf"]) + text.encode()


def _random_change(notebook: Notebook, chance: random.Random) -> dict[int, str]:
    """New code for some cells: lines come, go, and are others."""
    new: dict[int, str] = {}
    for number, text in notebook.texts().items():
        rows = text.splitlines(keepends=True)
        plain = [i for i, row in enumerate(rows) if row == "x = 1\n"]
        if not notebook.cells[list(notebook.texts()).index(number)].program.strip():
            continue  # it is no Python
        for at in reversed(plain):
            made = chance.choice([["x = 1\n"], ["x = 2\n"], [], ["x = 1\n", "é = '\"\\\\'\n"]])
            rows[at : at + 1] = made
        if "".join(rows) != text:
            new[number] = "".join(rows)
    return new


@pytest.mark.parametrize("seed", range(60))
def test_every_byte_outside_of_changed_code_stays(seed: int) -> None:
    chance = random.Random(seed)
    data = _random_notebook(chance)
    notebook = Notebook(data)
    assert written(notebook, notebook.source) == data
    new = _random_change(notebook, chance)
    program = [notebook.head]
    for cell in notebook.cells:
        text = cell.program
        if cell.number in new:
            masked = iter(line for line in new[cell.number].splitlines(keepends=True) if line[0] not in "!%w")
            del masked
            text = _as_program(cell.text, cell.program, new[cell.number])
        program += (cell.head, text, "\n")
    fixed = written(notebook, "".join(program).encode())
    # What a reader of JSON sees: other code in these cells, and nothing else.
    before, after = (json.loads(one.removeprefix(b"\xef\xbb\xbf")) for one in (data, fixed))
    for number, text in new.items():
        held = after["cells"][number - 1]["source"]
        assert (held if isinstance(held, str) else "".join(held)) == text
        after["cells"][number - 1]["source"] = before["cells"][number - 1]["source"]
    assert json.dumps(after) == json.dumps(before)
    # And the bytes: cut out the changed strings, and the two are one.
    assert _without(data, new) == _without(fixed, new)


def _as_program(text: str, program: str, new: str) -> str:
    """The new code with the masks that the program has."""
    masks = dict(zip(text.split("\n"), program.split("\n")))
    taken = iter(mask for line, mask in zip(text.split("\n"), program.split("\n")) if line != mask)
    return "\n".join(next(taken) if masks.get(line, line) != line else line for line in new.split("\n"))


def _without(data: bytes, numbers: dict[int, str]) -> str:
    notebook = Notebook(data)
    parts, done = [], 0
    for cell in notebook.cells:
        if cell.number in numbers:
            parts.append(notebook.json[done : cell.raw.start])
            done = cell.raw.end
    return "".join([notebook.bom.decode(), *parts, notebook.json[done:]])


def test_it_stays_what_nbformat_takes_for_a_notebook() -> None:
    nbformat = pytest.importorskip("nbformat")
    data = raw(prose("# Title"), "import torch\n!ls\nx += 1", "y = 1")
    notebook = Notebook(data)
    fixed = written(notebook, changed(notebook, ("x += 1", "x = x + 1\nz = 'é'")))
    held = nbformat.reads(fixed.decode(), as_version=4)
    nbformat.validate(held)
    assert held.cells[1].source == "import torch\n!ls\nx = x + 1\nz = 'é'"
    # To save it in Jupyter changes nothing but the order of keys.
    assert json.loads(nbformat.writes(held)) == json.loads(fixed)
