"""Defines the plain values that all layers exchange: diagnostics, labels, locations, severities, fixes."""

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
