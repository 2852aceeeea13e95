"""How the server starts, and what a call that cannot work says."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from .client import CAPABILITIES, Client, address

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


def test_an_editor_may_connect_to_a_port(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef f(x):\n    y = x.exp()\n    y += 1\n    return y\n"

    async def talk(port: int) -> None:
        client = Client()
        await client.start_tcp("127.0.0.1", port)
        await client.initialize_async(lsp.InitializeParams(CAPABILITIES))
        client.initialized(lsp.InitializedParams())
        client.open(address(tmp_path / "a.py"), text)
        (one,) = await client.diagnostics(address(tmp_path / "a.py"))
        assert one.code == "IPL101"
        with pytest.raises(OSError):  # it is there for one
            socket.create_connection(("127.0.0.1", port), timeout=5)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    server = subprocess.Popen(
        [sys.executable, str(MAIN), "server", "--tcp", "0"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        assert line.startswith("Waiting for an editor at 127.0.0.1:")
        asyncio.run(talk(int(line.rstrip(".\n").rpartition(":")[2])))
        told = server.stderr.read()
        assert (server.wait(60), "Traceback" in told) == (0, False), told
    finally:
        server.kill()
        server.wait()


def test_a_port_that_cannot_be_used_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call("--tcp", str(port))
    assert done.returncode == 2
    assert done.stderr == f"inplace-lint: port {port} cannot be used: {os.strerror(errno.EADDRINUSE)}\n"
    assert "needs a number from 0 to 65535, not `70000`" in call("--tcp", "70000").stderr
    assert "--stdio and --tcp contradict each other" in call("--tcp", "1", "--stdio").stderr
