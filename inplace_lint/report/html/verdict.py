"""Renders the verdict of a finding: the status, the tensors that were changed, and the memory that the fix needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..sizes import size_of
from .text import plain, plural, words

if TYPE_CHECKING:
    from typing import Any

    from ..findings import Verdict

_METHODS = {"gpu": "measured on a GPU", "cpu": "measured on the CPU", "predict": "predicted"}


def section(verdict: Verdict | None) -> str:
    """The verdict in full; nothing where there is none."""
    if verdict is None:
        return ""
    status = plain(verdict["status"])
    parts = [f"<p><b>{status}</b>: {words(verdict['reason'])}</p>"]
    inputs = ", ".join(f"{name}={value}" for name, value in verdict["inputs"].items())
    if inputs:
        parts.append(f"<p>Run on <code>{plain(inputs)}</code> on {plain(str(verdict['device']))}.</p>")
    if verdict["conflicts"]:
        parts.append(_conflicts(verdict["conflicts"]))
    if verdict["peak"]:
        parts.append(_memory(verdict["peak"]))
    proof = verdict["proof"]
    if proof and proof["worst_error"] is not None:
        trials = sum(trial.get("error") is not None for trial in proof["trials"])
        worst, limit = f"{proof['worst_error']:.1g}", f"{proof['tolerance']:.0g}"
        parts.append(
            f"<p>Compared in {plural(trials, 'trial')}: worst difference {worst}, {limit} is allowed.</p>"
        )
    return f'<section class="verdict {status}"><h4>Verdict</h4>{"".join(parts)}</section>'


def _conflicts(conflicts: list[dict[str, Any]]) -> str:
    rows = []
    for one in conflicts:
        before, now = one["versions"]
        error = one["gradient_error"]
        saved = ".".join(filter(None, (one["node"], one["attribute"])))
        shape = ", ".join(map(str, one["shape"]))
        rows.append(
            f"<tr><td>{plain(saved)} [{shape}]</td><td>{before} &rarr; {now}</td>"
            f"<td>{'-' if error is None else f'{error:.2g}'}</td></tr>"
        )
    head = '<th scope="col">saved</th><th scope="col">version</th><th scope="col">error of the gradient</th>'
    box = '<div class="scroll" role="group" tabindex="0" aria-label="What was changed">'
    return f"{box}<table><tr>{head}</tr>{''.join(rows)}</table></div>"


def _memory(peak: dict[str, Any]) -> str:
    """Bars of the peak before the fix and after it, and of what is kept for backward."""
    how = _METHODS.get(peak["method"], peak["method"])
    on = [
        f"for an {peak['device']}" if peak.get("device") else "",
        f"in {peak['dtype']}" if peak["dtype"] else "",
    ]
    at = f"at S = {peak['size']}" if peak["size"] else "on these inputs"
    head = " ".join(filter(None, (f"Memory of a training step {at}, {how}", *on)))
    kept = peak["kept"]
    largest = max(peak["before"] or 0, peak["after"] or 0, 1)
    bars = [("peak", peak["before"]), ("peak with the fix", peak["after"])]
    bars += [("kept for backward", kept[0]), ("kept with the fix", kept[1])]
    rows = [
        f"<tr><th scope='row'>{name}</th><td>{size_of(value)}</td>"
        f"<td class='bar'><i class='{'after' if 'fix' in name else 'before'}'"
        f" style='width:{100 * value / largest:.1f}%'></i></td></tr>"
        for name, value in bars
        if value is not None
    ]
    return f'<table class="memory"><caption>{plain(head)}.</caption>{"".join(rows)}</table>'
