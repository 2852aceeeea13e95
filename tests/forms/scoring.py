"""Forms of Python, each of which leads one tensor to an in-place write: does the tool follow what Python does?

A form is some code with two tensors, A and B, of which it changes A alone. Run with the saved result of `exp` for A
and plain zeros for B, backward raises; the other way round it does not. So each form is one program that has to be
reported and one that must not be, and torch says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inplace_lint.checks import check_source
from inplace_lint.project import Project, Settings

#: The sets: six of the tool's makers, by which it is mended, and two by somebody who saw nothing of it.
SETS = ("containers", "values", "classes", "library", "protocols", "modules", "blind_first", "blind_second")
MODULES = (
    "abc, bisect, collections, contextlib, copy, dataclasses, enum, functools, heapq, inspect, itertools, math, "
    "operator, queue, random, re, string, sys, types, typing, weakref"
)
PROGRAM = """import {modules}
import torch
{top}

def f(x):
    h = torch.exp(x * 1)
    z = torch.zeros(3)
{body}
    return h.sum() + z.sum()


f(torch.ones(3, requires_grad=True)).backward()
"""


@dataclass(frozen=True)
class Form:
    """One form: its code at the top level, and in the function that has the tensors."""

    name: str
    top: str
    body: str

    def program(self, hazard: bool) -> str:
        """The program in which the saved tensor is changed, or the one in which the other is."""
        a, b = ("h", "z") if hazard else ("z", "h")
        body = re.sub(r"\bA\b", a, re.sub(r"\bB\b", b, self.body))
        lines = [f"    {line}" if line else "" for line in body.splitlines()]
        return PROGRAM.format(modules=MODULES, top=self.top, body="\n".join(lines))

    def wrong(self, library: bool = False) -> str:
        """How the tool fails to follow the form: it misses the hazard, or reports what is none; else nothing.

        `library`: without the last line, which calls the function and runs backward.
        """
        end = -1 if library else None
        missed, false = (
            _is_reported("\n".join(self.program(hazard).splitlines()[:end])) is not hazard
            for hazard in (True, False)
        )
        return " and ".join(word for word, wrong in (("missed", missed), ("false", false)) if wrong)


def _is_reported(program: str) -> bool:
    found = check_source("form.py", program.encode(), Settings(), Project())
    assert not [one for one in found if one.code == "IPL002"], found
    return any(one.code.startswith("IPL1") and one.severity != "note" for one in found)


@cache
def forms(name: str) -> tuple[Form, ...]:
    """The forms of a set."""
    text = (Path(__file__).parent / f"{name}.txt").read_text("utf-8")
    parts = re.split(r"^=== (.*)\n", text, flags=re.MULTILINE)
    found = []
    for title, code in zip(parts[1::2], parts[2::2]):
        top, _, body = f"\n{code}".partition("\n---\n")
        found.append(Form(title, top.strip("\n"), body.rstrip("\n")))
    return tuple(found)
