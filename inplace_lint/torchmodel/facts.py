"""The values that the op table answers with: Facts of one call, its Params, Saves and Rets.

Behaviours are kept in the data file as short texts, parsed on demand::

    MulBackward0(other?self,self?other) -> new        node(saves) -> returns
    SigmoidBackward0(result=r0) w:self -> same(self)  r0 is the first result; w: writes
    ClampBackward1() w:self c:self -> same(self)      c: self is cloned for backward if any of these needs grad
    *0(self) the op's own name: `aten::mul` has MulBackward0
    ~x a save that happens only sometimes; x@cuda one that a device or kernel decides
    d:a+b the differentiable arguments, where they are not all the tensors
    w!:x a write that the version counter does not see
    meta over nodiff detach data factory nograd are flags of Facts
    returns: new same(x) view(x) multi(x) views(x) slices(x) maybe(x) list other,
    then :dtype, then ! for "not differentiable"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layout import layout_of, node_prefix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The keys of what is declared (`declared`): of functions, and of methods, whose first parameter is their object.
DECLARED = "declared"
DECLARED_METHOD = "declared::method"

WEIGHT = 1000
"""In `Save.needs`: any parameter that the module owns."""

#: `m` is a tensor or several, `a` what may hold some or none (`declared`); with a `v`, all that is given from there on.
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
    """One parameter of a call, in Python's argument order. `default` is a Const, or None when required or not plain."""

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
    """A tensor kept for backward: `target` >= 0 a parameter, < 0 the result number -1 - target."""

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
    """One returned tensor: fresh, same, view, views, slices, maybe, list or other; `of` is the parameter it aliases.

    "views" is a list of views of one multi-output view op (writing one raises), "slices" a list of ordinary views.
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
    """Where tensors stand among the parameters; code `x` is a value that is stored, `a` one that is looked into."""
    found = _known_operands.get(params)
    if found is None:
        found = tuple([i for i, p in enumerate(params) if p.kind in _OPERANDS or p.code in _HOLDING])
        _known_operands[params] = found
    return found


class Facts:
    """What one call does. `flags` names the arguments whose unknown value left the facts undecided.

    `ways` are then, where one value writes and another does not, the facts of each.

    `gradients` are the parameters that gradients flow to; `weight_saves` the saves of a module's own parameters.
    `autocast`: "lower" when autocast runs the op in 16 bits (what is saved is then a copy of a 32-bit argument), "fp32"
    when it runs it in 32 bits, "widest" when in the widest type of its arguments.
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
        #: the places of the parameters that tensors are given for
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
        """Whether somebody has said this of a function that torch does not have."""
        return self.key.startswith(DECLARED)

    def argument(self, i: int) -> tuple[int, str]:
        """Where in a call the argument for a parameter stands, and the parameter's name."""
        return i - (self.key == DECLARED_METHOD), self.params[i].name

    def __repr__(self) -> str:
        return f"Facts({self.key}, saves={self.saves}, writes={self.writes}, returns={self.returns})"


def parse_default(text: str) -> Const | None:
    """`N`, `T`, `F`, a number or a word; `?` is a default that is not plain."""
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
    """`self:t other:t * alpha:n=1`; `opts` stands for the options of a factory."""
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
    """The Facts of one behaviour text, its names resolved against the parameters."""
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
