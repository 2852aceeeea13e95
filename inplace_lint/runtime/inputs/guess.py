"""Makes the first guess of a target's arguments: from parameter names, annotations, shape code and the first layer."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn

from .values import Dim, Spec, put

#: The default width: divisible by 2, 3, 4, 6, 8, 12, 16 and 32, and different from any batch, length or side.
WIDTH = 96
#: The side of a feature map: 8 x 8 places equal the default length S = 64.
SIDE = 8
IMAGE = 32

EMPTY = inspect.Parameter.empty
_NAMED = (
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
    inspect.Parameter.POSITIONAL_ONLY,
)


@dataclass(frozen=True, slots=True)
class Guess:
    """Guessed values for the constructor and for the call, by parameter name.

    Values in objects and dicts have names such as `config.width` (see `values.flat`).
    """

    constructor: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def key(self) -> str:
        """A text that is equal for equal guesses."""
        return repr((sorted(self.constructor.items(), key=str), sorted(self.arguments.items(), key=str)))

    def giving(self, **values: Any) -> Guess:
        """Returns the guess with these arguments of the call."""
        return replace(self, arguments=_with(self.arguments, values))

    def building(self, **values: Any) -> Guess:
        """Returns the guess with these arguments of the constructor."""
        return replace(self, constructor=_with(self.constructor, values))


def _with(known: Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, value in values.items():
        known = put(known, name, value)
    return known


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Returns a callable's named parameters, without `*args` and `**kwargs`."""
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    return {name: one for name, one in found.items() if one.kind in _NAMED}


#: Typical values by parameter name, first match first. Names only choose inputs here, never findings.
_MEANINGS: tuple[tuple[str, Any], ...] = (
    (r"drop|prob|(^|_)p$|eps|rate", 0.0),
    (r"^(is|use|has|with|no|return)_|bias$|causal|shift$", False),
    (r"(dim_?heads?|head_?dim|key_dim|qk_dim|value_dim|d_?head|dim_key|dim_value)s?$", 16),
    (r"heads?$|n_?head", 4),
    (r"mlp_dim|hidden|inner|ff_dim|intermediate", 2 * WIDTH),
    (r"depth|layers?$|blocks?$|reps|iters|repeat|num_layers|levels", 1),
    (r"ratio|mult|expan|factor", 2),
    (r"image_size|img_size", IMAGE),
    (r"seq_len|max_len|block_size|num_patches|patches|length|context", 64),
    (r"patch|window|(^|_)ws$", 4),
    (r"kernel|(^|_)ks?$", 3),
    (r"stride|dilation|groups?$|index|layer_num|padding", 1),
    (r"(^|_)(h|w|height|width)(_|$)", SIDE),
    (r"resolution|feat_size|fmap|grid|input_size", (SIDE, SIDE)),
    (r"classes|vocab|num_tokens|embeddings", 10),
    (r"norm", nn.LayerNorm),
    (r"act(ivation)?(_|$)|nonlin", nn.GELU),
    (r"(^|_)(fn|func|module|layer|net|block|branch|attn|main|model)$", nn.Identity()),
    (r"channels?$|chs$|dims?$|planes|features|width|size$|inp$|oup$|inc$|d_model|dim", WIDTH),
    (r"scale|init_values?", 1.0),
    (r"^num_|^n_", 4),
)
_ANNOTATED: tuple[tuple[str, Any], ...] = (
    (r"\bbool\b", False),
    (r"\bfloat\b", 1.0),
    (r"(tuple|Tuple)\[int, ?int\]", (SIDE, SIDE)),
    (r"(list|List|Sequence|tuple|Tuple)\[int", (WIDTH, WIDTH)),
    (r"Type\[|type\[", nn.Identity),
    (r"Callable|Module", nn.Identity()),
)


def constructor_value(name: str, parameter: inspect.Parameter) -> Any:
    """Returns a value for a parameter of a constructor, or for a non-tensor parameter of a call."""
    hint = "" if parameter.annotation is EMPTY else str(parameter.annotation)
    named = next((value for pattern, value in _MEANINGS if re.search(pattern, name)), None)
    noted = next((value for pattern, value in _ANNOTATED if re.search(pattern, hint)), None)
    if noted is not None and (named is None or not isinstance(named, type(noted))):
        return noted
    if named is None or (re.search(r"\bint\b", hint) and not isinstance(named, (int, tuple))):
        return WIDTH
    return named


