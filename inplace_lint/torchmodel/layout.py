"""Decides when an op aliases its input, and what a view does to the layout; by ATen name, each tested against torch.

`derivatives.yaml` says that `reshape` returns a view or a copy, but not when. The rules come from
`aten/src/ATen/native/TensorShape.cpp` and `TensorConversions.cpp`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .shapes import POINTWISE, group_of

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Returns its input (or a view of it) where the input is contiguous.
IF_CONTIGUOUS = frozenset(["reshape", "reshape_as", "flatten", "ravel", "contiguous"])

#: The result shares memory between its own elements.
EXPANDS = frozenset(["expand", "expand_as", "broadcast_to", "expand_copy"])

#: The view of a contiguous tensor is contiguous.
KEEPS_CONTIGUOUS = frozenset(
    [
        "view",
        "view_as",
        "_unsafe_view",
        "reshape",
        "reshape_as",
        "flatten",
        "unflatten",
        "ravel",
        "contiguous",
        "unsqueeze",
        "squeeze",
        "detach",
        "alias",
        "data",
        "requires_grad_",
    ]
)


#: Views with axes swapped, or strides of their own.
PERMUTES = frozenset(
    "transpose permute t T mT H mH numpy_T matrix_H adjoint swapaxes swapdims movedim moveaxis expand expand_as "
    "broadcast_to diagonal unfold as_strided".split()
)

#: What has at least one axis whatever it is called with.
HAS_AXES = frozenset("arange linspace randperm nonzero argwhere unique ravel flatten".split())

#: What has exactly one axis, unless an argument names an axis to go along.
ONE_AXIS = frozenset("arange linspace randperm unique ravel flatten masked_select bincount".split())

#: Views of all elements, with axes swapped.
SWAPS = frozenset("transpose t T mT H mH numpy_T matrix_H adjoint swapaxes swapdims".split())

#: Views with as many axes as their input.
KEEPS_AXES = SWAPS | frozenset("permute movedim moveaxis detach alias data requires_grad_ contiguous".split())

#: Saves its inputs, unless one of them has to be repeated for each batch of the other: then it saves a copy of that,
#: where they have more than a few rows.
REPEATS_BATCHES = frozenset(["cdist"])
FEW_ROWS = 25

#: Views whose arguments name every axis.
NAMES_AXES = frozenset("permute view reshape expand broadcast_to".split())

#: Views of a part of the input along one axis.
ALONG_AXIS = frozenset("select narrow unbind split chunk tensor_split split_with_sizes".split())

#: Views in as many parts as the first argument says: a number, or one size for each part. (`chunk` gives fewer where
#: the axis is too short for that; code that says a number takes it for granted.)
SAYS_HOW_MANY = frozenset("chunk tensor_split split split_with_sizes".split())

#: The result is contiguous however the operands are laid out.
MAKES_CONTIGUOUS = frozenset("matmul mm bmm addmm baddbmm linear Linear stack".split())

#: Always a view, although observation also saw its input come back whole.
ALWAYS_VIEW = frozenset(["narrow"])

#: Factories of the default dtype, unless they are told another.
DEFAULT_DTYPE = frozenset(["rand", "randn", "zeros", "ones", "empty", "eye", "linspace", "logspace"])

#: Conversions to a fixed dtype: they return their input where it has that dtype already.
TO_DTYPE = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int": "int",
    "long": "int",
    "bool": "bool",
}

#: Conversions to what an argument says.
TO_ARGUMENT = frozenset(["to", "type_as", "type"])


#: Conversions to a device.
TO_DEVICE = frozenset(["cpu", "cuda", "xpu", "npu", "mps", "to"])


#: Returns the same tensor, and not a view of it, where that is contiguous.
SAME_IF_CONTIGUOUS = frozenset(["contiguous"])

#: Views of which several elements may not lie side by side in the order of their axes. (Of a matrix turned round
#: with `t` it is known that it is one: what copies larger ones reads it as it is.)
SCATTERS = PERMUTES - {"t", "T", "numpy_T"}

#: Save a contiguous copy of an input of three or more axes that is not contiguous; all others save what they are given.
#: (`matmul` does where a batch axis was moved, and reads a matrix of each batch as it is.)
COPIES_STRIDED = frozenset(
    "linear bilinear matmul linalg_matmul einsum tensordot group_norm instance_norm pdist linear_cross_entropy "
    "scaled_dot_product_attention Linear Bilinear GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d "
    "MultiheadAttention LSTM GRU RNN".split()
)

#: Repeat their weights for each example, and save what they made of them.
COPIES_WEIGHTS = frozenset(["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"])

#: Composites whose last step is a view of what they computed: the result counts as a view.
ENDS_IN_VIEW = frozenset(
    ["instance_norm", "tensordot", "cov", "max_unpool1d", "adaptive_avg_pool1d", "avg_pool1d"]
)

#: Views whose version counters are their own: writing one is not seen by its base.
OWN_COUNTER = frozenset(["unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"])


#: Gives what is no tensor and shares the memory: a storage object, an array or a capsule.
EXPOSES = {
    "storage": "data",
    "untyped_storage": "data",
    "numpy": "shared",
    "__array__": "shared",
    "__dlpack__": "shared",
}

#: Raises where the tensor requires grad: a program that comes past it has none there.
REFUSES_GRAD = frozenset(["numpy"])

#: Counts truth values: one tensor of them, alone or with a number, gives a tensor of numbers.
COUNTS = frozenset(
    "sum nansum prod cumsum cumprod square add mul pow remainder floor_divide fmod clamp clamp_min clamp_max".split()
)

#: If the result is a tensor, it is the first operand that is one: the second is a number as a rule.
PROVES_FIRST = frozenset(["pow"])

#: Puts elements elsewhere, and computes nothing of them: done to indices and masks as well as to numbers.
MOVES_ELEMENTS = frozenset(
    "clone copy getitem setitem gather index_select masked_select masked_fill where cat stack take take_along_dim "
    "repeat repeat_interleave roll flip to contiguous fill zero index_put scatter masked_scatter index_copy".split()
)

#: Ops that ask one of their tensors for its shape, dtype or device, and not for its values.
ASKS_FOR_FORM = frozenset(
    "type_as view_as expand_as reshape_as zeros_like ones_like empty_like full_like rand_like randn_like randint_like "
    "new_zeros new_ones new_empty new_full new_tensor".split()
)

#: Nodes of composites that are given what the composite was given.
_KEEP_ITSELF = ("Convolution", "NativeLayerNorm", "NativeGroupNorm", "NativeBatchNorm")

#: Operators that numbers do not have: `@`.
ONLY_TENSORS = frozenset(["matmul"])


def node_prefix(key: str) -> str:
    """The name that autograd gives the node of an op, but for its number: `aten::leaky_relu_` has LeakyReluBackward."""
    base = key.rpartition("::")[2].partition(".")[0].strip("_")
    return ("".join(part.title() for part in base.split("_")) + "Backward").replace(
        "ForwardBackward", "Backward"
    )


class Axes:
    """What the result of an op, or of a module of torch, has for axes."""

    __slots__ = (
        "goes_along_axis",
        "group",
        "has_axes",
        "has_one_axis",
        "keeps_axes",
        "names_every_axis",
        "says_how_many",
        "takes_axis_away",
    )

    def __init__(self, name: str) -> None:
        #: whether the result is certain to have at least one axis
        self.has_axes = name in HAS_AXES
        #: ... and no more than one, unless an argument says along which to go
        self.has_one_axis = name in ONE_AXIS
        #: whether a view by this op has as many axes as its input
        self.keeps_axes = name in KEEPS_AXES
        #: whether the arguments tell how many axes there are
        self.names_every_axis = name in NAMES_AXES
        #: whether the view may leave out the axis along which its input was expanded
        self.takes_axis_away = name in ("getitem", "select", "narrow", "slice", "unbind")
        #: whether the view is a part of its input along the axis that `dim` names
        self.goes_along_axis = name in ALONG_AXIS
        #: whether an argument says into how many views the op takes its input apart
        self.says_how_many = name in SAYS_HOW_MANY
        #: how the axes of a new result follow from those of the operands
        self.group = group_of(name)


class Layout:
    """What an op, or a module of torch, does to the memory of what it is given and of what it returns."""

    __slots__ = (
        "aliases_if_contiguous",
        "asks_for_form",
        "axes",
        "copies_weights",
        "dtype_after",
        "expands",
        "exposes_memory",
        "is_pointwise",
        "is_view",
        "keeps_contiguous",
        "makes_contiguous",
        "makes_default_dtype",
        "moves",
        "moves_elements",
        "moves_to_cpu",
        "name",
        "node",
        "own_counter",
        "permutes",
        "refuses_grad",
        "repeats_batches",
        "same_if_contiguous",
        "scatters",
        "swaps",
        "takes_only_tensors",
    )

    def __init__(self, key: str) -> None:
        dotted = key.startswith("torch.")
        name = self.name = key.rpartition("." if dotted else "::")[2].partition(".")[0]
        #: which axes the result has
        self.axes = Axes(name)
        #: how the names of its autograd nodes begin
        self.node = node_prefix(key)
        #: whether the result may be on another device than the input
        self.moves = name in TO_DEVICE
        #: whether the op returns its input where that is on the CPU
        self.moves_to_cpu = name == "cpu"
        #: whether a view by this op may have its axes in another order than its memory
        self.permutes = name in PERMUTES
        #: whether a view by this op of a contiguous tensor has the same elements in another order of axes
        self.swaps = name in SWAPS
        #: whether the op returns its very input where that is contiguous
        self.same_if_contiguous = name in SAME_IF_CONTIGUOUS
        #: whether the results share memory but no version counter with the input
        self.own_counter = name in OWN_COUNTER
        #: whether the op takes from one of its tensors only what it is like, and not its values
        self.asks_for_form = name in ASKS_FOR_FORM
        #: how the memory can be written by way of what the op returns, past the version counter; else empty
        self.exposes_memory = EXPOSES.get(name or key, "")
        #: whether a call without further arguments raises for a tensor that requires grad
        self.refuses_grad = name in REFUSES_GRAD
        #: whether the op, in place or not, only puts elements elsewhere
        self.moves_elements = name.rstrip("_") in MOVES_ELEMENTS
        #: whether the op, also written as an operator, cannot have been called on numbers
        self.takes_only_tensors = name in ONLY_TENSORS
        #: whether the op makes a tensor of the default dtype (float32, unless a program sets another)
        self.makes_default_dtype = name in DEFAULT_DTYPE
        #: whether what the table calls "may alias" is a view for certain
        self.is_view = name in ALWAYS_VIEW
        #: the dtype that a conversion makes, "argument" where its argument says so, None for other ops
        self.dtype_after: str | None = "argument" if name in TO_ARGUMENT else TO_DTYPE.get(name)
        #: whether the op whose facts have this key aliases its input exactly where that is contiguous
        self.aliases_if_contiguous = name in IF_CONTIGUOUS
        #: whether the result is contiguous however the operands are laid out
        self.makes_contiguous = name in MAKES_CONTIGUOUS
        #: whether each element of the result is computed by itself, so that it is laid out like the operands
        self.is_pointwise = name in POINTWISE
        #: whether the op may save a copy of an input that it repeats for each batch of the other
        self.repeats_batches = name in REPEATS_BATCHES
        #: whether elements of the result share memory
        self.expands = name in EXPANDS
        #: whether a view by this op of a contiguous tensor is contiguous
        self.keeps_contiguous = name in KEEPS_CONTIGUOUS
        #: whether a view by this op may have to be copied by what needs its input contiguous
        self.scatters = name in SCATTERS
        #: whether a module saves a copy in place of its weights
        self.copies_weights = name in COPIES_WEIGHTS

    @property
    def counts(self) -> bool:
        """Whether the op makes numbers of truth values."""
        return self.name in COUNTS

    @property
    def proves_first(self) -> bool:
        """Whether a result that is a tensor says nothing of the second operand: an exponent."""
        return self.name in PROVES_FIRST

    def keeps_itself(self, node: str) -> bool:
        """Whether an autograd node keeps the very tensor that the op was given: a composite may hand on a view."""
        return node.startswith((self.node, *_KEEP_ITSELF))

    def copies_strided(self, given: Sequence[object]) -> bool:
        """Whether the op may save a copy in place of an input that is not contiguous."""
        if self.name == "einsum" and given and isinstance(given[0], str):
            operands, arrow, result = given[0].replace(" ", "").partition("->")
            if arrow and operands.count(",") == 1 and all(c in result for c in operands if c != ","):
                return False  # with nothing to sum over, it multiplies views
        return self.name in COPIES_STRIDED

    def copies_contiguous(self, given: Sequence[object], operand: int) -> bool:
        """Whether the op saves a copy in place of even a contiguous input: of `operand`, counted from 0."""
        return (
            self.name == "einsum"
            and bool(given)
            and isinstance(given[0], str)
            and _einsum_copies(given[0], operand)
        )

    def ends_in_view(self, given: Sequence[object]) -> bool:
        """Whether the result, although new, is a view: made under no_grad it must not be written with grad."""
        if self.name == "bilinear":
            return len(given) < 4 or given[3] is None
        if self.name == "einsum":
            return bool(given) and isinstance(given[0], str) and len(given) > 2 and _sums(given[0])
        return self.name in ENDS_IN_VIEW


_known: dict[str, Layout] = {}


def layout_of(key: str) -> Layout:
    """The layout of the op whose facts have this key."""
    known = _known.get(key)
    if known is None:
        known = _known[key] = Layout(key)
    return known


def keeps_statistics(module: str) -> bool:
    """Whether a module of torch.nn updates statistics in training, and reads them in evaluation."""
    return module.startswith(("torch.nn.BatchNorm", "torch.nn.SyncBatchNorm"))


def _sums(equation: str) -> bool:
    """Whether an einsum of two operands sums over an index that both have."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    first, comma, second = left.partition(",")
    return bool(arrow and comma) and any(c in second and c not in right for c in first if c.isalpha())


def _einsum_copies(equation: str, operand: int) -> bool:
    """Whether einsum's product needs a copy of a contiguous operand.

    Two operands are multiplied as batches of matrices: indices that are in both and in the result, then those in this
    operand alone, then those summed over, by the alphabet. Where the indices of one of these groups do not follow each
    other in memory, they become one axis by a copy, unless one of them has length one.
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    operands = left.split(",")
    if not arrow or len(operands) != 2 or operand > 1 or "." in equation:
        return False
    own, other = operands[operand], operands[1 - operand]
    groups = (
        [c for c in result if c in own and c in other],
        [c for c in result if c in own and c not in other],
        sorted(c for c in own if c not in result and c in other),
    )
    return any(
        own.index(second) != own.index(first) + 1 for group in groups for first, second in pairwise(group)
    )


#: Modules of torch.nn whose forward keeps nothing of their bias: its gradient is a sum of that of the result.
_ADDS_BIAS = frozenset(
    f"torch.nn.{name}"
    for name in (
        "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d GroupNorm BatchNorm1d "
        "BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d"
    ).split()
)


def saves_bias(module: str) -> bool:
    """Whether a module may keep its bias for backward."""
    return module not in _ADDS_BIAS
