"""Loads the op table from `optable.txt`: what every public PyTorch op saves, writes, aliases and returns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from inplace_lint.torchmodel import overlay
from inplace_lint.torchmodel.op import Op, Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from inplace_lint.torchmodel.module import Module

# Other namespaces under which the same functions are public.
NAMESPACES = {
    "F": "torch.nn.functional",
    "torch.functional": "torch",
    "torch._C._nn": "torch.nn.functional",
    "torch._C._VariableFunctions": "torch",
}


class Table:
    """The op table, read once; an op is built when it is first asked for."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.torch_version: str = raw["torch"]
        self._signatures: list[str] = raw["signatures"]
        self._groups: Entries = raw["groups"]
        self._modules: Entries = raw["modules"]
        self._names = Spaces(raw["names"])
        autocast: dict[str, str] = raw.get("autocast", {})
        self._autocast = {name: policy for policy, text in autocast.items() for name in text.split()}
        self._unread: dict[str, str] = raw["unread"]
        self._ops: dict[str, Op | None] = {}
        self._made: dict[str, Module | None] = {}

    def reads(self, node: str, attribute: str) -> bool:
        """Whether backward reads the values of what an autograd node saved, and not only its shape."""
        return attribute not in self._unread.get(node, "").split()

    def function(self, name: str) -> Op | None:
        """The function of this canonical dotted name (`torch.nn.functional.relu`); None if it is no known op."""
        key = "f:" + name
        if key not in self._ops:
            space, _, short = name.rpartition(".")
            space = NAMESPACES.get(space, space)
            self._ops[key] = self._op(f"{space}.{short}", self._names.group(space, short), "f")
        return self._ops[key]

    def method(self, name: str) -> Op | None:
        """The method of torch.Tensor of this name; None if there is none."""
        key = "m:" + name
        if key not in self._ops:
            self._ops[key] = self._op("Tensor." + name, self._names.group("Tensor", name), "m")
        return self._ops[key]

    def property_(self, name: str) -> Op | None:
        """The tensor-valued property of torch.Tensor of this name (`T`, `data`); None for `shape` and the like."""
        key = "p:" + name
        if key not in self._ops:
            self._ops[key] = self._op("Tensor." + name, self._names.group("properties", name), "m")
        return self._ops[key]

    def operator(self, sign: str) -> Op | None:
        """The operator of this sign (`+`, `+=`, `neg`, `[]`, `[]=`)."""
        key = "o:" + sign
        if key not in self._ops:
            self._ops[key] = self._op(sign, self._names.group("operators", sign), "m")
        return self._ops[key]

    def module(self, name: str) -> Module | None:
        """The `torch.nn` module of this dotted name."""
        if name in self._made:
            return self._made[name]
        from inplace_lint.torchmodel.module import Module

        short = name.rpartition(".")[2]
        raw = self._modules.get(short) or overlay.MODULES.get(short)
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

    def has_module(self, name: str) -> bool:
        """Whether every module of torch.nn has an attribute of this name."""
        return name in self._names["Module"]

    def has_optimizer(self, name: str) -> bool:
        """Whether every optimizer has an attribute of this name."""
        return name in self._names["Optimizer"]

    def gives_itself(self, name: str) -> bool:
        """Whether a method of every `nn.Module` returns the module itself (`train`, `to`)."""
        return self._names["Module"].get(name) == "self"

    def names_op(self, name: str) -> bool:
        """Whether some op has this name: a method, or a function of torch or torch.nn.functional."""
        return any(name in self._names[space] for space in ("Tensor", "torch", "torch.nn.functional"))

    def returns_nontensor(self, name: str) -> bool:
        """Whether a method or dotted function returns no tensor (`size`, `item`, `torch.is_tensor`)."""
        op = self.function(name) if "." in name else self.method(name)
        if op is None:
            return name in self._names["attributes"]
        return all(row.behaviour.endswith("-> other") for row in op.rows)

    def names(self, space: str) -> dict[str, str]:
        """The names in one namespace ("torch", "Tensor", "properties", "operators", ...), each with its group."""
        return self._names[space]

    def spaces(self) -> list[str]:
        return [space for space in self._names.texts if space.startswith("torch")]

    def modules(self) -> list[str]:
        return [*self._modules, *overlay.MODULES]

    def nearest(self, name: str) -> str | None:
        """The existing name most similar to this one, in the same namespace: for messages about unknown ops."""
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
        for text in self._groups.get(group) or overlay.GROUPS.get(group) or []:
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
    """A section of sorted lines `key<tab>values`; an entry is found by binary search and split on demand."""

    __slots__ = ("_end", "_start", "_text")

    def __init__(self, text: bytes, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end

    def __iter__(self) -> Iterator[str]:
        lines = self._text[self._start : self._end].decode().split("\n")
        return (line.partition("\t")[0] for line in lines)

    def get(self, key: str) -> list[str] | None:
        """The values of the key's entry, or None."""
        text, word = self._text, f"{key}\t".encode()
        low, high = self._start, self._end
        while low < high:
            line = text.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = text.index(b"\n", line)
            if text.startswith(word, line):
                return text[line + len(word) : end].decode().split("\t")
            if text[line:end] < word:
                low = end + 1
            else:
                high = line
        return None


class Spaces(dict[str, dict[str, str]]):
    """The group of each name in each namespace (`torch.linalg`, "Tensor", …), parsed when it is first asked for."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def __missing__(self, space: str) -> dict[str, str]:
        if space not in self.texts:
            return {}
        pairs = [word.partition("~") for word in self.texts[space].split()]
        here = self[space] = {name: group or name for name, _, group in pairs}
        return here

    def group(self, space: str, name: str) -> str | None:
        """The group of one name, without parsing the whole namespace for it."""
        if space in self:
            return self[space].get(name)
        words = f" {self.texts.get(space, '')} "
        if f" {name} " in words:
            return name
        _, found, rest = words.partition(f" {name}~")
        return rest.partition(" ")[0] if found else None


def _key(group: str, overload: str) -> str:
    if ":" in group:
        return group.partition(":")[2]
    return f"aten::{group}.{overload}" if overload else f"aten::{group}"


def load() -> Table:
    """Loads the table from the package's data file. The overlay holds ops that the file lacks."""
    with open(os.path.join(os.path.dirname(__file__), "optable.txt"), "rb") as file:
        return Table(parse(file.read()))


#: The sections whose entries are a name and its value.
_PAIRS = ("names", "autocast", "unread")


def parse(text: bytes) -> dict[str, Any]:
    """Splits the data file into its sections. Each line is an entry, with tabs between its parts.

    (Python's own JSON reader imports modules, which takes longer than reading the table.)
    """
    raw: dict[str, Any] = {}
    heads = [0]
    at = text.find(b"[", 1)
    while at > 0:  # searching for one byte is much faster than for several
        if text[at - 2 : at] == b"\n\n":
            heads.append(at)
        at = text.find(b"[", at + 1)
    for head, end in zip(heads, [*heads[1:], len(text) + 1]):
        start = text.index(b"]\n", head) + 2
        name = text[head + 1 : start - 2].decode()
        if name in ("groups", "modules"):
            raw[name] = Entries(text, start, end - 2)
            continue
        lines = text[start : end - 2].decode().split("\n")
        raw[name] = dict([line.split("\t") for line in lines]) if name in _PAIRS else lines
    raw["torch"] = raw["torch"][0]
    return raw
