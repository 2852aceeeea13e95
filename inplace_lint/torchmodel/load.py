"""Reads the op table: what every public PyTorch op saves, writes, aliases and returns, as derived from torch."""

from __future__ import annotations

import os
from bisect import bisect_left

from inplace_lint.torchmodel.op import Op, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from inplace_lint.torchmodel.module import Module

# Prefixes under which the same function is also public.
NAMESPACES = {
    "F": "torch.nn.functional",
    "torch.functional": "torch",
    "torch._C._nn": "torch.nn.functional",
    "torch._C._VariableFunctions": "torch",
}


class Table:
    """The table, read once; ops are built when they are asked for."""

    def __init__(
        self,
        raw: dict[str, Any],
        overlay: Mapping[str, list[str]],
        modules: Mapping[str, list[str]] | None = None,
    ) -> None:
        self.torch_version: str = raw["torch"]
        self._signatures: list[str] = raw["signatures"]
        self._groups: Entries = raw["groups"]
        self._modules: Entries = raw["modules"]
        self._more_modules = modules or {}
        self._names = _Spaces(raw["names"])
        self._overlay = overlay
        autocast: dict[str, str] = raw.get("autocast", {})
        self._autocast = {name: policy for policy, text in autocast.items() for name in text.split()}
        self._ops: dict[str, Op | None] = {}
        self._made: dict[str, Module | None] = {}

    def function(self, name: str) -> Op | None:
        """The function of this canonical dotted name (`torch.nn.functional.relu`); None when it is no known op."""
        key = "f:" + name
        if key not in self._ops:
            space, _, short = name.rpartition(".")
            space = NAMESPACES.get(space, space)
            self._ops[key] = self._op(f"{space}.{short}", self._names[space].get(short), "f")
        return self._ops[key]

    def method(self, name: str) -> Op | None:
        """The method of torch.Tensor of this name; None when there is none."""
        key = "m:" + name
        if key not in self._ops:
            self._ops[key] = self._op("Tensor." + name, self._names["Tensor"].get(name), "m")
        return self._ops[key]

    def property_(self, name: str) -> Op | None:
        """The property of torch.Tensor that gives a tensor (`T`, `data`, `grad`); None for `shape` and the like."""
        key = "p:" + name
        if key not in self._ops:
            self._ops[key] = self._op("Tensor." + name, self._names["properties"].get(name), "m")
        return self._ops[key]

    def operator(self, sign: str) -> Op | None:
        """The operator (`+`, `+=`, `neg`, `[]`, `[]=`)."""
        key = "o:" + sign
        if key not in self._ops:
            self._ops[key] = self._op(sign, self._names["operators"].get(sign), "m")
        return self._ops[key]

    def module(self, name: str) -> Module | None:
        """The `torch.nn` module of this dotted name."""
        if name in self._made:
            return self._made[name]
        from inplace_lint.torchmodel.module import Module

        short = name.rpartition(".")[2]
        raw = self._more_modules.get(short) or self._modules.get(short)
        made = None
        if raw is not None and name.startswith("torch.nn."):
            made = Module(name, raw, self._autocast.get("nn." + short, ""))
        self._made[name] = made
        return made

    def exists_method(self, name: str) -> bool:
        """Whether torch.Tensor has an attribute of this name."""
        return (
            name in self._names["Tensor"]
            or name in self._names["properties"]
            or name in self._names["attributes"]
        )

    def exists_function(self, name: str) -> bool:
        """Whether a public function of this canonical dotted name exists."""
        space, _, short = name.rpartition(".")
        return short in self._names[NAMESPACES.get(space, space)]

    def names_op(self, name: str) -> bool:
        """Whether an operation goes by this name: a method, or a function of torch or torch.nn.functional."""
        return any(name in self._names[space] for space in ("Tensor", "torch", "torch.nn.functional"))

    def returns_nontensor(self, name: str) -> bool:
        """Whether the method or dotted function of this name gives no tensor (`size`, `item`, `torch.is_tensor`)."""
        op = self.function(name) if "." in name else self.method(name)
        if op is None:
            return name in self._names["attributes"]
        return all(row.behaviour.endswith("-> other") for row in op.rows)

    def names(self, space: str) -> dict[str, str]:
        """The names of one space: "torch", "torch.nn.functional", "Tensor", "properties", "operators", ..."""
        return self._names[space]

    def spaces(self) -> list[str]:
        return [space for space in self._names.texts if space.startswith("torch")]

    def modules(self) -> list[str]:
        return list({**dict.fromkeys(self._modules), **self._more_modules})

    def nearest(self, name: str) -> str | None:
        """The existing name most like this one, in the same namespace: for messages about ops that do not exist."""
        from inplace_lint.torchmodel.nearest import nearest

        space, _, short = name.rpartition(".")
        space = NAMESPACES.get(space, space)
        if space in self.spaces():
            found = nearest(short, self._names[space])
            return found and f"{space}.{found}"
        found = nearest(short, {**self._names["Tensor"], **self._names["properties"]})
        if found is None:
            places = [space for space in self.spaces() if short.rstrip("_") in self._names[space]]
            found = f"{places[-1]}.{short.rstrip('_')}" if places else None
        return found

    def _op(self, name: str, group: str | None, variant: str) -> Op | None:
        if group is None:
            return None
        rows = []
        for text in self._overlay.get(group) or self._groups.get(group) or []:
            parts = text.split("|")
            variants = parts[0]
            if variant not in variants and variants.strip("o"):
                continue
            signature = parts[2]
            if signature.isdigit():
                signature = self._signatures[int(signature)]
            condition = parts[4] if len(parts) > 4 else ""
            key = _key(group, parts[1])
            row = Row(key, signature, parts[3], condition, "o" in variants)
            row.autocast = self._autocast.get(group.rpartition(".")[2], "")
            rows.append(row)
        return Op(name, rows)


