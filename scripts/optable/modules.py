"""Observes the modules of `torch.nn`, in training and evaluation, over their constructor's configurations."""

from __future__ import annotations

import copy
import inspect
import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.testing._internal.common_modules import module_db

from scripts.optable import aten, learn, names
from scripts.optable.composites import ordinary_values
from scripts.optable.observe import Observation, Uncallable, observe
from scripts.optable.samples import t

Made = tuple[tuple[Any, ...], dict[str, Any], tuple[Any, ...], dict[str, Any]]
"""Constructor arguments, and the call's."""

# On CUDA these modules run as one kernel, which saves more than the ops that they run as on the CPU.
CUDA_KERNELS = {"GRU": "_cudnn_rnn", "LSTM": "_cudnn_rnn", "RNN": "_cudnn_rnn"}

# Samples of one class, from PyTorch's own.
MOST = 20

IGNORED = ("device", "dtype")
UNINITIALIZED = (nn.UninitializedParameter, nn.UninitializedBuffer)
#: Modules that run on a GPU alone in training, and the one whose facts they have.
LIKE = {"SyncBatchNorm": "BatchNorm2d"}
TWO_WAYS = ("inplace", "bias", "affine", "elementwise_affine", "track_running_stats")


def from_database() -> Iterator[tuple[str, Made, bool]]:
    for info in module_db:
        name = info.name.removeprefix("nn.")
        for training in (True, False):
            torch.manual_seed(0)
            try:
                inputs = info.module_inputs_func(info, "cpu", torch.float32, False, training)
            except Exception:
                continue
            for one in inputs[:: 1 + len(inputs) // MOST]:
                if one.forward_input is None:
                    continue
                built, called = one.constructor_input, one.forward_input
                yield (
                    name,
                    (tuple(built.args), dict(built.kwargs), tuple(called.args), dict(called.kwargs)),
                    training,
                )


def image() -> torch.Tensor:
    return t(2, 4, 6, 6)


def by_hand() -> dict[str, list[Made]]:
    row = t(3, 4) - 0.4
    found: dict[str, list[Made]] = {
        name: [((), {}, (row,), {})]
        for name in (
            *(
                "ReLU",
                "LeakyReLU",
                "ELU",
                "SELU",
                "CELU",
                "ReLU6",
                "SiLU",
                "Mish",
                "Hardswish",
                "Hardsigmoid",
            ),
            *(
                "Hardtanh",
                "RReLU",
                "Identity",
                "LogSigmoid",
                "Softsign",
                "Tanhshrink",
                "Softmin",
                "GELU",
                "Sigmoid",
                "Tanh",
            ),
        )
    }
    found |= {name: [((p,), {}, (row,), {}) for p in (0.5, 0.0)] for name in ("Dropout", "AlphaDropout")}
    found |= {"FeatureAlphaDropout": [((p,), {}, (t(3, 4, 5),), {}) for p in (0.5, 0.0)]}
    for d in (1, 2, 3):
        spatial = t(2, 4, *([6] * d))
        found[f"Dropout{d}d"] = [((p,), {}, (spatial,), {}) for p in (0.5, 0.0)]
        found[f"InstanceNorm{d}d"] = [
            ((4,), {"affine": a, "track_running_stats": s}, (spatial,), {})
            for a in (True, False)
            for s in (True, False)
        ]
        found[f"BatchNorm{d}d"] = [
            ((4,), {"affine": a, "track_running_stats": s}, (spatial,), {})
            for a in (True, False)
            for s in (True, False)
        ]
        for kind in ("BatchNorm", "InstanceNorm"):
            found[f"Lazy{kind}{d}d"] = [
                ((), {"affine": a, "track_running_stats": s}, (spatial,), {})
                for a in (True, False)
                for s in (True, False)
            ]
        found[f"Conv{d}d"] = [
            ((4, 3, 3), kwargs, (spatial,), {}) for kwargs in ({}, {"padding": 1}, {"bias": False})
        ]
        found[f"ConvTranspose{d}d"] = [
            ((4, 3, 3), kwargs, (spatial,), {}) for kwargs in ({}, {"bias": False})
        ]
        found[f"MaxUnpool{d}d"] = [
            ((2,), {}, (t(2, 4, *([3] * d)), torch.zeros(2, 4, *([3] * d), dtype=torch.int64)), {})
        ]
    found |= {
        "Threshold": [((0.1, 0.2), {}, (row,), {})],
        "Softmax": [((1,), {}, (row,), {})],
        "LogSoftmax": [((1,), {}, (row,), {})],
        "Flatten": [((), {}, (t(2, 3, 4),), {}), ((), {}, (t(2, 4, 3).transpose(1, 2),), {})],
        "Unflatten": [((1, (2, 2)), {}, (row,), {})],
        "PixelShuffle": [((2,), {}, (image(),), {})],
        "PixelUnshuffle": [((2,), {}, (image(),), {})],
        "ChannelShuffle": [((2,), {}, (image(),), {})],
        "Upsample": [
            ((), {"scale_factor": 2, "mode": mode}, (image(),), {}) for mode in ("nearest", "bilinear")
        ],
        "UpsamplingNearest2d": [((), {"scale_factor": 2}, (image(),), {})],
        "UpsamplingBilinear2d": [((), {"scale_factor": 2}, (image(),), {})],
        "ZeroPad2d": [((1,), {}, (image(),), {})],
        "Fold": [(((4, 5), (2, 2)), {}, (t(1, 12, 12),), {})],
        "Unfold": [(((2, 2),), {}, (image(),), {})],
        "CosineSimilarity": [((), {}, (t(3, 4), t(3, 4)), {})],
        "PairwiseDistance": [((), {}, (t(3, 4), t(3, 4)), {})],
        "TripletMarginLoss": [((), {}, (t(3, 4), t(3, 4), t(3, 4)), {})],
        "EmbeddingBag": [
            ((5, 3), {"mode": mode}, (torch.tensor([[0, 2], [1, 1]]),), {}) for mode in ("sum", "mean", "max")
        ],
        "Embedding": [
            ((5, 3), kwargs, (torch.tensor([[0, 2], [1, 1]]),), {})
            for kwargs in ({}, {"padding_idx": 0}, {"max_norm": 0.1})
        ],
        "Linear": [((4, 2), kwargs, (x,), {}) for kwargs in ({}, {"bias": False}) for x in (row, t(2, 3, 4))],
        "LazyLinear": [
            ((2,), kwargs, (x,), {}) for kwargs in ({}, {"bias": False}) for x in (row, t(2, 3, 4))
        ],
        "FractionalMaxPool2d": [((2,), {"output_ratio": 0.5}, (image(),), {})],
        "FractionalMaxPool3d": [((2,), {"output_ratio": 0.5}, (t(2, 4, 6, 6, 6),), {})],
        "CrossMapLRN2d": [((2,), {}, (image(),), {})],
        "TripletMarginWithDistanceLoss": [((), {}, (t(3, 4), t(3, 4), t(3, 4)), {})],
        "AdaptiveLogSoftmaxWithLoss": [((4, 5, [2]), {}, (row, torch.tensor([0, 1, 3])), {})],
        "TransformerDecoder": [
            ((nn.TransformerDecoderLayer(4, 2, 4, dropout=p), n), {}, (t(5, 2, 4), t(3, 2, 4)), {})
            for p in (0.1, 0.0)
            for n in (1, 2)
        ],
        "Bilinear": [((4, 4, 2), {}, (t(3, 4), t(3, 4)), {})],
        "LayerNorm": [((4,), {"elementwise_affine": a}, (row,), {}) for a in (True, False)],
        "GroupNorm": [((2, 4), {"affine": a}, (image(),), {}) for a in (True, False)],
        "PReLU": [((), {}, (row,), {})],
        "GLU": [((), {}, (row,), {})],
        "MultiheadAttention": [
            ((8, 2), {}, (t(5, 2, 8),) * 3, {"need_weights": need}) for need in (True, False)
        ],
        "LSTM": [
            ((4, 4), {"num_layers": n}, (t(5, 2, 4), *state), {})
            for n in (1, 2)
            for state in ((), ((t(n, 2, 4), t(n, 2, 4)),))
        ],
        "GRU": [((4, 4), {"num_layers": n}, (t(5, 2, 4),), {}) for n in (1, 2)],
        "RNN": [
            ((4, 4), {"num_layers": n}, (t(5, 2, 4), *state), {})
            for n in (1, 2)
            for state in ((), (t(n, 2, 4),))
        ],
        "CrossEntropyLoss": [((), {}, (t(3, 4), torch.tensor([0, 1, 3])), {})],
        "NLLLoss": [((), {}, (t(3, 4), torch.tensor([0, 1, 3])), {})],
    }
    return found


def configurations(made: Made, signature: inspect.Signature) -> Iterator[Made]:
    """The sample, and every combination of its two-way flags that it does not set itself."""
    yield made
    args, kwargs, call, call_kwargs = made
    taken = set(list(signature.parameters)[: len(args)]) | set(kwargs)
    flags = [f for f in TWO_WAYS if f in signature.parameters and f not in taken]
    for values in itertools.product((True, False), repeat=len(flags)):
        yield args, {**kwargs, **dict(zip(flags, values, strict=False))}, call, call_kwargs


def observe_modules() -> dict[str, list[str]]:
    """Class name -> [constructor's parameters, forward's, when it has weights, behaviour|condition, ...]."""
    given: dict[str, list[tuple[Made, bool]]] = defaultdict(list)
    for name, samples in by_hand().items():
        given[name].extend((made, training) for made in samples for training in (True, False))
    for name, made, training in from_database():
        given[name].append((made, training))
    found = {name: rows for name in sorted(given) if (rows := module_rows(getattr(nn, name), given[name]))}
    found |= {name: found[like] for name, like in LIKE.items()}
    for name, kernel in CUDA_KERNELS.items():
        extra = cuda_saves(kernel, found[name][1])
        found[name][3:] = [f"{extra} {text}" for text in found[name][3:]]
    return found


def cuda_saves(kernel: str, forward: str) -> str:
    """What the module's CUDA kernel saves of its arguments and results, from the kernel's own formula."""
    functions, _ = aten.functions_with_info()
    (fn,) = [fn for fn in functions if str(fn.func.func.name) == kernel]
    act = aten.formula_act(fn.func, aten.default_info(fn))
    node, _, inner = act.partition(")")[0].partition("(")
    params = {p.partition(":")[0] for p in forward.split()}
    kept = []
    for item in inner.split(","):
        attr, _, target = item.partition("?")[0].partition("=")
        if (target or attr) in params or target == "r0":
            kept.append(f"{item.partition('?')[0]}@cuda")
    return f"{node}({','.join(kept)})"


def module_rows(kind: type[nn.Module], given: list[tuple[Made, bool]]) -> list[str] | None:
    built = inspect.signature(kind)
    forward = names.python_params(kind.forward)
    if forward is None:
        return None
    forward = [p for p in forward if not p.startswith("self:")]
    seen: list[Observation] = []
    weights: list[Observation] = []
    for made, training in given:
        for one in configurations(made, built):
            found = observe_module(kind, built, one, training, [p.partition(":")[0] for p in forward])
            if found is not None:
                seen.append(found[0])
                weights.append(found[1])
    if not seen:
        return None
    seen_tensors = {name: code for one in seen for name, code in one.present.items()}
    forward = [retyped(p, seen_tensors) for p in forward]
    defaults = {
        p.name: p.default for p in built.parameters.values() if p.default is not inspect.Parameter.empty
    }
    rows = learn.rows_of(seen, defaults)
    owning = [(b, c) for b, c in learn.rows_of(weights, defaults)]
    condition = ""
    if len(owning) == 1:
        condition = "1" if "weight*" in owning[0][0] else ""
    else:
        condition = next((c for b, c in owning if "w:weight*" in b), "1")
    tested = {
        test.replace("!=", "==").partition("==")[0]
        for _, c in [*rows, ("", condition)]
        for test in c.split("&")
    }
    constructor = [
        constructor_param(p)
        for p in built.parameters.values()
        if p.name not in IGNORED and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    while constructor and constructor[-1].partition(":")[0] not in tested:
        constructor.pop()
    return [" ".join(constructor), " ".join(forward), condition, *(f"{b}|{c}" if c else b for b, c in rows)]


def retyped(param: str, seen: dict[str, str]) -> str:
    name, _, rest = param.partition(":")
    if name in seen:
        _code, has, default = rest.partition("=")
        return f"{name}:{'t' if seen[name] == 'T' else 'tl'}{has}{default}"
    return param


def constructor_param(parameter: inspect.Parameter) -> str:
    default = (
        "" if parameter.default is inspect.Parameter.empty else "=" + names.default_text(parameter.default)
    )
    return f"{parameter.name}:{'b' if isinstance(parameter.default, bool) else 'x'}{default}"


def observe_module(
    kind: type[nn.Module], built: inspect.Signature, made: Made, training: bool, forward: list[str]
) -> tuple[Observation, Observation] | None:
    args, kwargs, call_args, call_kwargs = made
    torch.manual_seed(0)
    try:
        module = kind(*args, **kwargs).train(training)
        if any(isinstance(one, UNINITIALIZED) for one in (*module.parameters(), *module.buffers())):
            module(*call_args, **call_kwargs)
        constructor = built.bind(*args, **kwargs).arguments
    except Exception:
        return None
    bound: dict[str, Any] = {**dict(zip(forward, call_args, strict=False)), **call_kwargs}
    if not ordinary_values(bound.values()):
        return None
    owned = [(name, p) for name, p in module.named_parameters()]
    if owned:
        bound["weight*"] = [p for _, p in owned]

    def call(new: dict[str, Any]) -> Any:
        mine = copy.deepcopy(module)
        values = dict(new)
        for (name, _), tensor in zip(owned, values.pop("weight*", []), strict=False):
            parent, _, leaf = name.rpartition(".")
            holder = mine.get_submodule(parent)
            del holder._parameters[leaf]
            object.__setattr__(holder, leaf, tensor)
        return forward_of(mine)(**values)

    try:
        one = observe(bound, call)
    except Uncallable:
        return None
    one.returns = tuple(
        ("new", "", g, d) if of == "weight*" else (k, of, g, d) for k, of, g, d in one.returns
    )
    one.consts = {k: v for k, v in one.consts.items() if k in forward}
    clean = {
        k: (v if isinstance(v, (bool, int, float, str, type(None))) else "?object")
        for k, v in constructor.items()
    }
    one.consts |= {**clean, "training": training}
    owner = Observation(
        consts=one.consts, writes=("weight*",) if owned else (), returns=(("other", "", False, "?"),)
    )
    return one, owner


def forward_of(module: nn.Module) -> Any:
    if isinstance(module, nn.RNNBase):
        module._flat_weights = [getattr(module, name) for name in module._flat_weights_names]
    return module
