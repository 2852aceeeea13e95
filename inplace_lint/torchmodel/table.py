"""Queries the process-wide op table: what a public PyTorch op saves, writes, aliases and returns.

The data file is read on first use. `load.Table` documents each query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inplace_lint.torchmodel.load import Table
    from inplace_lint.torchmodel.module import Module
    from inplace_lint.torchmodel.op import Op

_table: Table | None = None


def get() -> Table:
    """The table, loaded on the first call."""
    global _table
    if _table is None:
        from inplace_lint.torchmodel.load import load

        _table = load()
    return _table


def function(name: str) -> Op | None:
    """The function of this canonical dotted name (`torch.nn.functional.relu`)."""
    return (_table or get()).function(name)


def method(name: str) -> Op | None:
    """The method of torch.Tensor of this name."""
    return (_table or get()).method(name)


def property_(name: str) -> Op | None:
    """The tensor-valued property of torch.Tensor of this name; None for `shape` and the like."""
    return (_table or get()).property_(name)


def operator(sign: str) -> Op | None:
    """The operator of this sign: `+`, `+=`, `neg`, `[]`, `[]=`."""
    return (_table or get()).operator(sign)


def module(name: str) -> Module | None:
    """The module class of this dotted name: `torch.nn.ReLU`."""
    return (_table or get()).module(name)


def exists_method(name: str) -> bool:
    """Whether torch.Tensor has an attribute of this name."""
    return (_table or get()).exists_method(name)


def exists_function(name: str) -> bool:
    """Whether a public function of this canonical dotted name exists."""
    return (_table or get()).exists_function(name)


def has_module(name: str) -> bool:
    """Whether every module of torch.nn has an attribute of this name."""
    return get().has_module(name)


def has_optimizer(name: str) -> bool:
    """Whether every optimizer has an attribute of this name."""
    return get().has_optimizer(name)


def gives_itself(name: str) -> bool:
    """Whether a method of every `nn.Module` returns the module itself (`train`, `to`)."""
    return get().gives_itself(name)


def reads(node: str, attribute: str) -> bool:
    """Whether backward reads the values of what an autograd node saved, and not only its shape."""
    return get().reads(node, attribute)


def names_op(name: str) -> bool:
    """Whether some op has this name: a method, or a function of torch or torch.nn.functional."""
    return (_table or get()).names_op(name)


def lacks(dotted: str) -> bool:
    """Whether the name looks like the in-place form of a torch function that has none: `torch.matmul_`."""
    space, _, name = dotted.rpartition(".")
    return (
        space in ("torch", "torch.nn.functional")
        and name.endswith("_")
        and not name.startswith("_")
        and not exists_function(dotted)
        and exists_function(dotted[:-1])
    )


def nearest(name: str) -> str | None:
    """The existing name most similar to this one, in its namespace."""
    return (_table or get()).nearest(name)


def returns_nontensor(name: str) -> bool:
    """Whether a method or dotted function returns no tensor."""
    return (_table or get()).returns_nontensor(name)