class Entries:
    """A section of sorted lines: an entry is found by bisection, and taken apart, when it is asked for."""

    __slots__ = ("_lines",)

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[str]:
        return (line.partition("\t")[0] for line in self._lines)

    def get(self, key: str) -> list[str] | None:
        """What stands behind the key."""
        start = f"{key}\t"
        at = bisect_left(self._lines, start)
        if at == len(self._lines) or not self._lines[at].startswith(start):
            return None
        return self._lines[at].split("\t")[1:]


class _Spaces(dict[str, dict[str, str]]):
    """The group of each name in each space (`torch.linalg`, "Tensor", …), read when the space is first asked for."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def __missing__(self, space: str) -> dict[str, str]:
        if space not in self.texts:
            return {}
        pairs = [word.partition("~") for word in self.texts[space].split()]
        here = self[space] = {name: group or name for name, _, group in pairs}
        return here


def _key(group: str, overload: str) -> str:
    if ":" in group:
        return group.partition(":")[2]
    return f"aten::{group}.{overload}" if overload else f"aten::{group}"


def load() -> Table:
    """The table from the package's own data file and the overlay."""
    from inplace_lint.torchmodel.overlay import GROUPS, MODULES

    with open(os.path.join(os.path.dirname(__file__), "optable.txt"), encoding="utf-8") as file:
        return Table(parse(file.read()), GROUPS, MODULES)


def parse(text: str) -> dict[str, Any]:
    """The sections of the data file, each an entry a line, the parts of an entry apart by a tab.

    (Python's own JSON reader loads modules that take longer than reading the table.)
    """
    raw: dict[str, Any] = {}
    rows = text.split("\n")
    start = 0
    while start < len(rows):
        end = rows.index("", start)
        name, lines = rows[start][1:-1], rows[start + 1 : end]
        if name in ("groups", "modules"):
            raw[name] = Entries(lines)
        elif name in ("names", "autocast"):
            raw[name] = dict([line.split("\t") for line in lines])
        else:
            raw[name] = lines
        start = end + 1
    raw["torch"] = raw["torch"][0]
    return raw
