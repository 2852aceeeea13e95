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

#: Elements of the result share memory: strides of 0.
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

#: The result is never a 0-d tensor.
HAS_AXES = frozenset("arange linspace randperm nonzero argwhere unique ravel flatten".split())

#: The result is 1-d, unless an argument names an axis: `unique(x, dim=0)`.
ONE_AXIS = frozenset("arange linspace randperm unique ravel flatten masked_select bincount".split())

#: Views of all elements, with axes swapped.
SWAPS = frozenset("transpose t T mT H mH numpy_T matrix_H adjoint swapaxes swapdims".split())

#: Views with as many axes as their input.
KEEPS_AXES = SWAPS | frozenset("permute movedim moveaxis detach alias data requires_grad_ contiguous".split())

#: Saves its inputs; but if one is broadcast over the other's batch and has more than a few rows, it saves the expanded
#: copy of that one.
REPEATS_BATCHES = frozenset(["cdist"])
FEW_ROWS = 25

#: Views whose arguments list every axis, so their number is the result's rank.
NAMES_AXES = frozenset("permute view reshape expand broadcast_to".split())

#: Views of a part of the input along one axis.
ALONG_AXIS = frozenset("select narrow unbind split chunk tensor_split split_with_sizes".split())

#: Those of them that have one axis less.
DROPS_AXIS = frozenset(["select", "unbind"])

#: Views whose first argument says how many there are: a number, or one size for each. (`chunk` gives fewer if the axis
#: is too short; code that passes a number relies on it.)
SAYS_HOW_MANY = frozenset("chunk tensor_split split split_with_sizes".split())

#: The result is contiguous however the operands are laid out.
MAKES_CONTIGUOUS = frozenset("matmul mm bmm addmm baddbmm linear Linear stack".split())

#: Always a view, although probing torch also saw the whole input returned.
ALWAYS_VIEW = frozenset(["narrow"])

#: Factories that make the default dtype unless a `dtype` is given.
DEFAULT_DTYPE = frozenset(["rand", "randn", "zeros", "ones", "empty", "eye", "linspace", "logspace"])

#: Conversions to a fixed dtype; they return the input itself if it has that dtype.
TO_DTYPE = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int": "int",
    "long": "int",
    "bool": "bool",
}

#: Conversions to the dtype of an argument.
TO_ARGUMENT = frozenset(["to", "type_as", "type"])


#: Conversions to a device.
TO_DEVICE = frozenset(["cpu", "cuda", "xpu", "npu", "mps", "to"])


#: Returns a contiguous input itself, not a view of it.
SAME_IF_CONTIGUOUS = frozenset(["contiguous"])

#: Views that may not be contiguous, so that kernels may have to copy them. (A matrix transposed with `t` is excepted:
#: what copies larger tensors reads it in place.)
SCATTERS = PERMUTES - {"t", "T", "numpy_T"}

#: Save a contiguous copy of a non-contiguous input of three or more axes; all other ops save the input itself.
#: (`matmul` copies if a batch axis was moved, and reads each transposed matrix in place.)
COPIES_STRIDED = frozenset(
    "linear bilinear matmul linalg_matmul einsum tensordot group_norm instance_norm pdist linear_cross_entropy "
    "scaled_dot_product_attention Linear Bilinear GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d "
    "MultiheadAttention LSTM GRU RNN".split()
)
#: Those that make one axis of several, and so copy a part whose axes do not lie together. Attention keeps its axes.
MERGES_ROWS = COPIES_STRIDED - {"scaled_dot_product_attention"}

#: Methods that give a plain number, of a shape or a count; `size` does if it is told which axis.
GIVES_A_NUMBER = frozenset("size numel nelement dim ndimension".split())

#: Those of COPIES_STRIDED that copy a matrix as well, however it was turned.
COPIES_MATRICES = frozenset(["group_norm", "GroupNorm"])

#: Expand their weights over the batch, and save what they computed from the expanded ones.
COPIES_WEIGHTS = frozenset(["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"])

#: Composites whose last step is a view of a new tensor: autograd treats the result as a view.
ENDS_IN_VIEW = frozenset(
    ["instance_norm", "tensordot", "cov", "max_unpool1d", "adaptive_avg_pool1d", "avg_pool1d"]
)

#: Views with a version counter of their own: writing one does not bump the base's counter.
OWN_COUNTER = frozenset(["unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"])


#: Return an object that shares the tensor's memory but is no tensor: a storage, an array or a capsule.
EXPOSES = {
    "storage": "data",
    "untyped_storage": "data",
    "numpy": "shared",
    "__array__": "shared",
    "__dlpack__": "shared",
}

