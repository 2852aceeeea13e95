"""Parses declarations of functions: `takes(x, *, scale), saves(x), writes(x), returns(new)`; see docs/models.md.

The same words are used in comments and in the configuration's table `models`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import WrongEntry

if TYPE_CHECKING:
    from collections.abc import Callable

#: Words that take parameters, and what they declare of them.
NAMING = {
    "takes": "its parameters in order, where its `def` is not in the project",
    "saves": "what autograd keeps for its backward: parameters, or `result`",
    "writes": "parameters that it changes in place, as PyTorch's own operations do",
    "writes_unseen": "parameters that it changes so that no version counter moves",
}
#: Words without parentheses.
ALONE = {
    "no_grad": "nothing that it does is recorded",
    "detaches": "its results carry no gradient",
    "module": "the name is that of an nn.Module's class, and its call is spoken of",
    "parameters": "the module has parameters that require grad",
}
#: The kinds of results, and whether each names a parameter, as in `view(x)`.
RETURNED = {
    "new": False,
    "same": True,
    "view": True,
    "maybe": True,
    "unknown": False,
    "no_tensor": False,
}
#: The name of the results in `saves`. One of several is `result#1`, which users cannot write.
RESULT = "result"
WORDS = (*NAMING, "returns", *ALONE)

_TOKEN = re.compile(r"\s*([^\W\d]\w*|\S)")


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is declared of one function. `returns` holds pairs: the kind of a result, and its parameter or "".

    `takes` is None if the parameters come from a `def`; `text` and `place` are the words and where they stand.
    """

    text: str
    place: tuple[str, int]
    takes: tuple[str, ...] | None = None
    saves: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    writes_unseen: tuple[str, ...] = ()
    returns: tuple[tuple[str, str], ...] = (("unknown", ""),)
    no_grad: bool = False
    detaches: bool = False
    module: bool = False
    parameters: bool = False
    #: the operator of `torch.library` to which the declaration belongs (`syntax.custom_ops`)
    operator: str = ""

    def named(self) -> tuple[str, ...]:
        """The parameters that it names, each once."""
        of_results = (of for _, of in self.returns if of)
        return tuple(dict.fromkeys((*self.kept(), *self.writes, *self.writes_unseen, *of_results)))

    def kept(self) -> tuple[str, ...]:
        """The parameters that it saves for backward, without results."""
        return tuple(name for name in self.saves if name.partition("#")[0] != RESULT)

    def written(self) -> tuple[str, ...]:
        """The parameters that it writes, with or without bumping the version counter."""
        return (*self.writes, *self.writes_unseen)


def read(text: str, place: tuple[str, int]) -> Declaration:
    """Parses a declaration. Raises ValueError with a sentence."""
    said: dict[str, object] = {}
    tokens = _TOKEN.findall(text)
    if not tokens:
        raise ValueError("a declaration needs words: `returns(unknown)` alone says that nothing is written")
    at = 0
    while at < len(tokens):
        word = tokens[at]
        if word not in WORDS:
            raise ValueError(_unknown(word))
        if word in said:
            raise ValueError(f"`{word}` is said twice")
        at += 1
        if word in ALONE:
            said[word] = True
        else:
            inside, at = _inside(word, tokens, at)
            said[word] = _results(inside) if word == "returns" else _names(word, inside)
        if at < len(tokens):
            if tokens[at] != "," or at + 1 == len(tokens):
                raise ValueError(f"`{tokens[at]}` is not understood after `{word}`: commas part the words")
            at += 1
    made = Declaration(" ".join(text.split()), place, **said)  # type: ignore[arg-type]  # by the word
    _check(made)
    return made


def of_table(table: dict[str, object], place: tuple[str, int]) -> Declaration:
    """Parses a declaration from a table: `{ writes = ["x"], returns = "new", no_grad = true }`."""
    words = []
    for word, value in table.items():
        if word not in WORDS:
            raise ValueError(_unknown(word))
        if word in ALONE:
            if not isinstance(value, bool):
                raise ValueError(f"`{word}` must be true or false")
            words += [word] if value else []
        elif isinstance(value, str):
            words.append(f"{word}({value})")
        elif isinstance(value, list) and all(isinstance(part, str) for part in value):
            words.append(f"{word}({', '.join(value)})")
        else:
            raise ValueError(f"`{word}` must be a string or a list of strings")
    return read(", ".join(words), place)


def _misdeclared(key: str, message: str) -> WrongEntry:
    return WrongEntry(key, f'`models` "{key}": {message}')


