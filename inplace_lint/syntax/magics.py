"""Masks the IPython lines of a cell (magics, shell commands, help), so that the rest parses as Python."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .parse import syntax_tree
from .unreadable import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Cell magics whose body runs as Python in the notebook itself; `%%python` runs another process, so it is not here.
_AROUND_PYTHON = frozenset("capture debug ipytest memit prun time timeit".split())
#: Words that begin a line magic without `%`, if the line is not Python: IPython's magics and shell aliases.
_AUTOMAGICS = frozenset(
    "alias alias_magic autoawait autocall autoindent automagic autoreload bookmark cat cd clear code_wrap "
    "colors conda config cp debug dhist dirs doctest_mode edit env gui hist history killbgscripts ldir less lf "
    "lk ll load load_ext loadpy logoff logon logstart logstate logstop ls lsmagic lx macro magic mamba man "
    "matplotlib micromamba mkdir more mv notebook page pastebin pdb pdef pdoc pfile pinfo pinfo2 pip popd "
    "pprint precision prun psearch psource pushd pwd pycat pylab quickref recall rehashx reload_ext rep rerun "
    "reset reset_selective rm rmdir run save sc set_env store subshell sx system tb time timeit unalias "
    "unload_ext uv who who_ls whos xdel xmode".split()
)
#: Line magics by which Databricks names the language of a whole cell.
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
    """The masks that replace IPython lines, recognised by one `word`, and the original lines.

    A line that is a statement becomes a constant; one whose result is assigned becomes a call with an unknown result. A
    mask has as many rows as its line.
    """

    def __init__(self, word: str) -> None:
        self.word = word
        #: text before the mask itself, and the original line
        self._lines: list[tuple[str, str]] = []
        self._mask = re.compile(rf'\("{re.escape(word)} (\d+)"\n*\)')

    def mask(self, line: str, form: str = "") -> str:
        self._lines.append((form, line))
        rows = len(re.findall(r"\r\n|\r|\n", line))
        return f'{form}("{self.word} {len(self._lines) - 1}"' + "\n" * rows + ")"

    def held(self, text: str) -> list[int]:
        """The numbers of the masks in a text, in order."""
        return [int(found.group(1)) for found in self._mask.finditer(text)]

    def restored(self, text: str) -> str:
        """The text with each mask replaced by its original line."""
        parts: list[str] = []
        done = 0
        for found in self._mask.finditer(text):
            form, line = self._lines[int(found.group(1))]
            before = text[done : found.start()]
            if before.endswith(form):  # if not, it is no mask; its word stays, and callers check for it
                parts += (before.removesuffix(form), line)
                done = found.end()
        return "".join(parts) + text[done:]


def free_word(texts: list[str]) -> str:
    """A word that occurs in none of the texts."""
    word = "_ipl"
    while any(word in text for text in texts):
        word += "_"
    return word


def cell_as_python(text: str, masks: Masks) -> tuple[str, str] | None:
    """The masked text of a cell, and a line to put before it; None if the cell is not Python at all.

    Raises UnreadableFile for code that IPython could not run either.
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
        return masked, "if 1:"  # IPython removes a common indentation
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
    """The text with every IPython line masked; `automagic`: also a first line that begins with a magic's name."""
    parts: list[str] = []
    done = 0
    for start, end, kept in _escapes(text, automagic):
        original = text[start:end]
        parts += (text[done:start], masks.mask(original, "get_ipython" if kept else _bound(original)))
        done = end
    return "".join(parts) + text[done:]


def _bound(line: str) -> str:
    """The text before a statement's mask: `%time y = f(x)` binds `y` to an unknown value."""
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
    """Yields start and end of each IPython line, and whether its result is assigned to a name."""
    at = depth = 0
    first = True
    fresh = True  # a statement may begin here
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
    """The end of an IPython line, which a backslash continues."""
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