#: Raises if the tensor requires grad, so after the call the tensor is known not to.
REFUSES_GRAD = frozenset(["numpy"])

#: Makes numbers of booleans: one boolean tensor, alone or with a number, gives a numeric tensor.
COUNTS = frozenset(
    "sum nansum prod cumsum cumprod square add mul pow remainder floor_divide fmod clamp clamp_min clamp_max".split()
)

#: If the result is a tensor, the first operand is one; the second is usually a number: `x.pow(2)`.
PROVES_FIRST = frozenset(["pow"])

#: Moves elements without computing with them, so it is used on indices and masks as well as on numbers.
MOVES_ELEMENTS = frozenset(
    "clone copy getitem setitem gather index_select masked_select masked_fill where cat stack take take_along_dim "
    "repeat repeat_interleave roll flip to contiguous fill zero index_put scatter masked_scatter index_copy".split()
)

#: Ops that read only the shape, dtype or device of one of their tensors, not its values.
ASKS_FOR_FORM = frozenset(
    "type_as view_as expand_as reshape_as zeros_like ones_like empty_like full_like rand_like randn_like randint_like "
    "new_zeros new_ones new_empty new_full new_tensor".split()
)

#: Nodes of composites that receive the composite's own input.
_KEEP_ITSELF = ("Convolution", "NativeLayerNorm", "NativeGroupNorm", "NativeBatchNorm")

#: Operators that plain numbers do not support: `@`.
ONLY_TENSORS = frozenset(["matmul"])


def node_prefix(key: str) -> str:
    """Autograd's name for the node of an op, without its number: `aten::leaky_relu_` has LeakyReluBackward."""
    base = key.rpartition("::")[2].partition(".")[0].strip("_")
    return ("".join(part.title() for part in base.split("_")) + "Backward").replace(
        "ForwardBackward", "Backward"
    )


class Axes:
    """What is known about the axes of the result of an op, or of a torch module."""

    __slots__ = (
        "drops_axis",
        "goes_along_axis",
        "group",
        "has_axes",
        "has_one_axis",
        "keeps_axes",
        "names_every_axis",
        "reshapes",
        "says_how_many",
        "takes_axis_away",
    )

    def __init__(self, name: str) -> None:
        #: whether the result always has at least one axis
        self.has_axes = name in HAS_AXES
        #: ... and exactly one, unless an argument names an axis
        self.has_one_axis = name in ONE_AXIS
        #: whether a view by this op has as many axes as its input
        self.keeps_axes = name in KEEPS_AXES
        #: whether the arguments give the number of axes
        self.names_every_axis = name in NAMES_AXES
        #: whether it takes the sizes of its result, and aliases its input where these allow it
        self.reshapes = name == "reshape"
        #: whether the view may drop the axis along which its input was expanded
        self.takes_axis_away = name in ("getitem", "select", "narrow", "slice", "unbind")
        #: whether the view is a part of its input along the axis that `dim` names
        self.goes_along_axis = name in ALONG_AXIS
        #: whether such a view has one axis less
        self.drops_axis = name in DROPS_AXIS
        #: whether an argument says how many views the op returns
        self.says_how_many = name in SAYS_HOW_MANY
        #: the op's group in `shapes`: how the result's axes follow from the operands'
        self.group = group_of(name)


