"""The plain values that travel between the layers: diagnostics, labels, places, severities, fixes."""

from .diagnostic import (
    CONFIDENCES,
    SEVERITIES,
    Diagnostic,
    Edit,
    Fix,
    FixPlan,
    Label,
    Location,
    Refused,
    Rule,
    at_least,
)

__all__ = [
    "CONFIDENCES",
    "SEVERITIES",
    "Diagnostic",
    "Edit",
    "Fix",
    "FixPlan",
    "Label",
    "Location",
    "Refused",
    "Rule",
    "at_least",
]
