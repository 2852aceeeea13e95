"""Files as they are: line ends, encodings, grammar that is newer than the interpreter."""

from __future__ import annotations

import io
import sys
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_lint.prefilter.source_words import called
from inplace_lint.prefilter.text_screen import rows_of
from inplace_lint.syntax.module import Module
from inplace_lint.syntax.unreadable import UnreadableFile

SMALL = "def f(x):\n    y = x.sigmoid()\n    y.add_(1)\n    return y\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_one(end: str) -> None:
    module = Module("x.py", SMALL.replace("\n", end).encode())
    assert module.lines[2] == b"    y.add_(1)"
    assert rows_of(module) == [3]
    assert module.functions["f"].node.end_lineno == 4


@given(
    st.lists(st.sampled_from(["x = 1", "", "# a\x0cb", "\x0c", "'''a", "b'''", "y"]), min_size=1), st.data()
)
def test_lines_are_those_of_the_tokenizer(lines: list[str], data: st.DataObject) -> None:
    ends = data.draw(
        st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=len(lines), max_size=len(lines))
    )
    source = "".join(map("".join, zip(lines, ends))).encode()
    try:
        module = Module("x.py", source)
    except UnreadableFile:
        return
    universal = io.TextIOWrapper(io.BytesIO(source), encoding="utf-8", newline=None).read()
    tokens = list(tokenize.generate_tokens(io.StringIO(universal).readline))
    for token in tokens:
        if token.type in (tokenize.NAME, tokenize.COMMENT):
            row, column = token.start
            assert module.lines[row - 1].decode()[column:].startswith(token.string)


def message(source: str) -> str:
    with pytest.raises(UnreadableFile) as caught:
        Module("x.py", source.encode())
    return caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n",
        "x = (\n",
        'print "hello"\n',
        'print f"{x}"\n',
        "raise E, 'x'\n",
        "try:\n    pass\nexcept A, e:\n    pass\n",
        "exec x in y\n",
        "x = 0777\n",
        "a <> b\n",
        "f'{}'\n",
        "  x = 1\n",
        "x = foo(1, *a b)\n" if sys.version_info >= (3, 11) else "x = 1 1\n",
    ],
)
def test_what_no_newer_python_reads_is_no_question_of_the_version(text: str) -> None:
    assert "Python" not in message(text)


@pytest.mark.parametrize(
    ("since", "text"),
    [
        ((3, 11), "try:\n    pass\nexcept* A:\n    pass\n"),
        ((3, 12), "type X = int\n"),
        ((3, 12), "def f[T](x): pass\n"),
        ((3, 12), "class A[T]: pass\n"),
        ((3, 12), "x = f'{y['a']}'\n"),
        ((3, 12), "x = f'{y\n}'\n"),
        ((3, 12), "x = RF'{'a'.join(y)}'\n"),
        ((3, 13), "def f[T = int](x): pass\n"),
        ((3, 14), "x = t'{y}'\n"),
        ((3, 14), "try:\n    pass\nexcept A, B:\n    pass\n"),
    ],
)
def test_newer_grammar_gives_the_advice_and_the_place(since: tuple[int, int], text: str) -> None:
    if sys.version_info[:2] >= since:
        Module("x.py", text.encode())
    else:
        version = "{}.{}".format(*sys.version_info)
        assert message(text).endswith(
            f" (read as Python {version}: "
            "if the file is written for a newer Python, run inplace-lint on that Python)"
        )


SAID = '''"""Never `y.add_(1)`."""
class A:
    r"""Nor
        y.mul_(é); y # 'twice
    """
    def f(self, y):
        "sigmoid_(y)"; y.exp_()
        if y:
            def g():
                \'\'\'y.div_(2)\'\'\'
        return "y.neg_()"
'''


def test_a_string_that_is_a_statement_is_no_code_for_who_looks_for_words() -> None:
    module = Module("x.py", SAID.encode())
    assert called(module) == {"f", "exp_", "g", "neg_"}
    assert rows_of(module) == [7, 11]
    assert [len(line) for line in module.source.split(b"\n")] == [len(line) for line in module.lines]
    assert module.text(7, 7).lstrip() == b"; y.exp_()"
    assert module.lines[3] == "        y.mul_(é); y # 'twice".encode()
