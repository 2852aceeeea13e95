"""Defines the summary of one call (`Facts`): saves, writes, aliases and results; parses it from the op table.

The data file holds behaviours as short texts, which are parsed on demand::

    MulBackward0(other?self,self?other) -> new        node(saves) -> returns
    SigmoidBackward0(result=r0) w:self -> same(self)  r0: first result; w: writes
    ClampBackward1() w:self c:self -> same(self)      c: self is cloned for backward if any of these needs grad
    *0(self) the node is named after the op: `aten::mul` has MulBackward0
    ~x is saved only sometimes; x@cuda only on that device or by that kernel
    d:a+b the differentiable arguments, unless all tensors are
    w!:x a write that does not bump the version counter
    meta over nodiff detach data factory nograd are flags of Facts
    returns: new same(x) view(x) multi(x) views(x) slices(x) maybe(x) list other,
    then :dtype, then ! for "not differentiable"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layout import layout_of, node_prefix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Keys of declared functions, and of declared methods, whose first parameter is their object (`declared`).
DECLARED = "declared"
DECLARED_METHOD = "declared::method"

WEIGHT = 1000
"""In `Save.needs`: any parameter that the module owns."""

#: `m` takes one or several tensors; `a` any value, which may hold tensors (`declared`); a `v` marks varargs.
KINDS = {
    **dict.fromkeys(("t", "tv", "m", "mv"), "tensor"),
    **dict.fromkeys(("n", "i"), "number"),
    "tl": "tensors",
    "b": "flag",
}


class Const:
    """A Python constant known at the call: bool, int, float, str or None."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Const({self.value!r})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const) and type(other.value) is type(self.value) and other.value == self.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


class Param:
    """One parameter, in Python's order. `default` is None if it is required or its default is not a plain constant."""

    __slots__ = ("code", "default", "keyword_only", "kind", "name", "required")

    def __init__(
        self, name: str, code: str, required: bool, default: Const | None, keyword_only: bool
    ) -> None:
        self.name = name
        self.code = code
        self.kind = KINDS.get(code, "other")
        self.required = required
        self.default = default
        self.keyword_only = keyword_only

    @property
    def is_out(self) -> bool:
        """Whether it is the `out=` of one of torch's operations."""
        return self.name == "out" and self.kind == "tensor" and self.code == "t"

    def __repr__(self) -> str:
        return f"Param({self.name}: {self.kind})"


class Save:
    """A tensor that the op keeps for backward if any of the parameters `needs` requires grad.

    `target` >= 0 is a parameter, < 0 the result number -1 - target.
    """

    __slots__ = ("attr", "certainty", "needs", "node", "only", "target")

    def __init__(
        self, target: int, needs: tuple[int, ...], certainty: str, only: str, node: str, attr: str
    ) -> None:
        self.target = target
        self.needs = needs
        self.certainty = certainty
        self.only = only
        self.node = node
        self.attr = attr

    def __repr__(self) -> str:
        return f"Save({self.target} if any of {self.needs}, {self.certainty} {self.only}, {self.node}.{self.attr})"


class Ret:
    """One result: fresh, same, view, views, slices, maybe, list or other; `of` is the parameter it aliases.

    "views" is a list of views from one multi-output view op (writing one raises), "slices" a list of ordinary views.
    """

    __slots__ = ("differentiable", "dtype", "kind", "multi_view", "of")

    def __init__(
        self,
        kind: str,
        of: int | None = None,
        multi_view: bool = False,
        differentiable: bool = True,
        dtype: str = "?",
    ) -> None:
        self.kind = kind
        self.of = of
        self.multi_view = multi_view
        self.differentiable = differentiable
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"Ret({self.kind} of {self.of}{' multi' * self.multi_view}, {self.dtype})"


_OPERANDS = frozenset(["tensor", "tensors", "number"])
_HOLDING = frozenset(["x", "a", "av"])
_known_operands: dict[tuple[Param, ...], tuple[int, ...]] = {}