# --- the call


Layout = tuple[Dim, ...]


def layouts(width: int) -> dict[str, Layout]:
    """Returns the usual tensor layouts, the most frequent first."""
    return {
        "tokens": ("B", "S", width),
        "map": ("B", width, SIDE, SIDE),
        "map, channels last": ("B", SIDE, SIDE, width),
        "image": ("B", 3, IMAGE, IMAGE),
        "heads": ("B", 4, "S", 16),
        "vector": ("B", width),
        "sequence of channels": ("B", width, "S"),
        "volume": ("B", width, 4, SIDE, SIDE),
        "volume, channels last": ("B", 4, SIDE, SIDE, width),
        "groups of tokens": ("B", 4, 16, width),
        "rows": ("S", width),
    }


def argument(
    name: str, parameter: inspect.Parameter | None, words: Mapping[str, Layout], instance: Any
) -> Any:
    """Returns a value for one parameter of a call, by its annotation, its name, `words` and the first layer."""
    hint = "" if parameter is None or parameter.annotation is EMPTY else str(parameter.annotation)
    if hint and "Tensor" not in hint and re.search(r"int|bool|float|Tuple|tuple|List\[int", hint):
        assert parameter is not None
        return constructor_value(name, parameter)
    if re.search(r"mask", name):
        return Spec("bool", ("B", "S"))
    if "Tensor" not in hint and re.fullmatch(r"[HWhw]|height|width|size_[hw]", name):
        return SIDE
    if "Tensor" not in hint and re.search(r"(^|_)(sizes?|hw|shape|resolution|grid)$", name):
        return (SIDE, SIDE)
    if re.search(r"(^|_)(ids|indices|idx|index)$|^tokens?$", name) and words.get(name) is None:
        return Spec("i64", ("B", "S"), 10)
    if "Tensor" not in hint and re.search(r"(^|_)scale$", name) and words.get(name) is None:
        return 0.5
    dtype, layout = first_layer(instance)
    if re.fullmatch(r"(x?[qkv]|query|key|value|queries|keys|values)", name) and not layout:
        own = words.get(name, ())
        return Spec("f32", layouts(WIDTH)["tokens" if len(own) == 3 else "heads"])
    if dtype == "i64":
        return Spec(dtype, layout, 10)
    if name in words:
        width = next((size for size in reversed(layout) if isinstance(size, int)), WIDTH) if layout else WIDTH
        return Spec("f32", tuple(width if dim == WIDTH else dim for dim in words[name]))
    if re.search(r"^(img|image|pixel|video)", name) and not layout:
        return Spec("f32", layouts(WIDTH)["image"])
    return Spec("f32", layout or layouts(WIDTH)["tokens"])


def first_layer(instance: Any) -> tuple[str, Layout]:
    """Returns the dtype and layout that the first layer with a fixed size expects; an empty layout if none does."""
    for part in instance.modules() if isinstance(instance, nn.Module) else ():
        wanted = expected(part)
        if wanted is not None:
            return wanted
    return "f32", ()


def expected(part: nn.Module) -> tuple[str, Layout] | None:
    """Returns the dtype and layout that a torch layer expects, by its sizes; None for other modules."""
    if isinstance(part, nn.Embedding):
        return "i64", ("B", "S")
    if isinstance(part, nn.modules.conv._ConvNd):
        places = len(part.kernel_size)
        return "f32", ("B", part.in_channels, *(("S",) if places == 1 else (SIDE,) * places))
    if isinstance(part, nn.modules.batchnorm._BatchNorm):
        places = {"BatchNorm1d": 1, "BatchNorm3d": 3}.get(type(part).__name__, 2)
        return "f32", ("B", part.num_features, *(("S",) if places == 1 else (SIDE,) * places))
    if isinstance(part, nn.GroupNorm):
        return "f32", ("B", part.num_channels, SIDE, SIDE)
    if isinstance(part, nn.Linear):
        return "f32", ("B", "S", part.in_features)
    if isinstance(part, nn.MultiheadAttention):
        return "f32", ("B", "S", part.embed_dim)
    shape = getattr(part, "normalized_shape", None)
    if isinstance(shape, (tuple, list, torch.Size)) and shape:
        # A norm over axis 1 (channels first) shows that only by its name, such as LayerNorm2d.
        if "2d" in type(part).__name__.lower():
            return "f32", ("B", int(shape[-1]), SIDE, SIDE)
        return "f32", ("B", "S", int(shape[-1]))
    return None


