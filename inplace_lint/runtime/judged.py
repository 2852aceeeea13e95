"""Turns the measured peak memory of a finding, and of its fix, into a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..report.sizes import size_of
from .verdicts import Verdict, verdict

#: Exponent of the length from which on memory counts as quadratic, like attention scores: halfway between 1 and 2.
_SQUARE = 1.5
#: The smallest length at which memory refutes a finding: below it, what does not grow with the length outweighs it.
_LONG = 128


def rewrite(answer: Mapping[str, Any]) -> Verdict:
    """Returns the verdict on a finding whose fix was compared with the original (`rewrites.compare`)."""
    peak, proof = answer["peak"], answer["proof"]
    if not answer["proved"] and not answer["only_without_keys"]:
        if answer["differs"]:
            status, why = (
                "refuted",
                f"on these inputs the rewrite does not compute the same: {answer['reason']}",
            )
        else:
            status, why = "inconclusive", answer["reason"]
        return verdict(status, why, answer["inputs"], "cpu", proof=proof, peak=peak)
    ran = sum(trial["error"] is not None for trial in proof["trials"])
    if answer["proved"]:
        same = f"the rewrite computes the same in {ran} trials (worst difference {proof['worst_error']:.1g})"
    else:
        same = f"the rewrite computes the same, but where no key is left ({answer['reason']})"
    if peak is None:
        why = f"{same}; its peak could not be measured: {answer['unmeasured']}".removesuffix(": ")
        return verdict("inconclusive", why, answer["inputs"], "cpu", proof=proof)
    where = _where(peak)
    before, after = peak["before"], peak["after"]
    kept, left = peak["kept"]
    if after == before and left < kept:
        # The peak is elsewhere, but in a model of many such blocks the bytes saved for backward add up.
        status, why = (
            "confirmed",
            f"{same}, and keeps {size_of(left)} in place of {size_of(kept)} for backward {where}",
        )
    elif after < before:
        less = f" ({size_of(before - after)} less)" if size_of(after) == size_of(before) else ""
        needs = f"{size_of(after)} in place of {size_of(before)}{less}"
        status, why = "confirmed", f"{same}, and needs {needs} {where}"
    else:
        needs = f"it saves nothing: {size_of(after)} in place of {size_of(before)} {where}; {same}"
        status, why = _where_long(answer, needs)
    return verdict(status, why, answer["inputs"], "cpu", proof=proof, peak=peak)


def _where_long(answer: Mapping[str, Any], why: str) -> tuple[str, str]:
    """Returns a refutation by memory; undecided where no sequence of some length was run."""
    if answer["is_length"] and (answer["peak"]["size"] or 0) >= _LONG:
        return "refuted", f"on these inputs {why}"
    return "inconclusive", f"no longer sequence could be run; {why}"


def growth(answer: Mapping[str, Any]) -> Verdict:
    """Returns the verdict on a finding without a fix, by the bytes of its lines at the peak (`rewrites.growth`)."""
    inputs, peak = answer["inputs"], answer["peak"]
    if answer["reason"]:
        return verdict("inconclusive", answer["reason"], inputs, "cpu", peak=peak)
    exponent, held = answer["exponent"], answer["bytes"]
    if not held:
        return verdict(
            "inconclusive", f"its lines hold nothing at the peak {_where(peak)}", inputs, "cpu", peak=peak
        )
    if exponent is None:
        return verdict("inconclusive", "there is no length to vary in its inputs", inputs, "cpu", peak=peak)
    share = f"{size_of(held)} of {size_of(peak['before'])} {_where(peak)}"
    told = f"its lines hold {share}, and that grows with S^{exponent:.2f}"
    status, why = ("confirmed", told) if exponent >= _SQUARE else _where_long(answer, told)
    return verdict(status, why, inputs, "cpu", peak=peak)


def _where(peak: Mapping[str, Any]) -> str:
    at = f"at S = {peak['size']}" if peak["size"] else "on these inputs"
    how = {
        "gpu": f"measured on the GPU in {peak['dtype']}",
        "cpu": "measured on the CPU",
        "predict": f"predicted for an {peak['device']} in {peak['dtype']}",
    }[peak["method"]]
    return f"{at} ({how})"
