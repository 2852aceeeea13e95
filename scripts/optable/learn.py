"""From many observations of one function to few rows: the smallest tests of constant arguments that separate them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from scripts.optable.observe import Observation

# Numbers decide behaviour only where they are these parameters; a test on any other number would be an accident.
DECIDING_NUMBERS = {"p", "dropout_p", "ord", "exponent", "dropout", "output_size", "num_layers"}
DEPTH = 4

# A module's own parameters, among the parameters of its call.
OWNED = "weight*"


def rows_of(seen: Sequence[Observation], defaults: dict[str, Any]) -> list[tuple[str, str]]:
    """(behaviour, condition) rows, in order."""
    return [(behaviour(leaf), condition) for leaf, condition in split(list(seen), defaults, [], DEPTH)]


def split(
    seen: list[Observation], defaults: dict[str, Any], path: list[str], depth: int
) -> list[tuple[list[Observation], str]]:
    here = impurity(seen)
    if here < 1e-9 or depth == 0:
        return [(seen, "&".join(path))]
    best = None
    for name, value in sorted(
        candidates(seen, defaults), key=lambda c: (c[0], str(c[1]), isinstance(c[1], Literal))
    ):
        yes = [o for o in seen if holds(o, name, value, defaults)]
        no = [o for o in seen if not holds(o, name, value, defaults)]
        if not yes or not no:
            continue
        cost = impurity(yes) + impurity(no)
        if cost < here * 0.85 and (best is None or cost < best[0]):
            best = (cost, name, value, yes, no)
    if best is None:
        return [(seen, "&".join(path))]
    _, name, value, yes, no = best
    text = value_text(value)
    return [
        *split(yes, defaults, [*path, f"{name}=={text}"], depth - 1),
        *split(no, defaults, [*path, f"{name}!={text}"], depth - 1),
    ]


def candidates(seen: Sequence[Observation], defaults: dict[str, Any]) -> set[tuple[str, Any]]:
    found: set[tuple[str, Any]] = set()
    for one in seen:
        for name in one.present:
            if name != OWNED and (name in defaults or any(name not in other.present for other in seen)):
                found.add((name, "tensor" if one.present[name] == "T" else "tensors"))
        for name, value in [*one.consts.items(), *defaults.items()]:
            if isinstance(value, bool) or (isinstance(value, str) and value.isidentifier()):
                found.add((name, Literal(value)))
            elif value is None and name not in one.present:
                found.add((name, "none"))
            elif isinstance(value, (int, float)) and name in DECIDING_NUMBERS and value in (0, 1, 2):
                found.add((name, Literal(value)))
    return found


class Literal(str):
    """A constant, apart from the words "tensor", "tensors" and "none" that stand for kinds."""

    value: Any

    def __new__(cls, value: Any) -> Literal:
        made = super().__new__(cls, repr(value) if not isinstance(value, bool) else str(value))
        made.value = value
        return made


def holds(one: Observation, name: str, value: Any, defaults: dict[str, Any]) -> bool:
    if value == "tensor" and not isinstance(value, Literal):
        return one.present.get(name) == "T"
    if value == "tensors" and not isinstance(value, Literal):
        return one.present.get(name) == "L"
    if name in one.present:
        return False
    actual = one.consts.get(name, defaults.get(name))
    if value == "none" and not isinstance(value, Literal):
        return actual is None
    wanted = value.value
    return (
        isinstance(
            actual,
            type(wanted)
            if not isinstance(wanted, (int, float)) or isinstance(wanted, bool)
            else (int, float),
        )
        and actual == wanted
    )


def value_text(value: Any) -> str:
    if not isinstance(value, Literal):
        return "N" if value == "none" else str(value)
    raw = value.value
    return (
        {True: "T", False: "F"}[raw]
        if isinstance(raw, bool)
        else str(raw)
        if isinstance(raw, str)
        else f"{raw:g}"
    )


def applicable(one: Observation, target: str) -> bool:
    """Whether the save could have happened: its parameter is a tensor here, or its result exists."""
    if target[0] == "r" and target[1:].isdigit():
        return int(target[1:]) < len(one.returns)
    return target in one.present


def impurity(seen: Sequence[Observation]) -> float:
    """How many observations disagree with the rest of their leaf."""
    cost = 0.0
    for target in {t for o in seen for t in o.saves}:
        able = [o for o in seen if applicable(o, target)]
        cost += disagreement([target in o.saves for o in able])
        cost += disagreement([needed(o, target) for o in able if target in o.saves])
    for aspect in ("writes", "uncounted", "clones"):
        cost += disagreement([getattr(o, aspect) for o in seen])
    cost += disagreement([tuple((kind, of) for kind, of, _, _ in o.returns) for o in seen])
    return cost


def needed(one: Observation, target: str) -> tuple[str, ...] | None:
    """What the save depends on; None when any argument that needs grad will do."""
    needs = one.saves[target][2]
    return None if set(needs) == set(one.gradients) else needs


def disagreement(values: Sequence[Any]) -> float:
    """The entropy of the values, in bits over all of them: 0 when they agree."""
    total = len(values)
    return sum(count * math.log2(total / count) for count in Counter(values).values())


def behaviour(seen: Sequence[Observation]) -> str:
    """The behaviour text of one leaf."""
    gradients = union(o.gradients for o in seen)
    tensors = [name for name in union(tuple(o.present) for o in seen) if name != OWNED]
    by_node: dict[str, list[str]] = {}
    for target in sorted({t for o in seen for t in o.saves}):
        able = [o for o in seen if applicable(o, target)]
        saving = [o for o in able if target in o.saves]
        node, attr = saving[0].saves[target][:2]
        needs = union(o.saves[target][2] for o in saving)
        sure = [
            n
            for n in needs
            if all(n in o.saves[target][2] for o in saving if n in o.gradients or n == "others")
        ]
        if len(saving) < len(able):
            sure = []
        for these, mark in ((sure, ""), ([n for n in needs if n not in sure], "~")):
            if these or (not needs and not mark):
                text = mark + (attr if attr == target else f"{attr}={target}")
                text += "?" + "+".join(these) if these and set(these) != set(gradients) else ""
                by_node.setdefault(node, []).append(text)
    parts = [f"{node}({','.join(items)})" for node, items in sorted(by_node.items())]
    if set(gradients) != set(tensors) and gradients:
        parts.append("d:" + "+".join(gradients))
    writes = union(o.writes for o in seen)
    uncounted = union(o.uncounted for o in seen)
    if writes:
        parts.append("w:" + "+".join(writes))
    elif uncounted:
        parts.append("w!:" + "+".join(uncounted))
    clones = union(o.clones or () for o in seen)
    if clones and any(o.writes for o in seen):
        parts.append("c:" + "+".join(clones))
    if not gradients:
        parts.append("nodiff")
    parts.append("-> " + returns_text(seen))
    return " ".join(parts)


def union(items: Any) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for item in items:
        for name in item:
            found.setdefault(name)
    return tuple(found)


def returns_text(seen: Sequence[Observation]) -> str:
    lengths = Counter(len(o.returns) for o in seen)
    if len(lengths) > 1:
        kinds = {kind for o in seen for kind, _, _, _ in o.returns}
        aliases = [of for o in seen for _, of, _, _ in o.returns if of]
        if kinds <= {"new"}:
            return "list"
        return f"slices({aliases[0]})" if kinds <= {"view", "same", "new"} and aliases else "unknown"
    texts = []
    fields = seen[0].fields
    for i in range(next(iter(lengths))):
        rets = [o.returns[i] for o in seen]
        kinds = {r[0] for r in rets}
        of = next((r[1] for r in rets if r[1]), "")
        if len(kinds) == 1:
            kind = rets[0][0]
        elif kinds <= {"new", "same", "view"}:
            kind = "maybe"
        elif kinds <= {"list", "slices"}:
            kind = "slices"
        else:
            kind = "unknown"
        text = kind + (f"({of})" if of and kind not in ("new", "list", "other", "unknown") else "")
        dtypes = {r[3] for r in rets}
        if len(dtypes) == 1 and rets[0][3] != "?" and kind != "same":
            text += ":" + rets[0][3]
        if kind not in ("other",) and not any(r[2] for r in rets):
            text += "!"
        if len(fields) > i and len(fields) == len(seen[0].returns):
            text = f"{fields[i]}={text}"
        texts.append(text)
    return ",".join(texts) or "other"
