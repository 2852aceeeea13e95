"""Lists every rule by code and name; resolves selectors, enabled codes, and the rules' documentation pages.

The table repeats rules/*/rule.toml, because reading those files at each start would take longer than checking a small
file. A test keeps the two equal.
"""

from __future__ import annotations

import os

from ..model import Rule
from ..project import extensions

#: All rules, in the order of their codes.
RULES: tuple[Rule, ...] = (
    Rule(
        "IPL000",
        "unreadable-file",
        "error",
        "0.1.0",
        "The file cannot be read or parsed, so nothing in it was checked.",
    ),
    Rule("IPL001", "unused-suppression", "warning", "0.1.0", "A suppression comment silences nothing."),
    Rule(
        "IPL002", "internal-error", "error", "0.1.0", "inplace-lint failed on this file: a bug in the tool."
    ),
    Rule(
        "IPL003",
        "analysis-cut-short",
        "note",
        "0.1.0",
        "A function was not analysed to its end: what was not looked at may hold hazards.",
    ),
    Rule(
        "IPL004",
        "wrong-declaration",
        "warning",
        "0.2.0",
        "What is declared of a function cannot be read, or is not what its body does.",
    ),
    Rule(
        "IPL101",
        "saved-result-overwritten",
        "error",
        "0.1.0",
        "An operation saved its result for backward, then the result is changed in place.",
    ),
    Rule(
        "IPL102",
        "saved-input-overwritten",
        "error",
        "0.1.0",
        "An operation saved its input for backward, then the input is changed in place.",
    ),
    Rule(
        "IPL103",
        "leaf-overwritten",
        "error",
        "0.1.0",
        "A leaf that requires grad, or a view of one, is changed in place while gradients are recorded.",
    ),
    Rule(
        "IPL104",
        "multi-view-output-overwritten",
        "error",
        "0.1.0",
        "One of the views that chunk, split, unbind or iteration returns is changed in place.",
    ),
    Rule(
        "IPL105",
        "expanded-tensor-overwritten",
        "error",
        "0.1.0",
        "An expanded tensor, whose elements share memory, is changed in place.",
    ),
    Rule(
        "IPL106",
        "step-before-backward",
        "error",
        "0.1.0",
        "An optimizer changes parameters between a forward that saved them and its backward.",
    ),
    Rule(
        "IPL107",
        "out-argument-with-grad",
        "error",
        "0.1.0",
        "A result is written through out= while an argument requires grad.",
    ),
    Rule(
        "IPL108",
        "no-grad-view-overwritten",
        "error",
        "0.1.0",
        "A view made without recording gradients is changed in place while they are recorded.",
    ),
    Rule(
        "IPL201",
        "data-write",
        "error",
        "0.1.0",
        "A tensor that an operation saved is changed in a way that no version counter sees: .data, its storage.",
    ),
    Rule(
        "IPL202",
        "shared-memory-write",
        "error",
        "0.1.0",
        "A tensor that an operation saved is changed through an array or another tensor over the same memory.",
    ),
    Rule(
        "IPL203",
        "version-check-disabled",
        "error",
        "0.1.0",
        "A tensor that an operation saved is changed where PyTorch does not compare versions.",
    ),
    Rule(
        "IPL204",
        "stale-alias-read",
        "warning",
        "0.1.0",
        "A tensor is read by a name as if an in-place change through another expression had not reached it.",
    ),
    Rule(
        "IPL205",
        "argument-overwritten",
        "warning",
        "0.1.0",
        "A function changes a tensor of its caller in place and returns it.",
    ),
    Rule(
        "IPL206",
        "lost-write",
        "warning",
        "0.1.0",
        "An in-place change goes to a copy that nobody holds.",
    ),
    Rule(
        "IPL301",
        "inplace-without-gain",
        "note",
        "0.1.0",
        "While gradients are recorded the operation clones its input: in place saves no memory.",
    ),
    Rule(
        "IPL302",
        "unknown-inplace-op",
        "error",
        "0.1.0",
        "There is no such in-place operation, or it has no derivative.",
    ),
    Rule(
        "IPL401",
        "naive-attention",
        "warning",
        "0.1.0",
        "An attention keeps its scores' weights as a tensor where a fused kernel computes the same.",
    ),
    Rule(
        "IPL402",
        "attention-weights-kept",
        "warning",
        "0.1.0",
        "nn.MultiheadAttention makes weights that nobody reads.",
    ),
    Rule(
        "IPL403",
        "causal-mask-materialised",
        "warning",
        "0.1.0",
        "A causal mask is made as a tensor where is_causal says the same.",
    ),
    Rule(
        "IPL404",
        "repeated-heads",
        "warning",
        "0.1.0",
        "Keys and values are repeated for grouped queries where enable_gqa says it.",
    ),
    Rule(
        "IPL501",
        "dropout-in-eval",
        "warning",
        "0.1.0",
        "A call of the fused kernel drops weights in evaluation too.",
    ),
    Rule(
        "IPL502",
        "attention-layout",
        "error",
        "0.1.0",
        "The sequence is not on the axis where the fused kernel reads it.",
    ),
    Rule(
        "IPL503",
        "mask-polarity",
        "error",
        "0.1.0",
        "A mask whose True means the opposite of what the attention takes it for.",
    ),
    Rule(
        "IPL504",
        "causal-misaligned",
        "error",
        "0.1.0",
        "is_causal beside a mask, or with more keys than queries.",
    ),
)

