"""A finding as all formats are shown it, and what a format makes of findings."""

from __future__ import annotations

from typing import Any

from inplace_lint.model import Diagnostic, Edit, Fix, Label, Location
from inplace_lint.report import render
from inplace_lint.report.findings import Findings

GATE = "x = f()\ny = torch.sigmoid(x)\ny += 1\n"


def finding(file: str = "pkg/gate.py", shift: int = 0, severity: str = "error", **more: Any) -> Diagnostic:
    """What was saved in the second line is written in the third; `more` replaces parts of it."""
    parts: dict[str, Any] = {
        "code": "IPL101",
        "name": "saved-result-overwritten",
        "severity": severity,
        "confidence": "likely",
        "message": "`y` is changed: 100%",
        "location": Location(file, 3 + shift, 1, 3 + shift, 7),
        "labels": (
            Label("save", "SigmoidBackward0 saves this result", Location(file, 2 + shift, 5, 2 + shift, 21)),
        ),
        "caption": "add_ moves its version",
        "help": "use `y = y + 1`",
        "fix": Fix("unsafe", "one more temporary", (Edit("y = y + 1", Location(file, 3, 1, 3, 7)),)),
    }
    return Diagnostic(**{**parts, **more})


def found(*diagnostics: Diagnostic, text: str = GATE, root: str = ".", **more: Any) -> Findings:
    """These findings in files that hold `text`."""
    files = dict.fromkeys(one.location.filename for one in diagnostics)
    places = (one for diagnostic in diagnostics for one in (diagnostic, *diagnostic.labels))
    texts = {one.location.filename: text.encode("utf-8", "surrogatepass") for one in places}
    return Findings(diagnostics, lambda _: root, texts, **{"files": list(files), **more})


def out(name: str, *diagnostics: Diagnostic, text: str = GATE, root: str = ".", **more: Any) -> str:
    """What the format of that name writes of them."""
    return render(name, found(*diagnostics, text=text, root=root, **more))


def verdict(
    status: str = "confirmed", reason: str = "PyTorch raises in backward", **more: Any
) -> dict[str, Any]:
    """A verdict as `confirm` gives it."""
    given = {"inputs": {"x": "f32[2,3]"}, "device": "cpu", "conflicts": [], "peak": None, "proof": None}
    return {"status": status, "reason": reason, **given, **more}