def _operands(params: tuple[Param, ...]) -> tuple[int, ...]:
    """The indices of parameters that may hold tensors; code `x` is stored as it is, `a` is searched for tensors."""
    found = _known_operands.get(params)
    if found is None:
        found = tuple([i for i, p in enumerate(params) if p.kind in _OPERANDS or p.code in _HOLDING])
        _known_operands[params] = found
    return found


class Facts:
    """What one call saves, writes and returns. `flags` names arguments whose unknown value left several rows possible.

    `ways` then holds the facts without a write and with one, if the rows differ in that. `gradients` are the parameters
    that gradients flow to, `weight_saves` the saves of a module's own parameters. `autocast`: "lower" if autocast runs
    the op in 16 bits (it then saves a copy of a 32-bit argument), "fp32" if in 32 bits, "widest" if in the widest.
    """

    __slots__ = (
        "autocast",
        "clones",
        "counted",
        "detaches",
        "differentiable",
        "factory",
        "fields",
        "flags",
        "gradients",
        "key",
        "layout",
        "metadata_only",
        "no_grad",
        "operands",
        "overwrites",
        "params",
        "returns",
        "saves",
        "shares_version",
        "ways",
        "weight_saves",
        "writes",
    )

    def __init__(self, key: str, params: tuple[Param, ...]) -> None:
        self.key = key
        self.layout = layout_of(key)
        self.params = params
        #: indices of the parameters that may be given tensors
        self.operands = _operands(params)
        self.saves: tuple[Save, ...] = ()
        self.weight_saves: tuple[Save, ...] = ()
        self.writes: tuple[int, ...] = ()
        self.counted = True
        self.metadata_only = False
        self.returns: tuple[Ret, ...] = ()
        self.fields: tuple[str, ...] = ()
        self.clones: tuple[int, ...] | None = None
        self.differentiable = True
        self.gradients: tuple[int, ...] = ()
        self.detaches = False
        self.overwrites = False
        self.factory = False
        self.no_grad = False
        self.shares_version = True
        self.autocast = ""
        self.flags: tuple[str, ...] = ()
        self.ways: tuple[Facts, ...] = ()

    @property
    def declared(self) -> bool:
        """Whether these facts come from a declaration, and not from torch."""
        return self.key.startswith(DECLARED)

    def argument(self, i: int) -> tuple[int, str]:
        """The position of a parameter's argument in the call (a method's object is -1), and the parameter's name."""
        return i - (self.key == DECLARED_METHOD), self.params[i].name

    def __repr__(self) -> str:
        return f"Facts({self.key}, saves={self.saves}, writes={self.writes}, returns={self.returns})"


def parse_default(text: str) -> Const | None:
    """Parses `N`, `T`, `F`, a number or a word; `?` is a default that is not a plain constant."""
    if text == "?":
        return None
    if text in ("N", "T", "F"):
        return Const({"N": None, "T": True, "F": False}[text])
    try:
        return Const(int(text))
    except ValueError:
        pass
    try:
        return Const(float(text))
    except ValueError:
        return Const(text)


OPTIONS = ("dtype:o=N", "layout:o=N", "device:o=N", "pin_memory:b=N", "requires_grad:b=F")


def parse_params(text: str) -> tuple[Param, ...]:
    """Parses `self:t other:t * alpha:n=1`; `opts` stands for the options of a factory."""
    params = []
    keyword_only = False
    for word in text.split():
        if word == "*":
            keyword_only = True
            continue
        for part in OPTIONS if word == "opts" else (word,):
            name, _, rest = part.partition(":")
            code, has_default, default = rest.partition("=")
            params.append(
                Param(
                    name, code, not has_default, parse_default(default) if has_default else None, keyword_only
                )
            )
    return tuple(params)


def _split(text: str) -> list[str]:
    return text.split(",") if text else []


