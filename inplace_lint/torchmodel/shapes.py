"""Computes shapes: groups ops and modules by how the axes of the result follow from the operands' axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Sizes = tuple[int | None, ...]

#: Elementwise ops, as torch tags them: results are laid out like operands. `tests/torchmodel/test_layout.py` checks.
POINTWISE = frozenset(
    """
    abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and bitwise_left_shift
    bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min clip clone
    conj_physical copysign cos cosh deg2rad digamma div elu eq erf erfc erfinv exp exp2 expm1 float_power floor
    fmax fmin fmod frac frexp gcd ge gelu gt hardshrink hardsigmoid hardtanh heaviside hypot i0 igamma igammac
    isfinite isinf isnan isneginf isposinf lcm ldexp le leaky_relu lerp lgamma log log10 log1p log2 logaddexp
    logaddexp2 logical_and logical_not logical_or logical_xor logit lt masked_fill max maximum min minimum mish
    mul mvlgamma nan_to_num ne neg nextafter polygamma positive pow rad2deg reciprocal relu relu6 remainder round
    rsqrt rsub selu sgn sigmoid sign signbit silu sin sinc sinh softplus softshrink special_airy_ai
    special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_entr
    special_erfcx special_hermite_polynomial_h special_hermite_polynomial_he special_i0e special_i1 special_i1e
    special_laguerre_polynomial_l special_legendre_polynomial_p special_log_ndtr special_modified_bessel_i0
    special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_ndtri
    special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_shifted_chebyshev_polynomial_t
    special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v
    special_shifted_chebyshev_polynomial_w special_spherical_bessel_j0 special_xlog1py special_zeta sqrt square
    sub tan tanh threshold true_divide trunc where xlogy
    """.split()
)

#: By group, its ops and modules. `tests/torchmodel/test_shapes.py` compares them with torch.
_GROUPS = {
    # the shape of the first tensor
    "same": """
        hardswish softsign log_sigmoid logsigmoid tanhshrink dropout dropout1d dropout2d dropout3d alpha_dropout
        feature_alpha_dropout feature_dropout softmax log_softmax softmin gumbel_softmax cumsum cumprod logcumsumexp
        cummax cummin flip fliplr flipud roll normalize layer_norm rms_norm group_norm instance_norm batch_norm
        local_response_norm sort argsort msort tril triu index_add index_fill index_copy scatter scatter_add
        scatter_reduce index_put masked_scatter rrelu prelu renorm zeros_like ones_like empty_like full_like rand_like
        randn_like randint_like float double half bfloat16 int long bool to type_as cpu cuda contiguous detach fill
        ReLU ReLU6 GELU SiLU Sigmoid Tanh Softplus Softsign LeakyReLU ELU CELU SELU Mish Hardtanh Hardswish Hardsigmoid
        Hardshrink Softshrink Tanhshrink LogSigmoid Threshold PReLU RReLU Softmax LogSoftmax Softmin Dropout Dropout1d
        Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout LayerNorm RMSNorm GroupNorm BatchNorm1d BatchNorm2d
        BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d SyncBatchNorm LocalResponseNorm
    """,
    # as many axes as the first tensor
    "rank": """
        topk index_select gather conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d glu GLU
        avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d interpolate upsample
        Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d AvgPool1d AvgPool2d AvgPool3d
        MaxPool1d MaxPool2d MaxPool3d Upsample
    """,
    # without the axes that `dim` names; 0-d without `dim`
    "reduced": """
        sum mean prod amax amin norm std var logsumexp max min median nanmedian argmax argmin all any nansum nanmean
        count_nonzero linalg_vector_norm vector_norm
    """,
    # 0-d, unless `reduction` says otherwise
    "loss": """
        mse_loss l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits
        cross_entropy nll_loss
    """,
    "number": "dot vdot dist trace",
    "matrices": "mm addmm",
    "batches": "bmm baddbmm",
    "product": "matmul linalg_matmul",
    "rows": "linear Linear bilinear Bilinear",
    "distances": "cdist",
    "outer": "outer ger",
    "joined": "cat concat concatenate",
    "stacked": "stack",
    "looked up": "embedding Embedding",
    "equation": "einsum",
}
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names.split()}


def group_of(name: str) -> str:
    """The group of the op or module of this name; "elements" for elementwise ops, empty if unknown."""
    return _GROUP_OF.get(name) or ("elements" if name in POINTWISE else "")


def names(group: str) -> list[str]:
    """The names in a group."""
    return _GROUPS[group].split()


def broadcast(shapes: Sequence[Sizes]) -> Sizes:
    """The shape that these broadcast to; a None is an unknown length."""
    found: list[int | None] = []
    for axis in range(1, max((len(shape) for shape in shapes), default=0) + 1):
        sizes = {shape[-axis] for shape in shapes if axis <= len(shape)} - {1}
        lengths = sizes - {None}  # an unknown length is one of these, or 1
        found.append(1 if not sizes else lengths.pop() if len(lengths) == 1 else None)
    return tuple(reversed(found))


def product(left: Sizes, right: Sizes) -> Sizes:
    """The shape of `left @ right`."""
    rows = () if len(left) < 2 else left[-2:-1]
    columns = () if len(right) < 2 else right[-1:]
    return broadcast([left[:-2], right[:-2]]) + rows + columns


def reduced(sizes: Sizes, axes: Sequence[int] | None, keep: bool) -> Sizes | None:
    """The shape after reducing these axes, or all if None; None if an axis is out of range."""
    rank = len(sizes)
    if axes is None:
        gone = set(range(rank))
    elif all(-max(rank, 1) <= axis < max(rank, 1) for axis in axes):
        gone = {axis % max(rank, 1) for axis in axes}
    else:
        return None
    if keep:
        return tuple(1 if axis in gone else size for axis, size in enumerate(sizes))
    return tuple(size for axis, size in enumerate(sizes) if axis not in gone)


def of_equation(equation: str, operands: Sequence[Sizes | None]) -> Sizes | None:
    """The shape of an einsum's result; None if it is not known."""
    terms, arrow, result = equation.replace(" ", "").partition("->")
    parts = terms.split(",")
    if not arrow or len(parts) != len(operands):
        return None
    known: dict[str, int | None] = {}
    rest: list[Sizes] = []
    for part, sizes in zip(parts, operands):
        before, dots, after = part.partition("...")
        if sizes is None:
            if dots and "..." in result:
                return None
            continue
        middle = len(sizes) - len(before) - len(after)
        if middle < 0 or (middle and not dots):
            return None
        known.update(zip(before, sizes))
        known.update(zip(after, sizes[len(before) + middle :]))
        if dots:
            rest.append(sizes[len(before) : len(before) + middle])
    before, dots, after = result.partition("...")
    middle_sizes = broadcast(rest) if dots else ()
    return tuple(known.get(name) for name in before) + middle_sizes + tuple(known.get(name) for name in after)
