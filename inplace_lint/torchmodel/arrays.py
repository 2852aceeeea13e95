"""Models NumPy arrays and torch storages: which names write, alias or copy memory. A test compares with NumPy."""

from __future__ import annotations

_WRITES = frozenset("fill sort partition put itemset resize byteswap setfield fill_ copy_ resize_".split())
_LOOKS = frozenset("reshape ravel view squeeze transpose swapaxes diagonal".split())
_PARTS = frozenset("T flat real imag".split())
_MAKES = frozenset(
    "astype copy flatten repeat clip round cumsum cumprod take choose compress dot byteswap argsort "
    "__add__ __sub__ __mul__ __truediv__".split()
)
#: Methods and functions that alias their input if it is contiguous, and copy it otherwise.
_ORDERED = frozenset("reshape ravel ascontiguousarray asfortranarray".split())
_MOVES = frozenset(
    "T flat real imag transpose swapaxes diagonal moveaxis rollaxis flip fliplr flipud rot90 broadcast_to".split()
)
_FUNCTIONS_WRITE = frozenset(
    "copyto put place putmask fill_diagonal put_along_axis add.at subtract.at multiply.at maximum.at minimum.at "
    "random.shuffle".split()
)
_FUNCTIONS_LOOK = frozenset(
    "asarray asanyarray ravel reshape squeeze transpose swapaxes moveaxis rollaxis expand_dims atleast_1d atleast_2d "
    "atleast_3d broadcast_to from_dlpack flip fliplr flipud rot90 diagonal ascontiguousarray require real imag "
    "frombuffer".split()
)
#: ... and those of them that copy if further arguments ask for another dtype or order.
_CONVERTS = frozenset("asarray asanyarray ascontiguousarray require".split())
_FUNCTIONS_SPLIT = frozenset("split array_split hsplit vsplit dsplit".split())
_FUNCTIONS_MAKE = frozenset(
    "array zeros ones empty full arange linspace zeros_like ones_like empty_like full_like load copy concatenate stack "
    "fromfile memmap random.rand random.randn random.random random.normal random.uniform eye hstack vstack "
    "dstack column_stack tile repeat pad roll meshgrid".split()
)
#: Functions that return numbers, or an array of their own, and keep nothing.
_FUNCTIONS_READ = frozenset(
    "all allclose any argmax argmin argsort array_equal average bincount corrcoef count_nonzero cov cross "
    "diff histogram inner isclose linalg.norm max mean median min nonzero outer percentile prod ptp "
    "quantile searchsorted sort std sum trace unique var".split()
)
#: Elementwise functions of one and of two arrays. The argument after the operands is `out`.
_OF_ONE = frozenset(
    "abs absolute negative positive sqrt square exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan "
    "sinh cosh tanh floor ceil rint trunc sign reciprocal fabs cbrt isnan isfinite logical_not invert degrees radians "
    "deg2rad rad2deg conjugate arcsinh arccosh arctanh signbit isinf".split()
)
_OF_TWO = frozenset(
    "add subtract multiply divide true_divide floor_divide power float_power mod remainder fmod maximum minimum fmax "
    "fmin arctan2 hypot logaddexp logaddexp2 logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor "
    "greater greater_equal less less_equal equal not_equal copysign heaviside matmul".split()
)
#: All functions that return a new array for an array, and a number for a number.
_ELEMENTWISE = (
    _OF_ONE
    | _OF_TWO
    | frozenset("clip where nan_to_num round around interp dot einsum cumsum cumprod".split())
)


def writes(method: str) -> bool:
    """Whether a method of an array, or of a torch storage, writes it."""
    return method in _WRITES


def looks(method: str) -> bool:
    """Whether a method of an array may return an alias of its memory."""
    return method in _LOOKS


def is_part(attribute: str) -> bool:
    """Whether an attribute of an array aliases its memory."""
    return attribute in _PARTS


def function_writes(name: str) -> int:
    """How many leading arguments a NumPy function writes: 1 or 0."""
    return int(name in _FUNCTIONS_WRITE)


def function_looks(name: str) -> bool:
    """Whether a NumPy function may return an alias of its first argument."""
    return name in _FUNCTIONS_LOOK


def function_makes(name: str) -> bool:
    """Whether a NumPy function always returns a new array."""
    return name in _FUNCTIONS_MAKE


def function_maps(name: str) -> bool:
    """Whether a NumPy function returns a new array if it is given one, and a number for a number."""
    return name in _ELEMENTWISE


def function_reads(name: str) -> bool:
    """Whether what a NumPy function returns shares no memory with its arguments."""
    return name in _FUNCTIONS_READ or function_makes(name) or function_maps(name)


def function_splits(name: str) -> bool:
    """Whether a NumPy function returns several views of its first argument."""
    return name in _FUNCTIONS_SPLIT


def place_of_out(name: str) -> int:
    """The position at which a NumPy function takes `out` (`np.add(a, b, out)`: 2); 0 if none is known."""
    return 1 if name in _OF_ONE else 2 if name in _OF_TWO else 3 if name == "clip" else 0


def makes(method: str) -> bool:
    """Whether a method of an array always returns a new one."""
    return method in _MAKES


def keeps_if_ordered(name: str) -> bool:
    """Whether a method or function aliases a contiguous array, and copies any other."""
    return name in _ORDERED


def moves(name: str) -> bool:
    """Whether the alias that a method, function or attribute returns may be non-contiguous."""
    return name in _MOVES


def may_convert(name: str) -> bool:
    """Whether a function copies instead of aliasing if its further arguments ask for another dtype or order."""
    return name in _CONVERTS
