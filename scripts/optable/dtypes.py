"""The dtype of each result against the arguments': run with floats, and with integers where the op takes them."""

from __future__ import annotations

from collections import defaultdict

import torch
from torch.testing._internal.common_methods_invocations import op_db

from scripts.optable import names
from scripts.optable.observe import dtype_class, returned
from scripts.optable.samples import generate

FEW = 3


def classes() -> dict[str, tuple[str, ...]]:
    """Group -> one letter a result: b bool, i integer, c complex, f always floating, s that of the arguments."""
    groups: dict[str, list[str]] = defaultdict(list)
    known = {}
    for space, here in names.functions().items():
        for name, (group, _) in here.items():
            known[id(getattr(names.SPACES[space], name))] = group
    for info in op_db:
        floats = seen(info, torch.float32)
        integers = seen(info, torch.int64)
        if not floats:
            continue
        letters = tuple(
            "f" if letter == "s" and integers and i < len(integers) and integers[i] == "s" else letter
            for i, letter in enumerate(floats)
        )
        key = known.get(id(info.op)) or info.name.replace("nn.functional.", "").replace(".", "_")
        groups.setdefault(key, []).append("".join(letters))
    return {group: tuple(found[0]) for group, found in groups.items() if len(set(found)) == 1}


def seen(info: object, dtype: torch.dtype) -> tuple[str, ...]:
    """The classes of the results of a few samples; nothing where they differ or the dtype is not taken."""
    if dtype not in info.supported_dtypes("cpu"):
        return ()
    found: set[tuple[str, ...]] = set()
    for i, sample in enumerate(generate(info, dtype)):
        if i >= FEW:
            break
        if any("dtype" in key for key in sample.kwargs):
            continue
        try:
            result = info.op(*sample.args, **sample.kwargs)
        except Exception:
            continue
        found.add(tuple(dtype_class(v) if isinstance(v, torch.Tensor) else "?" for v in returned(result)))
    return found.pop() if len(found) == 1 else ()


def annotate(behaviour: str, letters: tuple[str, ...]) -> str:
    """The behaviour with `:letter` on each new result that has none; integers and booleans carry no gradient."""
    left, arrow, right = behaviour.rpartition("-> ")
    texts = right.split(",")
    if len(letters) != len(texts):
        return behaviour
    done = []
    for text, letter in zip(texts, letters, strict=False):
        if letter != "?" and ":" not in text and "same" not in text and "other" not in text:
            bare = text.rstrip("!")
            text = f"{bare}:{letter}{'!' if text.endswith('!') or letter in 'bi' else ''}"
        done.append(text)
    return f"{left}{arrow}{','.join(done)}"
