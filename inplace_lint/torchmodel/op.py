"""Resolves overloads: binds a call's arguments and picks the table rows that may apply to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_lint.torchmodel import unite
from inplace_lint.torchmodel.facts import (
    Const,
    Facts,
    Param,
    Ret,
    parse_behaviour,
    parse_default,
    parse_params,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Arg = str | Const
    Binding = tuple[int | str | None, ...]

# Aliases of keywords that PyTorch's argument parser accepts.
SPELLINGS = {
    "input": "self",
    "self": "input",
    "axis": "dim",
    "axes": "dim",
    "keepdims": "keepdim",
    "x": "self",
    "x1": "self",
    "x2": "other",
    "a": "self",
}

NO, WEAK, EXACT = 0, 1, 2
#: Only calls with more positional arguments than this can be in a deprecated order (`older`).
_FEW = 2
#: Parameter codes that take all remaining positional arguments.
_SPREAD = frozenset(["tv", "av", "mv"])
#: Parameter codes that accept any argument.
_ANY = frozenset(["x", "a", "av", "m", "mv"])


class Row:
    """One overload, or one configuration of it: its parameters, the condition under which it applies, its behaviour."""

    __slots__ = (
        "_facts",
        "_params",
        "_tests",
        "autocast",
        "behaviour",
        "condition",
        "key",
        "out",
        "signature",
    )

    def __init__(
        self, key: str, signature: str, behaviour: str, condition: str = "", out: bool = False
    ) -> None:
        self.key = key
        self.signature = signature
        self.behaviour = behaviour
        self.condition = condition
        self.out = out
        self.autocast = ""
        self._params: tuple[Param, ...] | None = None
        self._facts: dict[tuple[int, bool], Facts] = {}
        self._tests: list[tuple[str, str, object]] | None = None

    @property
    def params(self) -> tuple[Param, ...]:
        if self._params is None:
            self._params = parse_params(self.signature)
        return self._params

    def facts(self, params: tuple[Param, ...], out: bool) -> Facts:
        """The facts for `params`: the row's own, or those with `*tensors` expanded to the call's arguments."""
        at = (len(params), out)
        facts = self._facts.get(at)
        if facts is None:
            facts = parse_behaviour(self.behaviour, self.key, params)
            facts.autocast = self.autocast
            if out:
                _write_out(facts)
            self._facts[at] = facts
        return facts

    def applies(self, binding: Binding, args: Sequence[Arg], kwargs: Mapping[str, Arg]) -> bool | str:
        """Whether the row's condition holds: True, False, or the name of an argument whose value is not known."""
        return self.test(self.params, binding, args, kwargs)

    def test(
        self, params: tuple[Param, ...], binding: Binding, args: Sequence[Arg], kwargs: Mapping[str, Arg]
    ) -> bool | str:
        """`applies`, for parameters that are not the row's own: those of a module's constructor."""
        if not self.condition:
            return True
        if self._tests is None:
            self._tests = [_parse_test(text) for text in self.condition.split("&")]
        undecided = ""
        for name, test, value in self._tests:
            verdict = _test(name, test, value, params, binding, args, kwargs)
            if verdict is False:
                return False
            if verdict is None:
                undecided = undecided or name
        return undecided or True


def _parse_test(text: str) -> tuple[str, str, object]:
    for sign in ("!=", "=="):
        name, found, value = text.partition(sign)
        if found:
            if value in ("tensor", "tensors"):
                return name, sign, value
            const = parse_default(value)
            return name, sign, const
    raise ValueError(text)


def _test(
    name: str,
    sign: str,
    value: object,
    params: tuple[Param, ...],
    binding: Binding,
    args: Sequence[Arg],
    kwargs: Mapping[str, Arg],
) -> bool | None:
    arg: Arg | None = None
    for param, place in zip(params, binding, strict=False):
        if param.name == name:
            arg = param.default if place is None else args[place] if isinstance(place, int) else kwargs[place]
            break
    else:
        return None
    if arg is None or arg == "?":
        return None
    if value in ("tensor", "tensors"):
        holds: bool | None = arg == ("T" if value == "tensor" else "L")
    elif isinstance(arg, Const) and isinstance(value, Const):
        holds = _same(arg.value, value.value)
    elif arg in ("T", "L"):
        holds = False
    else:
        return None
    return holds if sign == "==" else not holds


def _same(a: object, b: object) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return bool(a) == bool(b) if isinstance(a, (bool, int)) and isinstance(b, (bool, int)) else False
    return a == b


def _write_out(facts: Facts) -> None:
    """Turns facts into those of the `out=` form: it writes and returns `out`, and records nothing for backward."""
    place = len(facts.params) - 1
    facts.saves = ()
    facts.writes = (place,)
    facts.clones = None
    facts.differentiable = False
    facts.overwrites = True
    facts.returns = tuple(Ret("same", place, False, False, "?") for _ in facts.returns)


