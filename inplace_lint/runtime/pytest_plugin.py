"""`pytest --inplace-trace`: runs each test under the version tracer, and fails it if a hazard occurred.

Without the option nothing is imported: pytest loads this file at every start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    import pytest

MARKER = "inplace_hazards_expected"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("inplace-lint")
    group.addoption(
        "--inplace-trace",
        action="store_true",
        help="fail tests in which a tensor that autograd saved is changed in place before backward reads it",
    )
    group.addoption(
        "--inplace-trace-no-checksums",
        action="store_true",
        help="with --inplace-trace: watch version counters alone, which costs less",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARKER}: with --inplace-trace, hazards do not fail this test")
    if not config.getoption("--inplace-trace"):
        return
    import pytest

    from . import TorchMissing, require_torch

    try:
        require_torch()
    except TorchMissing as error:
        raise pytest.UsageError(f"--inplace-trace: {error}") from error
    config.pluginmanager.register(
        _plugin(not config.getoption("--inplace-trace-no-checksums")), "inplace-trace"
    )


def _plugin(checksums: bool) -> object:
    import pytest

    from .tracer import Trace

    class Plugin:
        """Traces each test including its fixtures, so that saves made in a fixture count too."""

        def __init__(self) -> None:
            self._trace: Trace | None = None

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self) -> Generator[None, object, object]:
            self._trace = Trace(checksums=checksums, on_hazard=None)
            with self._trace:
                return (yield)

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(
            self, item: pytest.Item
        ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
            report = yield
            trace = self._trace
            if report.when != "call" or trace is None or not trace.hazards:
                return report
            if item.get_closest_marker(MARKER) is not None:
                return report
            if report.outcome == "passed":
                report.outcome = "failed"
                count = len(trace.hazards)
                head = f"{count} hazard{'s' if count != 1 else ''} in this test, though it passed:"
                report.longrepr = f"{head}\n\n{trace.report()}".rstrip()
            else:
                report.sections.append(("inplace-lint", trace.report()))
            return report

    return Plugin()
