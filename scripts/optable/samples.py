"""Sample calls: PyTorch's own OpInfo samples, and a few by hand for what OpInfo does not have."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo

# Of an op with more samples, every second or third will do.
MOST = 1000


@dataclass
class Sample:
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def generate(info: OpInfo, dtype: torch.dtype = torch.float32) -> Iterator[Sample]:
    """The sample inputs of one OpInfo on the CPU, seeded; none where the dtype is not supported."""
    torch.manual_seed(0)
    import random

    import numpy

    random.seed(0)
    numpy.random.seed(0)
    try:
        samples = list(info.sample_inputs("cpu", dtype, requires_grad=False))
    except Exception:
        return
    for sample in samples:
        yield Sample((sample.input, *sample.args), dict(sample.kwargs))


@functools.cache
def by_name() -> dict[str, list[OpInfo]]:
    """Public dotted name or method name -> the OpInfos whose samples fit it."""
    found: dict[str, list[OpInfo]] = defaultdict(list)
    for info in op_db:
        names = {info.name, *(alias.name for alias in info.aliases)}
        for name in names:
            for spelled in (name, name.replace(".", "_"), name.rpartition(".")[2]):
                if info not in found[spelled]:
                    found[spelled].append(info)
    return found


@functools.cache
def of_info(index: int) -> tuple[Sample, ...]:
    info = op_db[index]
    dtype = torch.float32 if torch.float32 in info.supported_dtypes("cpu") else default_dtype(info)
    return tuple(generate(info, dtype))


def default_dtype(info: OpInfo) -> torch.dtype:
    supported = info.supported_dtypes("cpu")
    for dtype in (torch.float64, torch.int64, torch.bool, torch.complex64):
        if dtype in supported:
            return dtype
    return torch.float32


_index = {id(info): i for i, info in enumerate(op_db)}


def for_name(name: str) -> list[Sample]:
    """The samples for a dotted name, most exact match first."""
    infos = by_name()
    short = name.removeprefix("torch.")
    for key in (short, short.replace(".", "_"), short.rpartition(".")[2]):
        base = key.removesuffix("_") if not key.startswith("_") else key
        for candidate in (key, base, f"__{base.strip('_')}__"):
            if candidate in infos:
                whole = [i for i in infos[candidate] if torch.float32 in i.supported_dtypes("cpu")] or infos[
                    candidate
                ]
                found = [sample for info in whole for sample in of_info(_index[id(info)])]
                return by_hand(name) + found[:: 1 + len(found) // MOST]
    return by_hand(name)


def t(*shape: int) -> torch.Tensor:
    return torch.rand(*shape, dtype=torch.float32) + 0.1


def by_hand(name: str) -> list[Sample]:
    torch.manual_seed(0)
    short = name.rpartition(".")[2]
    made = BY_HAND.get(name) or BY_HAND.get(short)
    return [Sample(tuple(args), kwargs) for args, kwargs in made()] if made else []


Calls = list[tuple[tuple[Any, ...], dict[str, Any]]]


def unary() -> Calls:
    return [((t(3, 4),), {}), ((t(5),), {})]


def binary() -> Calls:
    return [((t(3, 4), t(3, 4)), {}), ((t(3, 4), 2.5), {})]


def spatial(dims: int) -> Calls:
    return [((t(2, 4, *([6] * dims)),), {})]


def reshaping(*args: Any) -> Any:
    """Contiguous, and transposed so that a copy has to be made."""
    return lambda: [((t(4, 6), *args), {}), ((t(6, 4).t(), *args), {})]


BY_HAND: dict[str, Any] = {
    "reshape": reshaping((24,)),
    "flatten": lambda: [((t(2, 3, 4),), {}), ((t(2, 3, 4).transpose(0, 2),), {}), ((t(3),), {})],
    "ravel": reshaping(),
    "contiguous": reshaping(),
    "reshape_as": lambda: [((t(4, 6), t(24)), {}), ((t(6, 4).t(), t(24)), {})],
    "dropout_": lambda: [((t(3, 4), 0.5, True), {}), ((t(3, 4), 0.5, False), {})],
    "alpha_dropout_": lambda: [((t(3, 4), 0.5, True), {}), ((t(3, 4), 0.5, False), {})],
    "feature_dropout_": lambda: [((t(3, 4, 5), 0.5, True), {}), ((t(3, 4, 5), 0.5, False), {})],
    "feature_alpha_dropout_": lambda: [((t(3, 4, 5), 0.5, True), {}), ((t(3, 4, 5), 0.5, False), {})],
    "dropout": lambda: [((t(3, 4), p, train), {}) for p in (0.5, 0.0, 1.0) for train in (True, False)],
    "alpha_dropout": lambda: [((t(3, 4), p, train), {}) for p in (0.5, 0.0) for train in (True, False)],
    "feature_alpha_dropout": lambda: [
        ((t(3, 4, 5), p, train), {}) for p in (0.5, 0.0) for train in (True, False)
    ],
    "feature_dropout": lambda: [((t(3, 4, 5), p, train), {}) for p in (0.5, 0.0) for train in (True, False)],
    "native_dropout": lambda: [((t(3, 4), 0.5, train), {}) for train in (True, False)],
    "einsum": lambda: [
        (("ij,jk->ik", t(3, 4), t(4, 5)), {}),
        (("bij,bjk->bik", t(2, 3, 4), t(2, 4, 5)), {}),
        (("bhid,bhjd->bhij", t(2, 2, 3, 4), t(2, 2, 5, 4)), {}),
        (("i,i->i", t(3), t(3)), {}),
        (("bi,bj->bij", t(2, 3), t(2, 4)), {}),
        (("ij->ji", t(3, 4)), {}),
        (("ij->i", t(3, 4)), {}),
        (("bnd,d->bn", t(2, 3, 4), t(4)), {}),
    ],
    "rrelu_": lambda: [((t(3, 4) - 0.5,), {"training": flag}) for flag in (True, False)],
    "type_as": lambda: [((t(3), t(4)), {}), ((t(3), t(4).double()), {})],
    "expand_as": lambda: [((t(3, 1), t(3, 4)), {})],
    "celu_": unary,
    "log_sigmoid": unary,
    "prelu": lambda: [((t(3, 4) - 0.5, t(1)), {}), ((t(3, 4) - 0.5, t(4)), {})],
    "clip_": lambda: [((t(3, 4), 0.2, 0.6), {}), ((t(3, 4), t(3, 4), t(3, 4)), {})],
    "relu6": unary,
    "gumbel_softmax": lambda: [((t(3, 4),), {"hard": hard}) for hard in (True, False)],
    "scaled_dot_product_attention": lambda: [
        ((t(2, 2, 8, 16), t(2, 2, 8, 16), t(2, 2, 8, 16)), kwargs)
        for kwargs in ({}, {"is_causal": True}, {"attn_mask": t(8, 8)}, {"dropout_p": 0.5})
    ],
    "multi_head_attention_forward": lambda: [
        (
            (
                t(5, 2, 8),
                t(5, 2, 8),
                t(5, 2, 8),
                8,
                2,
                t(24, 8),
                t(24),
                None,
                None,
                False,
                0.0,
                t(8, 8),
                t(8),
            ),
            {"training": True, "need_weights": need},
        )
        for need in (True, False)
    ],
    "swapaxes_": lambda: [((t(3, 4), 0, 1), {})],
    "swapdims_": lambda: [((t(3, 4), 0, 1), {})],
    "moveaxis": lambda: [((t(3, 4), 0, 1), {})],
    "uniform_": unary,
    "normal_": unary,
    "trunc_normal_": unary,
    "constant_": lambda: [((t(3, 4), 0.5), {})],
    "ones_": unary,
    "zeros_": unary,
    "eye_": unary,
    "dirac_": lambda: [((t(3, 3, 3),), {})],
    "xavier_uniform_": lambda: [((t(3, 4),), {})],
    "xavier_normal_": lambda: [((t(3, 4),), {})],
    "kaiming_uniform_": lambda: [((t(3, 4),), {})],
    "kaiming_normal_": lambda: [((t(3, 4),), {})],
    "orthogonal_": lambda: [((t(3, 4),), {})],
    "sparse_": lambda: [((t(3, 4), 0.5), {})],
    "unflatten": lambda: [((t(2, 6), 1, (2, 3)), {})],
    "rnn_tanh_cell": lambda: [((t(2, 3), t(2, 4), t(4, 3), t(4, 4), t(4), t(4)), {})],
    "rnn_relu_cell": lambda: [((t(2, 3), t(2, 4), t(4, 3), t(4, 4), t(4), t(4)), {})],
    "gru_cell": lambda: [((t(2, 3), t(2, 4), t(12, 3), t(12, 4), t(12), t(12)), {})],
    "lstm_cell": lambda: [((t(2, 3), [t(2, 4), t(2, 4)], t(16, 3), t(16, 4), t(16), t(16)), {})],
    "pixel_shuffle": lambda: [((t(1, 4, 3, 3), 2), {})],
    "affine_grid": lambda: [((t(1, 2, 3), [1, 1, 4, 4]), {})],
    "fold": lambda: [((t(1, 12, 12), (4, 5), (2, 2)), {})],
    "silu": lambda: [((t(3, 4),), {"inplace": flag}) for flag in (True, False)],
    "take_along_dim": lambda: [((t(3, 4), torch.zeros(3, 4, dtype=torch.int64), 1), {})],
    "embedding": lambda: [
        ((torch.tensor([[0, 2], [1, 1]]), t(4, 3)), {}),
        ((torch.tensor([[0, 2], [1, 1]]), t(4, 3)), {"padding_idx": 1}),
        ((torch.tensor([[0, 2], [1, 1]]), t(4, 3) * 9), {"max_norm": 1.0}),
    ],
    "torch.embedding": lambda: [((t(4, 3), torch.tensor([[0, 2], [1, 1]])), {})],
    "torch.batch_norm": lambda: [
        ((t(3, 4, 5), t(4), t(4), t(4), t(4), train, 0.1, 1e-5, False), {}) for train in (True, False)
    ],
    "torch.instance_norm": lambda: [((t(3, 4, 5), t(4), t(4), t(4), t(4), True, 0.1, 1e-5, False), {})],
    "cross_entropy": lambda: [
        ((t(3, 4), torch.tensor([0, 1, 3])), {}),
        ((t(3, 4), torch.tensor([0, 1, 3])), {"weight": t(4)}),
    ],
    "conv1d": lambda: [
        ((t(1, 2, 9), t(4, 2, 3)), {"padding": "same"}),
        ((t(1, 2, 9), t(4, 2, 2)), {"padding": "same"}),
    ],
    "conv2d": lambda: [((t(1, 2, 9, 9), t(4, 2, 3, 3)), {"padding": "same"})],
    "adaptive_avg_pool2d": lambda: [((t(1, 2, 6, 6), size), {}) for size in (1, 2)],
    "adaptive_avg_pool3d": lambda: [((t(1, 2, 6, 6, 6), size), {}) for size in (1, 2)],
    "dropout1d": lambda: [
        ((t(3, 4, 5), p), {"training": train}) for p in (0.5, 0.0) for train in (True, False)
    ],
    "lp_pool1d": lambda: [((t(2, 4, 8), p, 2), {}) for p in (2.0, 1.0)],
    "lp_pool2d": lambda: [((t(2, 4, 8, 8), p, 2), {}) for p in (2.0, 1.0)],
    "lp_pool3d": lambda: [((t(2, 4, 6, 6, 6), p, 2), {}) for p in (2.0, 1.0)],
    "soft_margin_loss": lambda: [((t(3, 4), t(3, 4)), {})],
    "upsample": lambda: [((t(1, 2, 4, 4),), {"scale_factor": 2})],
    "fractional_max_pool2d": lambda: [((t(1, 2, 6, 6), 2), {"output_size": 3})],
    "fractional_max_pool3d": lambda: [((t(1, 2, 6, 6, 6), 2), {"output_size": 3})],
    "chain_matmul": lambda: [((t(3, 4), t(4, 5)), {})],
    "float_power_": lambda: [((t(3, 4).double(), 2.0), {}), ((t(3, 4).double(), t(3, 4).double()), {})],
    "fill_diagonal_": lambda: [((t(3, 3), 0.5), {})],
    "tensor_split": lambda: [((t(6, 4), 2), {}), ((t(6, 4), 3), {})],
    "kl_div": lambda: [((t(3, 4), t(3, 4)), {}), ((t(3, 4), t(3, 4)), {"log_target": True})],
    "constant": lambda: [((t(3, 4), 0.5), {})],
}

# Parameters of functions written in Python that decide, tried with both values in every sample.
TWO_WAYS = ("inplace", "training")