#: Reported whatever is selected, unless ignored by name: unchecked code must not pass for clean.
ALWAYS = frozenset({"IPL000", "IPL002", "IPL003"})

_BY_NAME = {text: rule for rule in RULES for text in (rule.code, rule.name)}
extensions.OWN = frozenset(_BY_NAME)


def every() -> tuple[Rule, ...]:
    """All rules: built-in ones and loaded third-party ones."""
    if not extensions.RULES:
        return RULES
    return (*RULES, *sorted({rule for rule, _ in map(_other, extensions.RULES)}, key=lambda rule: rule.code))


def find(text: str) -> Rule | None:
    """The rule of this code or name; case does not matter."""
    for spelled in (text.upper(), text.lower()):
        if spelled in _BY_NAME:
            return _BY_NAME[spelled]
        if spelled in extensions.RULES:
            return _other(spelled)[0]
    return None


_others: dict[str, tuple[Rule, str]] = {}


def _other(text: str) -> tuple[Rule, str]:
    """A third-party rule as a `Rule`, and its page."""
    rule, name = extensions.RULES[text]
    known = _others.get(rule.code)
    if known is None:
        page = rule.page.strip() or f"# {rule.code} {rule.name}\n\n{rule.summary}"
        made = Rule(rule.code, rule.name, rule.severity, rule.since, rule.summary)
        known = _others[rule.code] = (made, f"{page}\n\nThis rule is one of `{name}`.\n")
    return known


def text_of(rule: Rule) -> str:
    """The rule's page, in Markdown."""
    if rule.code in extensions.RULES:
        return _other(rule.code)[1]
    with open(page(rule), encoding="utf-8") as file:
        return file.read()


def matching(selector: str) -> frozenset[str]:
    """The codes that a selector selects: a code, a prefix, a name or ALL. Empty if it is unknown."""
    if selector.upper() == "ALL":
        return frozenset(rule.code for rule in every())
    rule = find(selector)
    if rule is not None:
        return frozenset({rule.code})
    prefix = selector.upper()
    letters = prefix.rstrip("0123456789")
    return frozenset(
        rule.code
        for rule in every()
        if rule.code.rstrip("0123456789") == letters and rule.code.startswith(prefix)
    )


def problem(selector: str) -> str | None:
    """What is wrong with a selector, in words, or None if it names at least one rule."""
    if matching(selector):
        return None
    near = nearest(selector)
    advice = f"; did you mean `{near}`?" if near else "; `inplace-lint rule` lists the rules"
    return f"no rule is called `{selector}`{advice}"


def nearest(text: str) -> str | None:
    """The known code or name that looks most like `text`."""
    import difflib

    names = [name.lower() for name in (*_BY_NAME, *extensions.RULES)]
    found = difflib.get_close_matches(text.lower(), names, n=1, cutoff=0.6)
    rule = find(found[0]) if found else None
    if rule is None:
        return None
    return rule.code if found[0] == rule.code.lower() else rule.name


def enabled(select: tuple[str, ...], ignore: tuple[str, ...]) -> frozenset[str]:
    """The codes to report. The most specific selector decides, as in Ruff; on a tie `ignore` wins."""
    chosen, ignored = _weights(select), _weights(ignore)
    reported = {code for code, weight in chosen.items() if weight > ignored.get(code, 0)}
    return frozenset(reported | (ALWAYS - ignored.keys()))


def _weights(selectors: tuple[str, ...]) -> dict[str, int]:
    """For each selected code, how specific its most specific selector is."""
    weights: dict[str, int] = {}
    for selector in selectors:
        whole = find(selector) is not None
        weight = 1 if selector.upper() == "ALL" else 100 if whole else 1 + len(selector)
        for code in matching(selector):
            weights[code] = max(weight, weights.get(code, 0))
    return weights


def pages() -> str:
    """The directory with one folder per rule: inside the installed package, or beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "_rules")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), "rules")


def page(rule: Rule) -> str:
    """The path of a rule's README.md."""
    return os.path.join(pages(), f"{rule.code}-{rule.name}", "README.md")


#: Base URL of the published rule pages (`SITE/CODE-name`), as in pyproject.toml; empty while they are unpublished.
SITE = ""


def published(code: str) -> str:
    """The public URL of a rule's page; empty if there is none."""
    if code in extensions.RULES:
        return extensions.RULES[code][0].url
    rule = find(code)
    return f"{SITE}/{rule.code}-{rule.name}" if SITE and rule is not None else ""