_UNPACK = re.compile(
    r"^\s*([\w, *]+?)\s*=\s*(\*?)(\w+)\.(?:shape|size\(\))\s*((?:,.*)?)$",
    re.MULTILINE,
)
_EINOPS = re.compile(r"(?:rearrange|reduce|repeat)\(\s*(\w+)\s*,\s*['\"]([^'\"]+?)->")
_EINSUM = re.compile(r"einsum\(\s*['\"]([^'\"]+?)->[^'\"]*['\"]\s*,\s*([\w, ]+?)\)")


def shape_words(forward: Any) -> dict[str, Layout]:
    """Returns the layouts that a function's source spells out: `b, n, d = x.shape`, einops and einsum patterns."""
    try:
        source = inspect.getsource(forward)
    except (OSError, TypeError):
        return {}
    found: dict[str, Layout] = {}
    for names, star, variable, rest in _UNPACK.findall(source):
        words = [word.strip() for word in names.split(",") if word.strip()]
        # In `b, n, _, h = *x.shape, self.heads` the last names do not come from the shape.
        words = words[: len(words) - rest.count(",")] if star else words
        if star or not rest:
            found.setdefault(variable, _layout(words))
    for variable, pattern in _EINOPS.findall(source):
        found.setdefault(variable, _layout(list(_axes(pattern))))
    for equation, variables in _EINSUM.findall(source):
        for variable, pattern in zip(variables.split(","), equation.split(",")):
            words = pattern.split() if " " in pattern.strip() else list(pattern.strip())
            found.setdefault(variable.strip(), _layout([word for word in words if word != "."]))
    return {variable: layout for variable, layout in found.items() if layout}


def _axes(pattern: str) -> Iterator[str]:
    """Yields the axes on the left side of an einops pattern; a composed axis `(h d)` as one text."""
    yield from re.findall(r"\([^)]*\)|[^\s()]+", pattern.strip())


def _layout(words: list[str]) -> Layout:
    """Chooses a size for each axis by its name; empty if there are too few, too many or starred axes."""
    if not 1 < len(words) < 7 or any(word.startswith(("*", "...")) for word in words):
        return ()
    dims: list[Dim] = []
    several = sum(bool(re.fullmatch(r"[hwHWxy]|height|width|\(.*[hwxy].*\)", word)) for word in words) > 1
    for place, word in enumerate(words):
        plain = word.strip("_").lower()
        if place == 0 and (re.match(r"b|n$|batch", plain) or plain == ""):
            dims.append("B")
        elif re.match(r"^\(", word):
            dims.append(WIDTH if place == len(words) - 1 and not several else SIDE)
        elif re.match(r"^(h|w|x|y|height|width|p\d?|hh|ww|wh|ww)$", plain):
            dims.append(SIDE if several else 4)
        elif re.match(r"^(f|t|frames?)$", plain) and several:
            dims.append(4)
        elif plain in ("", "_"):
            dims.append(WIDTH if place == len(words) - 1 else "S" if place == 1 else SIDE)
        elif re.match(r"^(n|s|l|t|i|j|seq|len|q_?len|n\w|num\w*|tokens)", plain) and place:
            dims.append("S")
        elif re.match(r"^(c|d|e|f|dim|embed|chan|feat)", plain):
            dims.append(WIDTH if len(words) < 4 or several or "S" not in dims else 16)
        else:
            dims.append(SIDE)
    return tuple(dims)
