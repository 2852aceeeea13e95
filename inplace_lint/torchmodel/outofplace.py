"""Finds the out-of-place form of an in-place op: `mul` for `mul_`, if both compute the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import table

if TYPE_CHECKING:
    from .op import Op

#: What writes elements that share memory without an error; other ops raise.
_PASS_OVERLAP = frozenset(
    "setitem fill_ fill_diagonal_ index_fill_ index_put_ masked_fill_ threshold threshold_ tril_ triu_ zero_".split()
)

#: What gives a result that lies in order, where in place the tensor keeps its strides; of others the result has these.
_REORDERS = frozenset(
    "addbmm_ addmm_ baddbmm_ cumprod_ cumsum_ index_add_ index_copy_ index_reduce_ masked_fill_ masked_scatter_ "
    "renorm_ scatter_ scatter_add_ scatter_reduce_ tril_ triu_".split()
)


def method(name: str) -> str | None:
    """`mul` for `mul_`; None where there is no such method, or one that does something else (`bernoulli`, `gt`)."""
    known = table.get()
    return name[:-1] if name.endswith("_") and _agree(known.method(name), known.method(name[:-1])) else None


def function(name: str) -> str | None:
    """`torch.relu` for `torch.relu_`, by dotted name; None as for methods."""
    known = table.get()
    return (
        name[:-1] if name.endswith("_") and _agree(known.function(name), known.function(name[:-1])) else None
    )


def passes_overlap(key: str) -> bool:
    """Whether an op in place takes a tensor whose elements share memory, as `expand` makes it."""
    return not _PASS_OVERLAP.isdisjoint(key.replace(":", ".").split("."))


def reorders(name: str) -> bool:
    """Whether the out-of-place form of a method gives a transposed tensor another layout."""
    return name in _REORDERS


def _agree(inplace: Op | None, out: Op | None) -> bool:
    """Whether every overload of one has an overload of the other that takes the same and returns something new."""
    if inplace is None or out is None or not inplace.rows:
        return False
    fresh = set()
    for row in out.rows:
        returns = row.facts(row.params, False).returns
        # A comparison in place keeps the tensor's dtype, out of place it gives booleans.
        if len(returns) == 1 and returns[0].kind == "fresh" and returns[0].dtype not in ("bool", "int"):
            fresh.add(_taken(row.signature))
    for row in inplace.rows:
        facts = row.facts(row.params, False)
        if _taken(row.signature) not in fresh or facts.overwrites or facts.metadata_only or not facts.writes:
            return False
    return True


def _taken(signature: str) -> tuple[str, ...]:
    """The parameters of a signature but for the flag that makes it work in place."""
    return tuple(word for word in signature.split() if not word.startswith("inplace:"))
