"""What becomes of a notebook: one program, the places in it, and what cannot be read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inplace_lint.model import Location
from inplace_lint.syntax.notebook import Notebook
from inplace_lint.syntax.unreadable import UnreadableFile

from .books import book, code, lines, prose, raw


def read(*cells: dict[str, Any] | str, **more: Any) -> Notebook:
    return Notebook(raw(*cells, **more))


def program(notebook: Notebook) -> list[str]:
    """The lines of the program, without those between the cells."""
    return [line for line in notebook.source.decode().split("\n") if line and not line.startswith("# _ipl")]


def test_cells_are_one_program_in_their_order() -> None:
    notebook = read(prose("# Title"), "import torch\nx = 1", prose("text"), "y = x\n", code(""), code([]))
    assert program(notebook) == ["import torch", "x = 1", "y = x"]
    assert notebook.faults == []
    assert list(notebook.texts()) == [2, 4, 5, 6]


def test_places_are_those_of_the_cell_and_of_the_json_text() -> None:
    notebook = read(prose("# Title"), "a = 1\nb = 2", 'c = "\t\\\\ü"; d\ne = 5\n')
    rows = notebook.source.decode().split("\n")
    for number, row, word in ((2, 1, "a"), (2, 2, "b"), (3, 1, "c"), (3, 1, "d"), (3, 2, "e")):
        at = next(i for i, line in enumerate(rows, 1) if word in line and not line.startswith("#"))
        column = rows[at - 1].index(word) + 1
        place = notebook.in_cell(Location("n.ipynb", at, column, at, column + 1))
        assert (place.cell, place.row, place.column, place.end_column) == (number, row, column, column + 1)
        there = notebook.in_file(place)
        assert there.within == place
        assert there.cell is None
        line = notebook.json.split("\n")[there.row - 1]
        assert line[there.column - 1 : there.end_column - 1] == word


def test_a_place_in_one_long_string_is_found_in_the_json_text() -> None:
    data = json.dumps(book(code('x = "é\U0001f600"\ny = 1'))).encode()
    notebook = Notebook(data)
    there = notebook.in_file(notebook.in_cell(Location("n.ipynb", 4, 1, 4, 6)))
    assert there.row == there.end_row == 1
    assert notebook.json[there.column - 1 : there.end_column - 1] == "y = 1"


def test_what_speaks_of_the_whole_program_stands_at_the_first_cell() -> None:
    notebook = read(prose("# Title"), "a = 1")
    place = notebook.in_cell(Location("n.ipynb", 1, 1, 1, 1))
    assert (place.cell, place.row, place.column) == (2, 1, 1)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_every_line_end_is_one(ends: str) -> None:
    notebook = read(code(f"a = 1{ends}b = 2{ends}"), "c = 3")
    from inplace_lint.syntax.module import Module

    row = Module("n.ipynb", notebook.source).tree.body[2].lineno
    place = notebook.in_cell(Location("n.ipynb", row, 1, row, 2))
    assert (place.cell, place.row) == (2, 1)


def test_a_cell_that_is_no_python_is_told_and_the_others_stand() -> None:
    notebook = read("a = 1", "x = (\n", "if a:", "  b = 2\n    c = 3", "d = 4")
    assert program(notebook) == ["a = 1", "d = 4"]
    places = [
        notebook.in_cell(Location("n", one.row, one.column, one.row, one.column)) for one in notebook.faults
    ]
    assert [place.cell for place in places] == [2, 3, 4]
    assert "was never closed" in notebook.faults[0].message


def test_strings_do_not_reach_from_one_cell_to_the_next() -> None:
    assert len(read('"""', '"""', "x = 1 \\", "'''").faults) == 4


def test_a_cell_that_is_indented_as_a_whole_is_read_as_ipython_does() -> None:
    notebook = read("    a = 1\n    b = 2", "c = 3")
    assert notebook.faults == []
    assert program(notebook) == ["if 1:# _ipl cell 1", "    a = 1", "    b = 2", "c = 3"]


def test_what_a_cell_says_of_its_encoding_counts_for_nothing() -> None:
    notebook = read("# -*- coding: latin-1 -*-\nx = 'é'")
    from inplace_lint.syntax.module import Module

    assert "'é'".encode() in Module("n.ipynb", notebook.source).source


def test_names_that_are_taken_are_not_used() -> None:
    notebook = read("_ipl = 1\n!ls", "_ipl_ = 2")
    assert notebook.masks.word == "_ipl__"
    assert notebook.changed(notebook.source) == {}


@pytest.mark.parametrize("language", ["R", "julia", "scala", "bash", "sql"])
def test_other_languages_are_passed_over(language: str) -> None:
    for metadata in ({"language_info": {"name": language}}, {"kernelspec": {"language": language}}):
        notebook = read("x <- 1", metadata=metadata)
        assert (program(notebook), notebook.faults) == ([], [])
    cell = code("x <- 1", metadata={"vscode": {"languageId": language}})
    notebook = read(cell, "x = 1")
    assert (program(notebook), notebook.faults) == (["x = 1"], [])


def test_a_notebook_of_format_3_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": ["Title"]},
        {"cell_type": "code", "language": "python", "input": ["a = 1\n", "b = 2"], "outputs": []},
    ]
    data = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}
    notebook = Notebook(json.dumps(data).encode())
    assert program(notebook) == ["a = 1", "b = 2"]
    assert list(notebook.texts()) == [2]


def test_no_language_is_python() -> None:
    assert program(read("x = 1", metadata={})) == ["x = 1"]


def test_a_byte_order_mark_and_windows_lines_in_the_json_are_read() -> None:
    data = b"\xef\xbb\xbf" + raw("x = 1").replace(b"\n", b"\r\n")
    assert program(Notebook(data)) == ["x = 1"]


def test_the_last_of_equal_keys_counts() -> None:
    data = b'{"nbformat": 4, "cells": [], "cells": [{"cell_type": "code", "source": "x", "source": "y = 1"}]}'
    assert program(Notebook(data)) == ["y = 1"]


MINIMAL = '{"nbformat": 4, "cells": [%s]}'


@pytest.mark.parametrize(
    ("data", "message", "row", "column"),
    [
        ("", "a notebook is JSON, and this is not: Expecting value", 1, 1),
        ("import torch\n", "a notebook is JSON, and this is not: Expecting value", 1, 1),
        ('{"cells": [],\n', "a notebook is JSON, and this is not", 2, 1),
        ('{"cells": [],\n "a": }', "a notebook is JSON, and this is not: Expecting value", 2, 7),
        ('{"nbformat": 4, "cells": []} x', "JSON ends before the file does", 1, 30),
        ("[]", "this is JSON, but no Jupyter notebook", 1, 1),
        ('"text"', "this is JSON, but no Jupyter notebook", 1, 1),
        ("{}", "it says no `nbformat`", 1, 1),
        ('{"nbformat": 4}', "this notebook has no list of cells", 1, 1),
        ('{"nbformat": 4, "cells": 1}', "the cells of this notebook are no list", 1, 26),
        ('{"nbformat": 4, "cells": {}}', "the cells of this notebook are no list", 1, 26),
        ('{"nbformat": 3, "worksheets": {}}', "worksheets of this notebook are no list", 1, 31),
        ('{"nbformat": 5, "cells": []}', "a notebook of a format 5; those of 3 and 4 can be read", 1, 1),
        ('{"nbformat": "4", "cells": []}', "a notebook of a format that is no number", 1, 1),
        (MINIMAL % "7", "cell 1 of this notebook is no object", 1, 27),
        (MINIMAL % "{}", "cell 1 of this notebook does not say of which kind it is", 1, 27),
        (MINIMAL % '{"cell_type": "code"}', "cell 1 of this notebook has no source", 1, 27),
        (MINIMAL % '{"cell_type": "code", "source": 1}', "cell 1 of this notebook has no source", 1, 59),
        (MINIMAL % '{"cell_type": "code", "source": [1]}', "cell 1 of this notebook has no source", 1, 59),
        (MINIMAL % '{"cell_type": "code", "source": null}', "cell 1 of this notebook has no source", 1, 59),
        (MINIMAL % '{"cell_type": "code", "source": "\n"}', "a notebook is JSON, and this is not", 1, 60),
        (MINIMAL % ('{"a": ' + "[" * 100_000), "nested too deeply", 1, 33),
    ],
)
def test_what_is_no_notebook_is_told_with_its_place(data: str, message: str, row: int, column: int) -> None:
    with pytest.raises(UnreadableFile) as caught:
        Notebook(data.encode())
    assert message in caught.value.message
    assert (caught.value.row, caught.value.column) == (row, column)


@pytest.mark.parametrize(
    "data", [b'{"cells": "\xff"}', b"\xff\xfe{\0}\0", raw("x = 1").replace(b"x", b"\xe9")]
)
def test_bytes_that_are_no_utf8_are_told(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"decoded|not UTF-8"):
        Notebook(data)


def test_odd_values_outside_of_code_are_none_of_our_business() -> None:
    odd = MINIMAL % '{"cell_type": "code", "source": "x = 1", "outputs": [NaN, -Infinity, %s, "\\ud800"]}'
    notebook = Notebook((odd % ("9" * 100_000)).encode())
    assert program(notebook) == ["x = 1"]


def test_a_half_of_a_character_is_a_fault_of_its_cell() -> None:
    notebook = Notebook((MINIMAL % '{"cell_type": "code", "source": "x = \\"\\ud800\\""}').encode())
    assert [one.message for one in notebook.faults] == ["the cell holds a half of a character"]
    assert Notebook(raw("x = 1\0", "y = 2")).faults[0].message


def test_cost_grows_no_faster_than_the_notebook() -> None:
    steps = []
    for size in (200, 400):
        cells = [
            "x = !ls\n%time y = f(x)\nz?\n'''\n%no\n'''\n" * 10,
            code(lines("a = 'b'\n" * 10)),
            "x = (",
        ] * size
        import sys

        count = 0

        def counted(*_: object) -> None:
            nonlocal count
            count += 1

        data = raw(*cells)
        sys.setprofile(counted)
        try:
            Notebook(data)
        finally:
            sys.setprofile(None)
        steps.append(count)
    assert steps[1] < 2.2 * steps[0]
