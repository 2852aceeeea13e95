"""On the differential tests' random programs the tracer ends as PyTorch does, and sees hazards where it raises."""

from __future__ import annotations

import itertools

from inplace_lint.runtime.tracer import Trace

from ..differential.generator import Program, generate
from ..differential.oracle import FILENAME, Discard, _execute


def ending(program: Program, outcome: tuple[bool, ...]) -> tuple[object, ...] | None:
    """How a program ends: the kind of its error and the lines that raised it, if it raises."""
    code = compile(program.source, FILENAME, "exec", dont_inherit=True)
    try:
        error = _execute(code, program, outcome, {}, [])
    except Discard as reason:
        return ("other", str(reason))
    return None if error is None else error[:2]


def test_random_programs_end_as_they_do_without_the_tracer() -> None:
    kinds = []
    for index in range(200):
        program = generate(("tracer", index))
        for outcome in itertools.product((False, True), repeat=program.flags):
            native = ending(program, outcome)
            trace = Trace(on_hazard=None)
            with trace:
                traced = ending(program, outcome)
            assert traced == native, f"{outcome} of\n{program.source}"
            loud = any(hazard.silent is None for hazard in trace.hazards)
            if native is None or native[0] == "stale":
                assert loud == (native is not None), f"{trace.report()}\n{outcome} of\n{program.source}"
            if native is None:
                assert not trace.hazards, f"{trace.report()}\n{outcome} of\n{program.source}"
            kinds.append(native and native[0])
    assert kinds.count(None) > 200
    assert kinds.count("stale") > 100
