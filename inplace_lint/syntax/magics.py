"""Masks the IPython lines of a cell (magics, shell commands, help), so that the rest parses as Python."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .parse import syntax_tree
from .unreadable import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Cell magics whose body is Python that runs among the other cells. What another process runs (`%%python`) is none.
_AROUND_PYTHON = frozenset("capture debug ipytest memit prun time timeit".split())
#: Words that begin a line magic where a line makes no sense as Python: IPython's line magics and its shell aliases.
_AUTOMAGICS = frozenset(
    "alias alias_magic autoawait autocall autoindent automagic autoreload bookmark cat cd clear code_wrap "
    "colors conda config cp debug dhist dirs doctest_mode edit env gui hist history killbgscripts ldir less lf "
    "lk ll load load_ext loadpy logoff logon logstart logstate logstop ls lsmagic lx macro magic mamba man "
    "matplotlib micromamba mkdir more mv notebook page pastebin pdb pdef pdoc pfile pinfo pinfo2 pip popd "
    "pprint precision prun psearch psource pushd pwd pycat pylab quickref recall rehashx reload_ext rep rerun "
    "reset reset_selective rm rmdir run save sc set_env store subshell sx system tb time timeit unalias "
    "unload_ext uv who who_ls whos xdel xmode".split()
)
#: Line magics with which Databricks says in which language a whole cell is written.
_LANGUAGES = frozenset("fs html markdown md md-sandbox r scala sh sql".split())
_OPERATORS = tuple("= += -= *= /= //= %= @= &= |= ^= >>= <<= **= == ( [ , :".split())

_INDENT = re.compile(r"[ \t\f]*")
_LINE = re.compile(r"[^\r\n]*")
_CELL_MAGIC = re.compile(r"^[ \t]*%%(?!%)([^\s]*)", re.MULTILINE)
_TOKEN = re.compile(
    r"""(?P<comment>\#[^\r\n]*)|(?P<string>\"{3}|'{3}|"|')|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<join>\\(?:\r\n|\r|\n))
    |(?P<end>\r\n|\r|\n)|(?P<binds>=[ \t]*(?=!|%[A-Za-z_]))|(?P<help>\?(?=[\r\n]|\Z))""",
    re.VERBOSE,
)
_CLOSED = {
    '"""': re.compile(r'(?:[^\\"]|\\[\s\S]|"(?!""))*"""'),
    "'''": re.compile(r"(?:[^\\']|\\[\s\S]|'(?!''))*'''"),
    '"': re.compile(r'(?:[^\\"\r\n]|\\(?:\r\n|[\s\S]))*"?'),
    "'": re.compile(r"(?:[^\\'\r\n]|\\(?:\r\n|[\s\S]))*'?"),
}


class Masks:
    """What was put in the place of lines, all told by one `word`, and the lines themselves.

    A line that is a statement becomes a constant, one whose result is kept a call of which nothing is known. Both have
    as many rows as what they stand for.
    """

    def __init__(self, word: str) -> None:
        self.word = word
        #: what stands before the mask itself, and the line
        self._lines: list[tuple[str, str]] = []
        self._mask = re.compile(rf'\("{re.escape(word)} (\d+)"\n*\)')

    def mask(self, line: str, form: str = "") -> str:
        self._lines.append((form, line))
        rows = len(re.findall(r"\r\n|\r|\n", line))
        return f'{form}("{self.word} {len(self._lines) - 1}"' + "\n" * rows + ")"

    def held(self, text: str) -> list[int]:
        """The numbers of the lines that a text holds masks of, in order."""
        return [int(found.group(1)) for found in self._mask.finditer(text)]

    def restored(self, text: str) -> str:
        """The text with the lines themselves."""
        parts: list[str] = []
        done = 0
        for found in self._mask.finditer(text):
            form, line = self._lines[int(found.group(1))]
            before = text[done : found.start()]
            if before.endswith(form):  # else it is not what was put there: its word stays, which is told
                parts += (before.removesuffix(form), line)
                done = found.end()
        return "".join(parts) + text[done:]


def free_word(texts: list[str]) -> str:
    """A word that stands in none of some texts."""
    word = "_ipl"
    while any(word in text for text in texts):
        word += "_"
    return word


def cell_as_python(text: str, masks: Masks) -> tuple[str, str] | None:
    """The text of a cell with what is not Python masked, and what must stand before it; None if all of it is not.

    Raises UnreadableFile for what IPython could not run either.
    """
    try:
        syntax_tree("", text)
        return text, ""
    except UnreadableFile as error:
        fault = error
    if any(found.group(1) not in _AROUND_PYTHON for found in _CELL_MAGIC.finditer(text)):
        return None
    masked = mask(text, masks)
    if masked != text:
        try:
            syntax_tree("", masked)
            return masked, ""
        except UnreadableFile as error:
            fault = error
    if masked.lstrip("\r\n")[:1] in (" ", "\t") and is_python("if 1:\n" + masked):
        return masked, "if 1:"  # IPython takes away what all lines are indented by
    first = "".join(text.split(None, 1)[:1])
    if first[:1] == "%" and first[1:] in _LANGUAGES:
        return None
    masked = mask(text, masks, automagic=True)
    if is_python(masked):
        return masked, ""
    raise fault


def is_python(text: str) -> bool:
    try:
        syntax_tree("", text)
    except UnreadableFile:
        return False
    return True


def mask(text: str, masks: Masks, automagic: bool = False) -> str:
    """The text with every line that is IPython's masked; with `automagic` also a first one that only looks like it."""
    parts: list[str] = []
    done = 0
    for start, end, kept in _escapes(text, automagic):
        original = text[start:end]
        parts += (text[done:start], masks.mask(original, "get_ipython" if kept else _bound(original)))
        done = end
    return "".join(parts) + text[done:]


def _bound(line: str) -> str:
    """What a mask of a statement begins with: `%time y = f(x)` gives names a value of which nothing is known."""
    command, _, rest = line.partition(" ")
    if command != "%time":
        return ""
    try:
        tree = syntax_tree("", rest.strip())
    except UnreadableFile:
        return ""
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names: list[str] = []
    while targets:
        target = targets.pop(0)
        if isinstance(target, (ast.Tuple, ast.List)):
            targets += target.elts
        elif isinstance(target, ast.Name):
            names.append(target.id)
    return "".join(f"{name} = " for name in names) + "get_ipython" if names else ""


def _escapes(text: str, automagic: bool) -> Iterator[tuple[int, int, bool]]:
    """Where lines that are IPython's begin and end, and whether what they give is kept under a name."""
    at = depth = 0
    first = True
    fresh = True  # whether a statement may begin here
    begin = 0
    while at < len(text):
        if fresh:
            fresh = False
            blank = _INDENT.match(text, at)
            assert blank is not None
            begin = blank.end()
            sign = text[begin : begin + 1]
            if sign and sign in "%!?,;/":
                at = _end(text, begin)
                yield begin, at, False
                continue
            if first and automagic and sign and sign not in "#\r\n":
                first = False
                if _looks_like_magic(text, begin):
                    at = _end(text, begin)
                    yield begin, at, False
                    continue
        token = _TOKEN.search(text, at)
        if token is None:
            return
        at = token.end()
        kind = token.lastgroup
        if kind == "string":
            closed = _CLOSED[token.group()].match(text, at)
            if closed is None:
                return
            at = closed.end()
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "end":
            fresh = depth == 0
        elif kind == "binds" and depth == 0:
            end = _end(text, at)
            yield at, end, True
            at = end
        elif kind == "help" and depth == 0:
            at = _end(text, at)
            yield begin, at, False


def _end(text: str, at: int) -> int:
    """Where a line that is IPython's ends: with a backslash it goes on."""
    while True:
        found = _LINE.match(text, at)
        assert found is not None
        end = found.end()
        if end == len(text) or text[end - 1 : end] != "\\":
            return end
        at = end + (2 if text.startswith("\r\n", end) else 1)


def _looks_like_magic(text: str, begin: int) -> bool:
    words = text[begin : _end(text, begin)].split()
    return bool(words) and words[0] in _AUTOMAGICS and not "".join(words[1:2]).startswith(_OPERATORS)
