"""Finds the out-of-place form of an in-place op: `mul` for `mul_`, if both compute the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import table

if TYPE_CHECKING:
    from .op import Op

#: In-place ops that write a tensor with overlapping elements (`x.expand(3, 4)`) without an error; others raise.
_PASS_OVERLAP = frozenset(
    "setitem fill_ fill_diagonal_ index_fill_ index_put_ masked_fill_ threshold threshold_ tril_ triu_ zero_".split()
)

#: Of these, the ops that give all elements one value, so that it does no harm that they share memory.
_FILL = frozenset(("fill_", "zero_"))

#: Ops whose out-of-place result is contiguous, while in place the tensor keeps its strides. Results of other ops
#: have the strides of the tensor.
_REORDERS = frozenset(
    "addbmm_ addmm_ baddbmm_ cumprod_ cumsum_ index_add_ index_copy_ index_reduce_ masked_fill_ masked_scatter_ "
    "renorm_ scatter_ scatter_add_ scatter_reduce_ tril_ triu_".split()
)


def method(name: str) -> str | None:
    """`mul` for `mul_`; None if there is no such method, or it does something else (`bernoulli`, `gt`)."""
    known = table.get()
    return name[:-1] if name.endswith("_") and _agree(known.method(name), known.method(name[:-1])) else None


def function(name: str) -> str | None:
    """`torch.relu` for `torch.relu_`, by dotted name; None as for methods."""
    known = table.get()
    return (
        name[:-1] if name.endswith("_") and _agree(known.function(name), known.function(name[:-1])) else None
    )


def passes_overlap(key: str) -> bool:
    """Whether an in-place op accepts a tensor whose elements overlap, such as the result of `expand`."""
    return not _PASS_OVERLAP.isdisjoint(key.replace(":", ".").split("."))


def fills(key: str) -> bool:
    """Whether an in-place op writes the same to elements that share memory as to elements that do not."""
    return not _FILL.isdisjoint(key.replace(":", ".").split("."))


def reorders(name: str) -> bool:
    """Whether a method's out-of-place form lays out its result differently if the tensor is transposed."""
    return name in _REORDERS


def _agree(inplace: Op | None, out: Op | None) -> bool:
    """Whether each in-place overload has an out-of-place one with the same parameters that returns a new tensor."""
    if inplace is None or out is None or not inplace.rows:
        return False
    fresh = set()
    for row in out.rows:
        returns = row.facts(row.params, False).returns
        # A comparison keeps the tensor's dtype in place, but gives booleans out of place.
        if len(returns) == 1 and returns[0].kind == "fresh" and returns[0].dtype not in ("bool", "int"):
            fresh.add(_taken(row.signature))
    for row in inplace.rows:
        facts = row.facts(row.params, False)
        if _taken(row.signature) not in fresh or facts.overwrites or facts.metadata_only or not facts.writes:
            return False
    return True


def _taken(signature: str) -> tuple[str, ...]:
    """The parameters of a signature, without the `inplace` flag."""
    return tuple(word for word in signature.split() if not word.startswith("inplace:"))
