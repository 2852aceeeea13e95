"""Joins the summaries of all table rows that a call may run into one `Facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_lint.torchmodel.facts import WEIGHT, Facts, Ret, Save

if TYPE_CHECKING:
    from collections.abc import Sequence


def united(rows: Sequence[Facts], flags: tuple[str, ...]) -> Facts:
    """The facts of a call that may run any of these rows; what only some of them save is a "may" save."""
    first = rows[0]
    if all(row is first for row in rows):
        return first
    out = Facts(first.key, first.params)
    at = {param.name: i for i, param in enumerate(first.params)}

    def move(row: Facts, place: int) -> int | None:
        return place if place < 0 or place >= WEIGHT else at.get(row.params[place].name)

    def moved(row: Facts, places: Sequence[int]) -> tuple[int, ...]:
        return tuple(i for i in (move(row, place) for place in places) if i is not None)

    table: dict[tuple[int, str], list[Save]] = {}
    for row in rows:
        for save in (*row.saves, *row.weight_saves):
            target = move(row, save.target)
            if target is not None:
                here = Save(target, moved(row, save.needs), save.certainty, save.only, save.node, save.attr)
                table.setdefault((target, save.only), []).append(here)
    saves = []
    for same in table.values():
        save = same[0]
        sure = set(save.needs)
        possible = set()
        for other in same:
            possible |= set(other.needs)
            sure &= set(other.needs) if other.certainty == "always" else set()
        if len(same) < len(rows):
            sure = set()
        for needs, certainty in ((sure, "always"), (possible - sure, "may")):
            if needs:
                saves.append(
                    Save(save.target, tuple(sorted(needs)), certainty, save.only, save.node, save.attr)
                )
    out.saves = tuple(save for save in saves if save.target != WEIGHT)
    out.weight_saves = tuple(save for save in saves if save.target == WEIGHT)
    out.writes = tuple(sorted({i for row in rows for i in moved(row, row.writes)}))
    writers = [row for row in rows if row.writes]
    out.counted = all(row.counted for row in writers)
    out.metadata_only = bool(writers) and all(row.metadata_only for row in writers)
    cloning = [row.clones for row in writers]
    if cloning and all(clones is not None for clones in cloning):
        out.clones = tuple(sorted({i for row in writers for i in moved(row, row.clones or ())}))
    out.differentiable = any(row.differentiable for row in rows)
    out.gradients = tuple(sorted({i for row in rows for i in moved(row, row.gradients)}))
    out.detaches = all(row.detaches for row in rows)
    out.shares_version = all(row.shares_version for row in rows)
    out.overwrites = all(row.overwrites for row in rows)
    out.factory = all(row.factory for row in rows)
    out.autocast = first.autocast
    out.no_grad = all(row.no_grad for row in rows)
    out.flags, out.ways = flags, _ways(rows)
    if all(len(row.returns) == len(first.returns) for row in rows):
        out.fields = first.fields
        out.returns = tuple(_returns(rows, i, move) for i in range(len(first.returns)))
    else:
        out.returns = (Ret("unknown"),)
    return out


def _ways(rows: Sequence[Facts]) -> tuple[Facts, ...]:
    """The joined facts of the rows that write nothing, and of those that write; empty if all agree on that."""
    writing = [row for row in rows if row.writes]
    if not writing or len(writing) == len(rows):
        return ()
    return united([row for row in rows if not row.writes], ()), united(writing, ())


def _returns(rows: Sequence[Facts], i: int, move: object) -> Ret:
    rets = [row.returns[i] for row in rows]
    kinds = {ret.kind for ret in rets}
    aliased = next((ret.of for ret in rets if ret.of is not None), None)
    if len(kinds) == 1:
        kind = rets[0].kind
    elif kinds <= {"fresh", "same", "view", "maybe"}:
        kind = "maybe"
    else:
        kind = "unknown"
    dtypes = {ret.dtype for ret in rets}
    return Ret(
        kind,
        aliased,
        all(ret.multi_view for ret in rets),
        any(ret.differentiable for ret in rets),
        rets[0].dtype if len(dtypes) == 1 else "?",
    )
