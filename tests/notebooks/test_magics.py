"""Lines that are IPython's own: what stands in for them, and that they come back as they were."""

from __future__ import annotations

import pytest

from inplace_lint.syntax.magics import Masks, cell_as_python
from inplace_lint.syntax.unreadable import UnreadableFile

#: Lines that IPython takes, each a statement of its own.
STATEMENTS = [
    "%matplotlib inline",
    "%%time",
    "%%capture out --no-stderr",
    "%config InlineBackend.figure_format = 'retina'",
    "%%timeit -n 10",
    "!pip install -q torch>=2.4 'numpy<3'",
    "!pip install \\\n    torch \\\n    numpy",
    "!!ls",
    '!echo "unbalanced ( \' "',
    "%time loss = f(x)[",
    "?torch.relu",
    "??torch.relu",
    "torch.relu?",
    "torch.nn.functional.relu??",
    "x[0]?",
    "np.*load*?",
    ", f a b",
    ";f a b",
    "/f a b",
]


def python(text: str) -> tuple[str, Masks]:
    masks = Masks("_ipl")
    found = cell_as_python(text, masks)
    assert found is not None
    assert found[1] == ""
    return found[0], masks


@pytest.mark.parametrize("line", STATEMENTS)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_line_becomes_a_statement_and_comes_back(line: str, ends: str) -> None:
    cell = f"import torch\n{line}\ny = torch.exp(x)\nif y:\n    {line}\nz = 1\n".replace("\n", ends)
    if line.startswith("%%"):
        cell = f"{line}{ends}import torch{ends}"
    program, masks = python(cell)
    compile(program, "cell", "exec")
    assert line.split()[0] not in program
    assert program.replace("\r\n", "\n").count("\n") == cell.replace("\r\n", "\n").count("\n")
    assert masks.restored(program) == cell


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("files = !ls *.py", 'files = get_ipython("_ipl 0")'),
        ("a.b = x[0] = %pwd", 'a.b = x[0] = get_ipython("_ipl 0")'),
        ("t = %timeit -o f(x == 1)", 't = get_ipython("_ipl 0")'),
        ("%time y = f(x)", 'y = get_ipython("_ipl 0")'),
        ("%time y, (z, w[0]) = f(x)", 'y = z = get_ipython("_ipl 0")'),
        ("%time f(x)", '("_ipl 0")'),
    ],
)
def test_what_it_gives_a_name_is_unknown(line: str, program: str) -> None:
    found, masks = python(f"x = 1\n{line}\n")
    assert found == f"x = 1\n{program}\n"
    assert masks.restored(found) == f"x = 1\n{line}\n"


@pytest.mark.parametrize(
    "text",
    [
        "x = a % b",
        "x = a \\\n% b",
        "x = (a\n% b)",
        "x %= 2",
        "x = '''\n%matplotlib inline\n!ls\nwhat?\n'''",
        'x = "a" \\\n"?"',
        "x = f'{y!r} {z=!s}?'",
        "# what?\nx = 1  # %time\n",
        "if a != b: pass",
        "await f(x)",
        "x;",
        "",
        "   \n\n",
    ],
)
def test_python_stays_as_it_is(text: str) -> None:
    assert python(text)[0] == text


def test_lines_inside_of_strings_and_brackets_are_no_magics() -> None:
    cell = 'x = """\n!ls\n%pwd\n"""\ny = f(\n    "a" % (\n        b\n    )\n)\n!ls\nz = \'\'\'what?\'\'\'\n'
    program, masks = python(cell)
    assert program == cell.replace('"""\ny', '"""\ny').replace(")\n!ls\n", ')\n("_ipl 0")\n')
    assert masks.restored(program) == cell


@pytest.mark.parametrize(
    "cell",
    [
        "%%bash\nls -l\n",
        "%%writefile model.py\nimport torch\n\n!\n",
        "\n  \n%%html\n<p>",
        "%%javascript\nvar x = 1;",
        "%%sql result <<\nSELECT * FROM x",
        "%%cython\ncdef int x",
        "%%python2\nprint 'x'",
        "# a comment\n%%latex\n\\frac",
        "%sql\nSELECT * FROM x\n",
        "%md\n# Title\n\nand text",
        "%sh ls\ncd x",
    ],
)
def test_a_cell_that_holds_no_python_is_passed_over(cell: str) -> None:
    assert cell_as_python(cell, Masks("_ipl")) is None


@pytest.mark.parametrize(
    "cell",
    ["pip install torch", "cd ..", "ls data", "# first\nmatplotlib inline\nx = 1", "load_ext autoreload"],
)
def test_a_first_line_that_is_a_magic_by_its_word_alone_is_one(cell: str) -> None:
    program, masks = python(cell)
    assert "_ipl" in program
    assert masks.restored(program) == cell


@pytest.mark.parametrize("cell", ["run = 1", "time.sleep(1)", "more: int = 1", "cat(1)", "env += [1]", "ls"])
def test_a_name_that_is_a_magic_too_is_a_name(cell: str) -> None:
    assert python(cell)[0] == cell


@pytest.mark.parametrize(
    "cell",
    ["print 'x'", "x = (", "x = 1\npip install torch", "def f(:\n!ls", "x?  # what", "\u2028", "\x1c\n"],
)
def test_what_is_neither_is_a_syntax_error(cell: str) -> None:
    with pytest.raises(UnreadableFile):
        cell_as_python(cell, Masks("_ipl"))


def test_the_place_of_a_fault_is_that_of_the_cell() -> None:
    with pytest.raises(UnreadableFile) as caught:
        cell_as_python("!pip install \\\n  torch\nx = 1\ny = = 2\n", Masks("_ipl"))
    assert (caught.value.row, caught.value.column) == (4, 5)


@pytest.mark.parametrize(
    "line", [*STATEMENTS, "x = 1", "x = !ls", "a.b = %pwd", "  x = 1\n  !ls", "x ? y", "x = (", "?"]
)
def test_it_is_what_ipython_makes_of_it(line: str) -> None:
    transformer = pytest.importorskip("IPython.core.inputtransformer2")
    made = transformer.TransformerManager().transform_cell(f"{line}\n")
    try:
        compile(made, "cell", "exec")
        runs = True
    except SyntaxError:
        runs = False
    try:
        cell_as_python(line, Masks("_ipl"))
    except UnreadableFile:
        assert not runs
    else:
        assert runs
