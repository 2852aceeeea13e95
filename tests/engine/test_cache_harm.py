"""A cache that is damaged, foreign or in the way harms nothing, and neither do runs that are killed or that meet."""

from __future__ import annotations

import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inplace_lint.cli import main
from inplace_lint.engine import cache, graph, store

from . import changing
from .changing import Lint, stored

ROOT = Path(__file__).parents[2]
GATE = "import torch\n\n\ndef gate(x, bias):\n    y = torch.sigmoid(x)\n    y += bias\n    return y\n"
JSON = ("--output-format", "json")
needs_no_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)


def command(*argv: str, cwd: Path, home: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(home)}
    words = [sys.executable, "-m", "inplace_lint", "check", *argv]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, cwd=cwd, env=environment, text=True, **pipes)  # type: ignore[call-overload, no-any-return]


@given(st.data())
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_a_damaged_cache_is_none(lint: Lint, data: st.DataObject) -> None:
    Path("a.py").write_text(GATE)
    cold = lint(*JSON)
    (file,) = stored()
    whole = file.read_bytes()
    if data.draw(st.booleans()):
        damaged = whole[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        place, flipped = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(1, 255))
        damaged = whole[:place] + bytes([whole[place] ^ flipped]) + whole[place + 1 :]
    file.write_bytes(damaged)
    assert store.load(store.NAME, file.name.removesuffix(store.ENDING)) is None
    assert lint(*JSON) == cold
    assert stored()[0].read_bytes() != damaged


@given(st.binary() | st.text().map(str.encode) | st.integers(0, 10**6))
def test_what_is_no_graph_is_refused(content: bytes | int) -> None:
    one = graph.Graph()
    one.nodes["/p/a.py"] = graph.Node("00", {"/p/b.py"}, {"/p/c.py": False}, {("/p", "f"): "00"})
    one.entries["/p/a.py", True] = graph.Entry("[]", 1)
    one.entries["/p/a.py", graph.EDITS] = graph.Entry("[]", 0)
    one.seen["/p/a.py"] = ((1, 2, 3, 4), "00")
    body = graph.dumped(one, "/p")
    assert graph.loaded(body, "/p") == one
    if isinstance(content, int):
        place = content % len(body)
        content = body[:place] + bytes([body[place] ^ (content >> 8) & 255]) + body[place + 1 :]
    with suppress(ValueError):
        graph.loaded(content, "/p")


def test_a_cache_that_another_wrote_is_none(lint: Lint, examined: list[str], tmp_path: Path) -> None:
    """As one that comes with a repository: it says that a file has no findings."""
    Path("a.py").write_text("x = 1\n")
    lint()
    (file,) = stored()
    Path("a.py").write_text(GATE)
    expected = lint()
    key = tmp_path / "home" / "inplace-lint" / "key"
    name, content = file.name.removesuffix(store.ENDING), file.read_bytes()
    body = content[32:]
    told = b"\n".join([*body.split(b"\n")[:-1], b"[]"])
    assert "IPL101" in expected
    mine = key.read_bytes()
    key.write_bytes(bytes(32))
    assert store.save(store.NAME, name, told)
    examined.clear()
    assert "IPL101" not in lint()  # by who has that key
    assert examined == []
    key.write_bytes(mine)
    assert lint() == expected
    assert examined == ["a.py"]


def test_a_key_that_others_may_read_is_none(lint: Lint, examined: list[str], tmp_path: Path) -> None:
    Path("a.py").write_text(GATE)
    lint()
    key = tmp_path / "home" / "inplace-lint" / "key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(0o644)
    lint()
    assert examined == ["a.py", "a.py"]


@pytest.mark.parametrize("way", ["link", "other", "file"])
def test_nothing_is_written_into_what_is_no_cache(way: str, lint: Lint, tmp_path: Path) -> None:
    """A repository may hold a link under the name of the cache, or name a folder of the user's in its configuration."""
    home = tmp_path / "documents"
    home.mkdir()
    (home / "letter.txt").write_text("Dear")
    Path("a.py").write_text(GATE)
    if way == "link":
        Path(store.NAME).symlink_to(home, target_is_directory=True)
    elif way == "other":
        Path("inplace-lint.toml").write_text(f'cache-dir = "{home.as_posix()}"\n')
    else:
        Path(store.NAME).write_text("mine")
    first = lint()
    assert "IPL101" in first and first == lint()
    assert main(["clean"]) == 0
    assert [one.name for one in home.iterdir()] == ["letter.txt"]
    assert Path(store.NAME).is_symlink() == (way == "link")


@needs_no_root
def test_a_directory_that_cannot_be_written_needs_no_cache(lint: Lint, here: Path) -> None:
    Path("a.py").write_text(GATE)
    here.chmod(0o555)
    try:
        assert lint() == lint()
        assert not Path(store.NAME).exists()
    finally:
        here.chmod(0o755)


