"""Puts together the data file: overload rows from the yaml, observed rows for composites and modules, and the names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

import torch

from inplace_lint.torchmodel import overlay
from inplace_lint.torchmodel.layout import node_prefix
from scripts.optable import aten, autocast, dtypes, names
from scripts.optable.composites import Raw, observe_overloads, observe_python
from scripts.optable.modules import observe_modules
from scripts.optable.unread import unread

# In `dir(torch)`, but for PyTorch's own use.
INTERNAL = (
    *(
        "cudnn_",
        "miopen_",
        "mkldnn_",
        "fbgemm_",
        "quantized_",
        "fused_moving",
        "_fused_moving",
        "_fused_sdp",
        "_foobar",
    ),
    *("_sparse", "_nested", "_transform_bias", "_transformer", "_triton", "_native_multi"),
)


def build() -> tuple[str, dict[str, int]]:
    """The text of the data file and the counts to print."""
    overloads = aten.overloads()
    functions = names.functions()
    methods, properties, others = names.tensor_names()
    groups: dict[str, list[list[str]]] = defaultdict(list)
    observed = observe_overloads(overloads)
    modules = observe_modules()
    letters = dtypes.classes()
    for overload in overloads:
        if overload.base.startswith(INTERNAL):
            continue
        for row in aten_rows(overload, observed):
            if overload.base in letters:
                row[3] = dtypes.annotate(row[3], letters[overload.base])
            row[3] = re.sub(rf"(?<!\w){node_prefix(overload.key)}", "*", row[3])
            groups[overload.base].append(row)
    for group, rows in observe_python(functions, methods).items():
        groups[group].extend(
            without_grad(row) if group.startswith("py:torch.nn.init.") else row for row in rows
        )
    used: set[str] = set()
    spaces: dict[str, str] = {}
    for space, here in functions.items():
        spaces[space] = words({name: group for name, (group, _) in here.items()})
        used.update(group for group, _ in here.values())
    spaces["Tensor"] = words(methods)
    used.update(methods.values())
    spaces["properties"] = words(
        {name: f"prop:{name}" for name in properties if name in names.TENSOR_PROPERTIES}
    )
    spaces["attributes"] = words(
        {name: name for name in [*others, *properties] if name not in names.TENSOR_PROPERTIES}
    )
    spaces["operators"] = words(names.OPERATORS)
    used.update(names.OPERATORS.values())
    spaces["Module"] = words(names.module_names())
    spaces["Optimizer"] = words(names.optimizer_names())
    # What the overlay has is not derived, so that the overlay need not be read where something else is asked.
    kept = {
        name: rows for name, rows in groups.items() if name in used and rows and name not in overlay.GROUPS
    }
    texts = {signature_of(row) for rows in kept.values() for row in rows}
    counter = Counter(row[2] for rows in kept.values() for row in rows)
    interned = sorted((text for text in texts if counter[text] > 1), key=lambda text: (-counter[text], text))
    index = {text: str(i) for i, text in enumerate(interned)}
    data = {
        "torch": torch.__version__.partition("+")[0],
        "signatures": interned,
        "groups": {name: [row_text(row, index) for row in rows] for name, rows in kept.items()},
        "autocast": autocast.policies(),
        "modules": {name: rows for name, rows in modules.items() if name not in overlay.MODULES},
        "names": spaces,
        "unread": unread(),
    }
    counts = {
        "overloads": len(overloads),
        "from derivatives.yaml": sum(o.act is not None for o in overloads),
        "composite": sum(o.act is None for o in overloads),
        "groups": len(kept),
        "rows": sum(len(rows) for rows in kept.values()),
        "functions": sum(len(here) for here in functions.values()),
        "methods": len(methods),
        "modules": len(modules),
        "names without facts": len(used - set(kept) - set(overlay.GROUPS)),
    }
    return written(data), counts


def written(data: Mapping[str, str | list[str] | Mapping[str, str | list[str]]]) -> str:
    """The table as text: sections apart by an empty line, an entry a line, the parts of an entry apart by a tab."""
    sections = []
    for name in sorted(data):
        value = data[name]
        if isinstance(value, Mapping):
            entries = [[key, *([v] if isinstance(v, str) else v)] for key, v in sorted(value.items())]
        else:
            entries = [[value]] if isinstance(value, str) else [[line] for line in value]
        for entry in entries:
            if any("\t" in part or "\n" in part for part in entry) or entry == [""]:
                raise ValueError(f"cannot be written as a line of the table: {entry}")
        sections.append("\n".join([f"[{name}]", *map("\t".join, entries)]))
    return "\n\n".join(sections) + "\n"


def without_grad(row: list[str]) -> list[str]:
    """The initialisers write all of their tensor under no_grad."""
    left, arrow, right = row[3].rpartition("-> ")
    return [*row[:3], f"{left}nograd over {arrow}{right}" if "w:" in left else row[3], *row[4:]]


def signature_of(row: list[str]) -> str:
    return row[2]


def row_text(row: list[str], index: dict[str, str]) -> str:
    variants, overload, signature, behaviour, *condition = row
    return "|".join([variants, overload, index.get(signature, signature), behaviour, *condition])


def words(named: dict[str, str]) -> str:
    return " ".join(name if name == group else f"{name}~{group}" for name, group in sorted(named.items()))


def aten_rows(overload: aten.Overload, observed: dict[tuple[str, str], list[Raw]]) -> list[list[str]]:
    """Rows as [variants, overload name, signature, behaviour, condition?]: f function, m method, o has an out= form."""
    name = overload.key.removeprefix(f"aten::{overload.base}").removeprefix(".")
    found: dict[str, list[tuple[str, list[Raw]]]] = {}
    for variant, params, here in (
        ("f", overload.params, overload.function),
        ("m", overload.method_params, overload.method),
    ):
        if here:
            raws = (
                [(overload.act, "")]
                if overload.act is not None
                else observed.get((overload.key, variant), [])
            )
            found.setdefault(" ".join(params), []).append((variant, raws))
    rows: list[list[str]] = []
    for signature, variants in found.items():
        raws = max((raws for _, raws in variants), key=len)
        letters = "".join(variant for variant, _ in variants)
        out = "o" * (overload.has_out and "f" in letters)
        rows.extend([letters + out, name, signature, b, *([c] if c else [])] for b, c in raws)
    return rows
