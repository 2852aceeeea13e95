"""Programs that look like hazards and are none: counters, dicts, fresh buffers, initialisers, clones and their kin.

Each file holds short programs, parted by `--- what it is`. Each runs in torch, which proves it safe (it ends in a
backward wherever there is one to run), and none is flagged at the default confidence.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings


def _programs() -> list[tuple[str, str]]:
    found = []
    for path in sorted(Path(__file__).parent.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("--- ")[1:]:
            title, _, source = part.partition("\n")
            found.append((f"{path.stem}: {title}", source))
    return found


PROGRAMS = _programs()
NAMES = [name for name, _ in PROGRAMS]


def test_there_are_a_hundred_of_them():
    assert len(PROGRAMS) >= 100
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("source", [source for _, source in PROGRAMS], ids=NAMES)
def test_runs_in_torch(source):
    torch = pytest.importorskip("torch")
    if "numpy" in source:
        pytest.importorskip("numpy")
    torch.manual_seed(0)
    exec(compile(source, "program", "exec"), {"__name__": "program"})


@pytest.mark.parametrize("source", [source for _, source in PROGRAMS], ids=NAMES)
def test_is_not_flagged(source):
    assert [str(found) for found in examine("program.py", source.encode(), Settings())] == []


def _definitions(source: str) -> str:
    """Functions and classes alone, as a library holds them: nobody says what they are given."""
    kept = (" ", "def ", "class ", "@", "import ", "from ")
    return "\n".join(line for line in source.split("\n") if line.startswith(kept))


def _compiles(text: str) -> bool:
    try:
        compile(text, "program", "exec")
    except SyntaxError:
        return False
    return True


LIBRARIES = {name: text for name, source in PROGRAMS if _compiles(text := _definitions(source))}


@pytest.mark.parametrize("text", LIBRARIES.values(), ids=LIBRARIES)
def test_is_not_flagged_where_only_its_definitions_are_in_sight(text):
    assert [str(found) for found in examine("program.py", text.encode(), Settings())] == []


def test_most_of_them_have_definitions():
    assert len(LIBRARIES) >= 80
