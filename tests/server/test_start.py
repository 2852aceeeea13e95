"""How the server starts, and what a call that cannot work says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MAIN = Path(__file__).parents[2] / "inplace_lint" / "__main__.py"


def call(*argv: str, site: bool = True) -> subprocess.CompletedProcess[str]:
    flags = [] if site else ["-S"]
    return subprocess.run(
        [sys.executable, *flags, str(MAIN), "server", *argv],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_without_its_extra_it_says_what_to_install() -> None:
    done = call(site=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "inplace-lint: the server needs pygls, version 2 or newer: pip install 'inplace-lint[lsp]'\n"
    )


def test_arguments_are_refused() -> None:
    done = call("model.py")
    assert done.returncode == 2
    assert done.stderr.startswith("inplace-lint: server takes no arguments")
    assert "unknown option --port" in call("--port").stderr


def test_it_ends_with_its_input_as_its_worker_does() -> None:
    assert call("--stdio").returncode == 0
    assert call("--worker").returncode == 0


def test_what_a_worker_imports_is_no_protocol() -> None:
    code = "import sys, inplace_lint.server.analysis, inplace_lint.server.worker; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=MAIN.parents[1],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert not {"pygls", "lsprotocol", "torch", "asyncio"} & set(done.stdout.split())
