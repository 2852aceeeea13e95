"""How fast the language server answers edits: the time from a change to the findings of that very version.

    python benchmarks/server.py FILE.py [EDITS] [PAUSE]

opens a file in a server, as an editor does, and makes 200 edits: lines come, change and go within functions; of ten
edits one writes in place what sigmoid saved, one alters that write, one mends it. Each edit is answered before the
next, which comes a pause later (0.2 s, as fast as one types): while edits come without a pause the server rests as long
as it worked. After every twentieth edit the answer is compared with a fresh analysis. The file is not written.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
from pathlib import Path

from lsprotocol import types as lsp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inplace_lint.interp.program import forget
from inplace_lint.server.analysis import Analysis
from tests.server.client import Client, address, session


class Typist:
    """A text that is edited as people do, with the edits as a client tells them."""

    def __init__(self, text: str, seed: int = 0) -> None:
        self.lines = text.split("\n")
        self.rng = random.Random(seed)
        self.write = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def edit(self, number: int) -> lsp.TextDocumentContentChangePartial:
        """The next edit. Of ten, one writes what sigmoid saved, one alters that, one mends it; others are harmless."""
        row = self.rng.choice(self.rows("        return "))
        if number % 10 == 1:
            self.write = row + 1
            new = ["        _s = torch.sigmoid(torch.ones(3, requires_grad=True))", "        _s += 1"]
            return self.replace(row, row, [*new, "        _s.sum().backward()"])
        if number % 10 in (2, 3):
            new = ["        _s += 2" if number % 10 == 2 else "        _s = _s + 2"]
            return self.replace(self.write, self.write + 1, new)
        marks = self.rows("        _unused = ")
        if number % 3 == 0 and marks:
            return self.replace(marks[0], marks[0] + 1, [])
        if number % 2:
            return self.replace(row, row, [f"        _unused = {number}"])
        return self.replace(row, row + 1, [self.lines[row] + f"  # {number}"])

    def rows(self, begin: str) -> list[int]:
        return [number for number, line in enumerate(self.lines) if line.startswith(begin)]

    def replace(self, first: int, last: int, new: list[str]) -> lsp.TextDocumentContentChangePartial:
        self.lines[first:last] = new
        span = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
        return lsp.TextDocumentContentChangePartial(span, "".join(f"{line}\n" for line in new))


async def measure(path: Path, edits: int, pause: float) -> None:
    text = path.read_text(encoding="utf-8")
    typist, uri = Typist(text), address(path)
    begun = time.perf_counter()
    async with session(path.parent) as client:
        started = time.perf_counter()
        client.open(uri, text)
        await client.diagnostics(uri)
        print(f"{path.name}: {len(typist.lines)} lines; server up in {started - begun:.2f} s")
        print(f"first findings {time.perf_counter() - started:.2f} s after the file is opened")
        clean, flagged, wrong, before_all = [], [], 0, cpu(client._server.pid)
        for number in range(1, edits + 1):
            await asyncio.sleep(pause)
            change = typist.edit(number)
            before = time.perf_counter()
            client.change(uri, number + 1, change)
            found = await client.diagnostics(uri, number + 1)
            took = time.perf_counter() - before
            codes = {one.code for one in found}
            (flagged if "IPL101" in codes else clean).append(took)
            assert "IPL000" not in codes, "the text is no Python: nothing is measured"
            if number % 20 == 1:
                wrong += sorted(one.message for one in found) != fresh(path, typist.text)
        used = (cpu(client._server.pid) - before_all) / edits
        report("edits", clean + flagged)
        report("- that leave no hazard", clean)
        report("- after which one stands", flagged)
        print(
            f"CPU of the server for one edit: {used * 1000:.0f} ms; answers unlike a fresh analysis: {wrong}"
        )
        await asking(client, uri, typist)
        print("memory, MiB:", ", ".join(memory(client._server.pid)))


def processes(pid: int) -> list[Path]:
    """Where the system tells of the server and its workers; nothing where it does not."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    pids = [pid, *map(int, children.read_text().split())] if children.exists() else []
    return [Path(f"/proc/{one}") for one in pids]


def memory(pid: int) -> list[str]:
    """The memory that each process holds, in MiB."""
    rows = [line.split() for one in processes(pid) for line in (one / "status").read_text().splitlines()]
    return [str(int(row[1]) // 1024) for row in rows if row[0] == "VmRSS:"]


def cpu(pid: int) -> float:
    """The CPU seconds that the server and its workers have taken."""
    fields = [(one / "stat").read_text().rpartition(")")[2].split() for one in processes(pid)]
    return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK")


async def asking(client: Client, uri: str, typist: Typist) -> None:
    """How long what is asked about a finding takes."""
    change = typist.edit(1)
    client.change(uri, 10_000, change)
    found = await client.diagnostics(uri, 10_000)
    if not found:
        return
    where = found[0].range
    hovers, actions = [], []
    for _ in range(5):
        before = time.perf_counter()
        await client.hover(uri, where.start.line, where.start.character)
        hovers.append(time.perf_counter() - before)
        before = time.perf_counter()
        await client.actions(uri, where)
        actions.append(time.perf_counter() - before)
    report("hovers (the first starts a process)", hovers)
    report("quick fixes", actions)


def fresh(path: Path, text: str) -> list[str]:
    forget(everything=True)
    analysis = Analysis()
    analysis.tell({str(path): text.encode()})
    return sorted(one.message for one in analysis.check(str(path)).findings)


def report(what: str, times: list[float]) -> None:
    if not times:
        print(f"{what}: none; was the file passed over, as those in an environment are?")
        return
    high = sorted(times)[min(len(times) - 1, round(len(times) * 0.95))]
    middle, longest = statistics.median(times), max(times)
    figures = (
        f"median {middle * 1000:.0f} ms, 95 % within {high * 1000:.0f} ms, longest {longest * 1000:.0f} ms"
    )
    print(f"{what}: {len(times)}, {figures}")


if __name__ == "__main__":
    file, count, gap = (*sys.argv[1:], *("", "200", "0.2")[len(sys.argv) - 1 :])[:3]
    if not file:
        sys.exit(__doc__)
    asyncio.run(measure(Path(file).resolve(), int(count), float(gap)))