class Op:
    """One public name: a function, a method, an operator or a property."""

    __slots__ = ("name", "rows")

    def __init__(self, name: str, rows: Sequence[Row]) -> None:
        self.name = name
        self.rows = rows

    def __repr__(self) -> str:
        return f"Op({self.name})"

    @property
    def tests_zero(self) -> bool:
        """Whether the behaviour depends on a number being 0, as with dropout's rate."""
        return any("==0" in row.condition for row in self.rows)

    def takes_several(self, place: int) -> bool:
        """Whether all arguments from this position on are operands, which may stand in one list instead."""
        return any(param.code == "tv" for row in self.rows for param in row.params[place : place + 1])

    def facts(self, args: Sequence[Arg], kwargs: Mapping[str, Arg]) -> tuple[Facts, Binding] | None:
        """The facts of a call with these arguments, and the argument that each parameter is bound to.

        An argument is "T" (tensor), "L" (list of tensors), "N" (not a tensor), "S" (a basic index: integers, slices,
        None, ellipsis and tuples of them), "?" or a Const; for a method the first one is self. None if no overload
        can take the call.
        """
        if len(args) > _FEW and not kwargs.keys() - {"out"}:
            older = self._in_older_order(args, kwargs)
            if older is not None:
                return older
        found = choose(self.rows, args, kwargs)
        if not found:
            return None
        flags: list[str] = []
        live: list[tuple[Row, tuple[Param, ...], Binding]] = []
        for row, params, binding in found:
            verdict = row.applies(binding, args, kwargs)
            if verdict is not False:
                live.append((row, params, binding))
                if verdict is not True and verdict not in flags:
                    flags.append(str(verdict))
        if not live:
            return None
        row, params, binding = live[0]
        out = row.out and "out" in kwargs and kwargs["out"] != Const(None)
        facts = row.facts(params, out)
        if len(live) > 1:
            facts = unite.united([r.facts(p, out) for r, p, _ in live], tuple(flags))
        return facts, binding

    def _in_older_order(self, args: Sequence[Arg], kwargs: Mapping[str, Arg]) -> tuple[Facts, Binding] | None:
        """`facts` for a call in the deprecated order, where numbers stand among the tensors."""
        from .older import places

        older = places(self.name, len(args))
        if older is None:
            return None
        tensors, numbers = older
        found = self.facts(
            [args[i] for i in tensors], {**kwargs, **{name: args[i] for name, i in numbers.items()}}
        )
        if found is None:
            return None
        facts, binding = found
        return facts, tuple(
            tensors[at] if isinstance(at, int) else at if at is None else numbers.get(at, at)
            for at in binding
        )


def choose(
    rows: Sequence[Row], args: Sequence[Arg], kwargs: Mapping[str, Arg]
) -> list[tuple[Row, tuple[Param, ...], Binding]]:
    """The rows that fit the call best: of one overload, or of several if an argument is unknown."""
    best = NO
    found: list[tuple[Row, tuple[Param, ...], Binding]] = []
    for row in rows:
        bound = _bind(row, args, kwargs)
        if bound is None or bound[2] < best:
            continue
        if bound[2] > best:
            best = bound[2]
            found = []
        found.append((row, bound[0], bound[1]))
    if found and "?" not in args and "?" not in kwargs.values():
        key = found[0][0].key
        found = [item for item in found if item[0].key == key]
    return found


def _bind(
    row: Row, args: Sequence[Arg], kwargs: Mapping[str, Arg]
) -> tuple[tuple[Param, ...], Binding, int] | None:
    """The parameters (varargs expanded), the binding, and how well the arguments fit; None if the call cannot bind."""
    params = row.params
    spread = next((i for i, p in enumerate(params) if p.code in _SPREAD), None)
    if spread is not None:
        count = len(args) - spread
        if count == 1 and args[spread] in ("L", "?") and params[spread].code == "tv":
            listed = Param(params[spread].name, "tl", True, None, False)
            params = (*params[:spread], listed, *params[spread + 1 :])
        elif count >= 0:
            params = (*params[:spread], *([params[spread]] * count), *params[spread + 1 :])
    if "out" in kwargs and row.out:
        params = (*params, Param("out", "t", False, Const(None), True))
    places: list[int | str | None] = [None] * len(params)
    fit = EXACT
    at = 0
    rest = bool(params) and params[-1].code == "k"
    for position, arg in enumerate(args):
        if rest and at == len(params) - 1:
            break
        if at >= len(params) or params[at].keyword_only:
            return None
        param = params[at]
        fit = min(fit, _fits(param, arg))
        if not fit:
            return None
        if places[at] is None:
            places[at] = position
        if param.code != "v":
            at += 1
    named = {param.name: i for i, param in enumerate(params)}
    for name, arg in kwargs.items():
        i = named.get(name, -1)
        if i < 0:
            i = named.get(SPELLINGS.get(name, ""), -1)
        if i < 0 and rest:
            continue
        if i < 0 or places[i] is not None:
            return None
        fit = min(fit, _fits(params[i], arg))
        if not fit:
            return None
        places[i] = name
    for param, place in zip(params, places, strict=False):
        if place is None and param.required and param.code not in ("v", "k"):
            return None
    return params, tuple(places), fit


def _fits(param: Param, arg: Arg) -> int:
    code = param.code
    if code == "s" and arg in ("?", "N"):
        return WEAK  # an unknown value may be a string, but a number or a size is likelier
    if code in _ANY or arg == "?":
        return EXACT
    if isinstance(arg, Const):
        return _fits_const(code, arg.value, param)
    if arg == "T":
        return EXACT if code in ("t", "tv") else WEAK if code in ("n", "i") else NO
    if arg == "S":
        return EXACT if code == "i" else NO
    if arg == "L":
        return EXACT if code == "tl" else NO
    return WEAK if code in ("t", "tl", "tv") else EXACT


def _fits_const(code: str, value: object, param: Param) -> int:
    if value is None:
        if code in ("t", "tl", "tv", "o") or (param.default is not None and param.default.value is None):
            return EXACT
        return WEAK if code in ("il", "v") else NO
    if isinstance(value, bool):
        return EXACT if code in ("b", "o") else WEAK if code in ("t", "n", "i") else NO
    if isinstance(value, int):
        return EXACT if code in ("i", "n", "il", "v") else WEAK if code in ("t", "b", "o") else NO
    if isinstance(value, float):
        return EXACT if code == "n" else WEAK if code in ("t", "o") else NO
    return EXACT if code in ("s", "o") else NO