def parse_behaviour(text: str, key: str, params: tuple[Param, ...]) -> Facts:
    """Parses a behaviour text; its names refer to `params`."""
    facts = Facts(key, params)
    index: dict[str, list[int]] = {"weight*": [WEIGHT]}
    for i, param in enumerate(params):
        index.setdefault(param.name, []).append(i)
    left, _, right = text.rpartition("-> ")
    words = left.split()
    tensors = [i for i, p in enumerate(params) if p.code in ("t", "tl", "tv")]
    gradients = tensors
    for word in words:
        if word.startswith("d:"):
            gradients = [i for name in word[2:].split("+") for i in index.get(name, ())]
    facts.gradients = tuple(gradients)
    saves: list[Save] = []
    for word in words:
        if word.endswith(")"):
            node, _, inner = word[:-1].partition("(")
            if node[0] == "*":
                node = node_prefix(key) + node[1:]
            for item in _split(inner):
                _parse_save(item, node, index, gradients, saves, params)
        elif word.startswith("w"):
            mark, _, names = word.partition(":")
            facts.writes = tuple(i for name in names.split("+") for i in index.get(name, ()))
            facts.counted = mark == "w"
        elif word.startswith("c:"):
            facts.clones = tuple(i for name in word[2:].split("+") for i in index.get(name, ()))
        elif word == "meta":
            facts.metadata_only = True
        elif word == "over":
            facts.overwrites = True
        elif word == "nodiff":
            facts.differentiable = False
        elif word == "detach":
            facts.detaches = True
        elif word == "data":
            facts.detaches = True
            facts.shares_version = False
        elif word == "factory":
            facts.factory = True
        elif word == "nograd":
            facts.no_grad = True
    facts.saves = tuple(save for save in saves if save.target != WEIGHT)
    facts.weight_saves = tuple(save for save in saves if save.target == WEIGHT)
    fields = []
    returns = []
    for item in _split(right):
        field, has_field, item = item.rpartition("=")
        if has_field:
            fields.append(field)
        returns.append(_parse_return(item, index, facts))
    facts.returns = tuple(returns)
    facts.fields = tuple(fields) if len(fields) == len(returns) else ()
    return facts


def _parse_save(
    item: str,
    node: str,
    index: Mapping[str, Sequence[int]],
    gradients: Sequence[int],
    saves: list[Save],
    params: Sequence[Param],
) -> None:
    certainty = "always"
    if item[0] == "~":
        certainty = "may"
        item = item[1:]
    item, _, only = item.partition("@")
    item, has_needs, needs_text = item.partition("?")
    attr, _, target = item.partition("=")
    target = target or attr
    if len(target) > 1 and target[0] == "r" and target[1:].isdigit():
        targets = [-1 - int(target[1:])]
    else:
        targets = list(index.get(target, ()))
    for to in targets:
        if not has_needs:
            needs = tuple(gradients)
        elif needs_text == "others":
            needs = tuple(i for i in targets if i != to)
            if params[to].code == "tl":
                needs = (to,)
            elif not needs:
                continue
        else:
            needs = tuple(i for name in needs_text.split("+") for i in index.get(name, ()))
        saves.append(Save(to, needs, certainty, only.replace("_", " "), node, attr))


RETURN_KINDS = {"new": "fresh", "multi": "view"}


def _parse_return(item: str, index: Mapping[str, Sequence[int]], facts: Facts) -> Ret:
    differentiable = facts.differentiable and not item.endswith("!")
    item, _, dtype = item.rstrip("!").partition(":")
    kind, _, of = item.partition("(")
    places = index.get(of[:-1], ()) if of else ()
    names = {"b": "bool", "i": "int", "f": "float", "c": "complex", "s": "same"}
    return Ret(
        RETURN_KINDS.get(kind, kind),
        places[0] if places else None,
        kind in ("multi", "views"),
        differentiable,
        names.get(dtype, "?"),
    )
