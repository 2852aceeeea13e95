"""How fast the language server answers edits: the time from a change to the findings of that very version.

    python benchmarks/server.py FILE.py [EDITS] [PAUSE]

opens a file in a server, as an editor does, and makes 200 edits: letters are typed and deleted within functions, lines
come and go, every tenth edit writes in place what sigmoid saved, so that there is something to find and to take back.
Each edit is answered before the next, which comes a pause later (0.2 s, as fast as one types), for while edits come
without a pause the server rests as long as it worked. The content of each answer is compared with that of a fresh
analysis after every fifth edit. Nothing is written to the file.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import time
from pathlib import Path

from lsprotocol import types as lsp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inplace_lint.analysis.program import forget
from inplace_lint.server.analysis import Analysis
from tests.server.client import Client, address, session


class Typist:
    """A text that is edited as people do, with the edits as a client tells them."""

    def __init__(self, text: str, seed: int = 0) -> None:
        self.lines = text.split("\n")
        self.rng = random.Random(seed)
        self.undo: list[tuple[int, int, list[str]]] = []
        inside = [n for n, line in enumerate(self.lines) if line.startswith("        return ")]
        self.places = inside or [len(self.lines) - 1]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def edit(self, number: int) -> lsp.TextDocumentContentChangePartial:
        """The next edit; each third one takes one back, so that the text stays what it is about."""
        if self.undo and number % 3 == 0:
            return self.replace(*self.undo.pop())
        row = min(self.rng.choice(self.places), len(self.lines) - 1)
        if number % 10 == 1:
            new = ["        _s = torch.sigmoid(torch.ones(3, requires_grad=True))", "        _s += 1"]
            new += ["        _s.sum().backward()", self.lines[row]]
        elif number % 2:
            new = [f"        _unused = {number}", self.lines[row]]
        else:
            new = [self.lines[row] + f"  # {number}"]
        self.undo.append((row, row + len(new), self.lines[row : row + 1]))
        return self.replace(row, row + 1, new)

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
        times, wrong, some = [], 0, 0
        for number in range(1, edits + 1):
            await asyncio.sleep(pause)
            change = typist.edit(number)
            before = time.perf_counter()
            client.change(uri, number + 1, change)
            found = await client.diagnostics(uri, number + 1)
            times.append(time.perf_counter() - before)
            some += bool(found)
            if number % 5 == 1:
                wrong += sorted(one.message for one in found) != fresh(path, typist.text)
        report("edits", times)
        print(f"answers with findings: {some}; that differ from those of a fresh analysis: {wrong}")
        await asking(client, uri, typist)


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