def test_where_a_file_stands_in_the_way_there_is_no_cache(lint: Lint, tmp_path: Path) -> None:
    Path("a.py").write_text(GATE)
    (tmp_path / "home").write_text("no directory")
    assert lint() == lint()
    assert not Path(store.NAME).exists()
    assert lint("--cache-dir", str(tmp_path / "home" / "x")) == lint()


def test_a_directory_of_ones_own(lint: Lint, examined: list[str], tmp_path: Path) -> None:
    Path("a.py").write_text(GATE)
    elsewhere = tmp_path / "deep" / "elsewhere"
    for _ in range(2):
        lint("--cache-dir", str(elsewhere))
    assert examined == ["a.py"]
    assert stored(elsewhere) and not Path(store.NAME).exists()
    Path("inplace-lint.toml").write_text('cache-dir = "kept"\n')
    lint()
    assert stored(Path("kept"))


def test_versions_and_configurations_do_not_pile_up(lint: Lint, examined: list[str], tmp_path: Path) -> None:
    Path("a.py").write_text(GATE)
    for number in range(12):
        lint("--config", f"target-torch=2.{number}")
    assert len(stored()) == 8
    elsewhere = tmp_path / "elsewhere"
    for number in range(10):
        changing.put(Path(), f"part{number}/inplace-lint.toml", "")
        changing.put(Path(), f"part{number}/a.py", GATE)
    examined.clear()
    for _ in range(2):
        lint("--cache-dir", str(elsewhere))
    assert len(examined) == 11
    old = stored(elsewhere)[:2]  # one of them may be that of `a.py`, which is written anew
    for one in old:
        os.utime(one, (0, 0))
    Path("a.py").write_text("x = 1\n")
    lint("--cache-dir", str(elsewhere))
    assert not all(one.exists() for one in old)


def test_another_state_of_the_tool_remembers_nothing(
    lint: Lint, examined: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(GATE)
    lint()
    monkeypatch.setattr(cache, "_tool", lambda: "changed")
    lint()
    assert examined == ["a.py", "a.py"]


def test_the_tool_is_another_when_one_of_its_files_is_written(tmp_path: Path) -> None:
    code = "from inplace_lint.engine import cache; print(cache._tool())"
    copy = tmp_path / "inplace_lint"
    shutil.copytree(ROOT / "inplace_lint", copy, ignore=shutil.ignore_patterns("__pycache__"))

    def told() -> str:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout

    before = told()
    assert before == told()
    file = copy / "interp" / "storage.py"
    file.write_bytes(file.read_bytes() + b"\n")
    assert told() != before


def test_clean_removes_its_own_files_alone(
    lint: Lint, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text(GATE)
    changing.put(here, "nested/inplace-lint.toml", "notes = true\n")
    changing.put(here, "nested/b.py", GATE)
    lint()
    assert (here / "nested" / store.NAME).is_dir()
    (here / "nested" / store.NAME / "mine.txt").write_text("mine")
    assert Path(store.NAME, ".gitignore").read_text() == "*\n"
    assert (
        Path(store.NAME, "CACHEDIR.TAG")
        .read_bytes()
        .startswith(b"Signature: 8a477f597d28d172789f06886806bc55\n")
    )
    assert main(["clean"]) == 0
    assert not Path(store.NAME).exists()
    assert [one.name for one in (here / "nested" / store.NAME).iterdir()] == ["mine.txt"]
    assert main(["clean"]) == 0
    assert "Nothing to remove" in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(1))
def test_a_run_that_is_killed_leaves_nothing_half(seed: int, lint: Lint, here: Path, tmp_path: Path) -> None:
    chance = random.Random(seed)
    for number in range(10):
        changing.begin(here / f"part{number}")
    for _ in range(4):
        run = command("--jobs", "1", cwd=here, home=tmp_path / "home")
        time.sleep(chance.uniform(0.1, 1.2))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        changing.change(here / f"part{chance.randrange(10)}", chance)
    assert lint(*JSON) == lint(*JSON) == lint(*JSON, "--no-cache")


def test_runs_that_meet_leave_a_cache_that_holds(lint: Lint, here: Path, tmp_path: Path) -> None:
    for number in range(6):
        changing.begin(here / f"part{number}")
        changing.put(here, f"part{number}/pyproject.toml", None)
    runs = [
        command(f"part{number}", ".", "--jobs", "1", cwd=here, home=tmp_path / "home") for number in range(3)
    ]
    told = {run.communicate(timeout=120) for run in runs}
    assert {run.returncode for run in runs} == {1}
    assert all("Traceback" not in error for _, error in told)
    assert len(stored()) == 1 and not list(Path(store.NAME).glob("*.part"))
    assert lint(*JSON) == lint(*JSON, "--no-cache")