def of_models(
    value: object, place_of: Callable[[str], tuple[str, int]]
) -> tuple[tuple[str, Declaration], ...]:
    """Parses the table `models`; `place_of` returns where an entry stands. Raises WrongEntry, or ValueError."""
    if not isinstance(value, dict):
        raise ValueError('must be a table such as "package.ops:fused" = "writes(x), returns(same(x))"')
    found = []
    for key, words in value.items():
        module, colon, name = key.partition(":")
        parts = [*module.split("."), *name.split(".")]
        if not colon or not all(part.isidentifier() for part in parts):
            raise _misdeclared(
                key, "a function is named package.module:function, a method module:Class.method"
            )
        try:
            if isinstance(words, str):
                said = read(words, place_of(key))
            elif isinstance(words, dict):
                said = of_table(words, place_of(key))
            else:
                raise ValueError("must be a string of words such as `writes(x)`, or a table of them")
        except ValueError as error:
            raise _misdeclared(key, str(error)) from error
        found.append((key, said))
    return tuple(found)


def begins_one(text: str) -> bool:
    """Whether a comment's text reads like a declaration: it begins with one of the words, not with a sentence."""
    tokens = _TOKEN.findall(text)[:2]
    return bool(tokens) and tokens[0] in WORDS and tokens[1:] in ([], [","], ["("])


def against(said: Declaration, name: str, parameters: tuple[str, ...]) -> str | None:
    """Says what in a declaration contradicts the parameters of the function's `def`; None if nothing does."""
    if said.takes is not None:
        taken = tuple(one for one in said.takes if one not in "*/")
        if taken != parameters and taken != parameters[1:]:
            return f"`{name}` takes {_listed(parameters)}: where there is a `def`, `takes` is not needed"
    for one in said.named():
        if one not in parameters:
            return f"`{name}` has no parameter `{one}`: it takes {_listed(parameters)}"
    return None


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _unknown(word: str) -> str:
    import difflib

    near = difflib.get_close_matches(word, WORDS, n=1)
    advice = f"did you mean `{near[0]}`?" if near else f"the words are {', '.join(WORDS)}"
    return f"`{word}` is no word of a declaration; {advice}"


def _inside(word: str, tokens: list[str], at: int) -> tuple[list[list[str]], int]:
    """The parts between the parentheses after a word, and the index of the token behind them."""
    if at >= len(tokens) or tokens[at] != "(":
        raise ValueError(f"`{word}` needs parentheses, as in `{word}({'new' if word == 'returns' else 'x'})`")
    parts: list[list[str]] = [[]]
    depth = 1
    at += 1
    while at < len(tokens):
        token = tokens[at]
        at += 1
        depth += (token == "(") - (token == ")")
        if not depth:
            return ([] if parts == [[]] else parts), at
        if token == "," and depth == 1:
            parts.append([])
        else:
            parts[-1].append(token)
    raise ValueError(f"the parenthesis after `{word}` is not closed")


def _names(word: str, parts: list[list[str]]) -> tuple[str, ...]:
    found: list[str] = []
    for part in parts:
        name = "".join(part)
        plain = name.lstrip("*") if word == "takes" else name
        if not (plain.isidentifier() or (word == "takes" and name in ("*", "/"))):
            raise ValueError(f"`{name}` is no parameter's name in `{word}(…)`")
        if name in found:
            raise ValueError(f"`{name}` is named twice in `{word}(…)`")
        found.append(name)
    if not found and word != "takes":
        raise ValueError(f"`{word}()` names nothing: leave it out")
    return tuple(found)


def _results(parts: list[list[str]]) -> tuple[tuple[str, str], ...]:
    found = []
    for part in parts:
        kind, of = part[0] if part else "", part[2:-1]
        given = len(part) == 4 and part[1] == "(" and part[3] == ")" and of[0].isidentifier()
        if kind not in RETURNED or (not given if RETURNED[kind] else len(part) != 1):
            ways = ", ".join(f"{name}(x)" if named else name for name, named in RETURNED.items())
            raise ValueError(f"`{''.join(part)}` is no result: write one of {ways}")
        found.append((kind, of[0] if of else ""))
    if not found:
        raise ValueError("`returns()` names nothing: a function without a result has `returns(no_tensor)`")
    if len(found) > 1 and ("unknown", "") in found:
        raise ValueError("`unknown` stands for all that is returned, and cannot be one of several results")
    return tuple(found)


def _check(said: Declaration) -> None:
    if said.no_grad and said.saves:
        raise ValueError("`no_grad` and `saves` contradict each other: what is not recorded keeps nothing")
    if said.writes and said.writes_unseen:
        raise ValueError("`writes` and `writes_unseen` cannot both be said of one function")
    if "result" in said.saves and all(kind in ("unknown", "no_tensor") for kind, _ in said.returns):
        raise ValueError("`saves(result)` needs a `returns(…)` that says what the result is")
    if said.parameters and not said.module:
        raise ValueError("`parameters` goes with `module`")
    if said.takes is not None:
        taken = [name.lstrip("*") for name in said.takes]
        for name in said.named():
            if name not in taken:
                raise ValueError(f"`{name}` is not among what it `takes`")