class Layout:
    """How an op, or a torch module, treats the memory of its operands and its result."""

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
        #: the prefix of its autograd node's name
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
        #: whether the op reads only the shape, dtype or device of one of its tensors
        self.asks_for_form = name in ASKS_FOR_FORM
        #: how the returned non-tensor lets code write the memory past the version counter; empty if it cannot
        self.exposes_memory = EXPOSES.get(name or key, "")
        #: whether a call without further arguments raises for a tensor that requires grad
        self.refuses_grad = name in REFUSES_GRAD
        #: whether the op, in place or not, only moves elements
        self.moves_elements = name.rstrip("_") in MOVES_ELEMENTS
        #: whether the op, or its operator form, fails on plain numbers
        self.takes_only_tensors = name in ONLY_TENSORS
        #: whether the op makes a tensor of the default dtype (float32, unless a program sets another)
        self.makes_default_dtype = name in DEFAULT_DTYPE
        #: whether the table's "may alias" is always a view
        self.is_view = name in ALWAYS_VIEW
        #: the dtype that a conversion makes; "argument" if an argument gives it, None for other ops
        self.dtype_after: str | None = "argument" if name in TO_ARGUMENT else TO_DTYPE.get(name)
        #: whether the op aliases its input exactly if that is contiguous
        self.aliases_if_contiguous = name in IF_CONTIGUOUS
        #: whether the result is contiguous however the operands are laid out
        self.makes_contiguous = name in MAKES_CONTIGUOUS
        #: whether the op is elementwise, so that its result is laid out like the operands
        self.is_pointwise = name in POINTWISE
        #: whether the op may save a copy of an input that is broadcast over the other's batch
        self.repeats_batches = name in REPEATS_BATCHES
        #: whether elements of the result share memory
        self.expands = name in EXPANDS
        #: whether a view by this op of a contiguous tensor is contiguous
        self.keeps_contiguous = name in KEEPS_CONTIGUOUS
        #: whether kernels that need contiguous input may have to copy this view
        self.scatters = name in SCATTERS
        #: whether a module saves a copy of its weights, not the weights
        self.copies_weights = name in COPIES_WEIGHTS

    @property
    def counts(self) -> bool:
        """Whether the op makes numbers of booleans."""
        return self.name in COUNTS

    @property
    def proves_first(self) -> bool:
        """Whether a tensor result proves only the first operand a tensor: the second is an exponent."""
        return self.name in PROVES_FIRST

    def keeps_itself(self, node: str) -> bool:
        """Whether an autograd node saves the op's own argument: other nodes of a composite may save a view of it."""
        return node.startswith((self.node, *_KEEP_ITSELF))

    def copies_strided(self, given: Sequence[object]) -> bool:
        """Whether the op may save a copy instead of an input that is not contiguous; `given` are its arguments."""
        if self.name == "einsum" and given and isinstance(given[0], str):
            operands, arrow, result = given[0].replace(" ", "").partition("->")
            if arrow and operands.count(",") == 1 and all(c in result for c in operands if c != ","):
                return False  # without a sum, einsum multiplies views of its operands
        return self.name in COPIES_STRIDED

    def merges_rows(self, given: Sequence[object], operand: int) -> bool:
        """Whether the op makes one axis of several of `operand`, which takes a copy where these do not lie together."""
        if self.name == "einsum" and given and isinstance(given[0], str):
            groups = _einsum_groups(given[0], operand)
            return groups is None or any(len(group) > 1 for group in groups)
        return self.name in MERGES_ROWS

    @property
    def copies_matrices(self) -> bool:
        """Whether the op saves a copy of a matrix, too, that is not contiguous."""
        return self.name in COPIES_MATRICES

    def copies_contiguous(self, given: Sequence[object], operand: int) -> bool:
        """Whether the op saves a copy even of a contiguous input: of `operand`, counted from 0."""
        return (
            self.name == "einsum"
            and bool(given)
            and isinstance(given[0], str)
            and _einsum_copies(given[0], operand)
        )

    def ends_in_view(self, given: Sequence[object]) -> bool:
        """Whether the new result is a view to autograd: if made under no_grad, it must not be written with grad."""
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
    """Whether a torch.nn module updates running statistics in training, and reads them in evaluation."""
    return module.startswith(("torch.nn.BatchNorm", "torch.nn.SyncBatchNorm"))


def _sums(equation: str) -> bool:
    """Whether an einsum of two operands sums over an index that both have."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    first, comma, second = left.partition(",")
    return bool(arrow and comma) and any(c in second and c not in right for c in first if c.isalpha())


def _einsum_groups(equation: str, operand: int) -> tuple[list[str], ...] | None:
    """The indices of one of two operands that einsum makes one axis each; None for another equation.

    einsum turns two operands into batches of matrices, each with three groups of indices: those in both operands and in
    the result, those of this operand alone, and those summed over (sorted by letter).
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    operands = left.split(",")
    if not arrow or len(operands) != 2 or operand > 1 or "." in equation:
        return None
    own, other = operands[operand], operands[1 - operand]
    return (
        [c for c in result if c in own and c in other],
        [c for c in result if c in own and c not in other],
        sorted(c for c in own if c not in result and c in other),
    )


def _einsum_copies(equation: str, operand: int) -> bool:
    """Whether einsum copies even a contiguous operand before it multiplies.

    It makes each group of indices one axis, which takes a copy if the indices are not adjacent in memory, unless one of
    them has length one.
    """
    own = equation.replace(" ", "").partition("->")[0].split(",")
    groups = _einsum_groups(equation, operand) or ()
    return any(
        own[operand].index(second) != own[operand].index(first) + 1
        for group in groups
        for first, second in pairwise(group)
    )


#: Modules of torch.nn that do not save their bias: its gradient is a sum of the result's gradient.
_ADDS_BIAS = frozenset(
    f"torch.nn.{name}"
    for name in (
        "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d GroupNorm BatchNorm1d "
        "BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d"
    ).split()
)


def saves_bias(module: str) -> bool:
    """Whether a module may save its bias for backward."""
    return module not in _ADDS_BIAS
