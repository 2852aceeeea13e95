"""What is kept between runs: the same findings cold and warm, whatever changed in between."""

from __future__ import annotations

import io
import os
import random
import sys
import time
from pathlib import Path

import pytest

from inplace_lint.api import check_paths
from inplace_lint.cli import main
from inplace_lint.engine import pipeline, store
from inplace_lint.fixes import apply
from inplace_lint.prefilter import package_uses
from inplace_lint.project import contents, suppressions
from inplace_lint.project.discovery import Target
from inplace_lint.report import FORMATS

from . import changing
from .changing import Lint, stored


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_the_same_warm(form: str, lint: Lint) -> None:
    changing.begin(Path())
    argv = ("--output-format", form, "--notes")
    cold = lint(*argv)
    assert "IPL" in cold
    assert cold == lint(*argv) == lint(*argv, "--no-cache")


def test_a_second_run_looks_at_nothing(lint: Lint, examined: list[str]) -> None:
    changing.begin(Path())
    lint()
    assert "pkg/gate.py" in examined
    examined.clear()
    lint()
    lint("pkg/gate.py", "pkg/base.py")
    lint("--select", "IPL4", "--min-confidence", "certain", "--output-format", "concise")
    assert examined == []
    lint("--notes")
    assert "pkg/gate.py" in examined


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of which edits are made."""
    seen: list[str] = []
    resolve = apply.resolve

    def noting(planned, source, trial, known):  # type: ignore[no-untyped-def]
        seen.append(planned[0].location.filename.replace(os.sep, "/"))
        resolve(planned, source, trial, known)

    monkeypatch.setattr(apply, "resolve", noting)
    return seen


def test_edits_are_made_once(lint: Lint, tried: list[str], examined: list[str]) -> None:
    changing.begin(Path())
    changing.put(Path(), "other.py", changing.ATTENTION)
    some, every = ("--output-format", "json", "--select", "IPL1"), ("--output-format", "json", "--notes")
    first = lint(*some)
    assert '"edits"' in first
    assert tried == ["pkg/gate.py"]
    second = lint(*every)
    assert "other.py" in tried
    tried.clear()
    examined.clear()
    assert lint(*some) == first
    assert lint(*every) == second
    lint("--output-format", "html")
    assert tried == examined == []
    assert second == lint(*every, "--no-cache")


def test_edits_are_made_anew_when_something_changed_that_they_rest_on(lint: Lint, tried: list[str]) -> None:
    changing.begin(Path())
    argv = ("--output-format", "json")
    lint(*argv)
    for name, form in (("helpers.py", "returns"), ("helpers.py", "writes"), ("gate.py", "full")):
        changing.put(Path(), f"pkg/{name}", changing.FORMS[f"pkg/{name}"][form])
        tried.clear()
        warm = lint(*argv)
        assert "pkg/gate.py" in tried
        assert warm == lint(*argv, "--no-cache")


def test_processes_tell_which_edits_they_made(lint: Lint, tried: list[str]) -> None:
    for number in range(12):
        changing.begin(Path(f"part{number}"))
    cold = lint("--jobs", "2", "--output-format", "json")
    assert tried == []  # others have
    assert cold == lint("--output-format", "json")
    assert tried == []
    assert cold == lint("--output-format", "json", "--no-cache")


def test_what_comments_silence_is_told_all_the_same(lint: Lint) -> None:
    changing.begin(Path())
    for form in changing.FORMS["pkg/gate.py"].values():
        changing.put(Path(), "pkg/gate.py", form)
        assert lint() == lint() == lint("--no-cache")


CALLER = """\
import torch

from pkg.helpers import halve


def gate(x):
    y = torch.sigmoid(x)
    halve(y)
    return y
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"helpers.py": "returns"}, {"helpers.py": "writes"}, id="a-callee-changes"),
        pytest.param({"helpers.py": "writes"}, {"helpers.py": None}, id="a-callee-goes"),
        pytest.param({"helpers.py": None}, {"helpers.py": "writes"}, id="a-missing-file-comes"),
        pytest.param(
            {"helpers.py": "returns"}, {"helpers/__init__.py": "writes"}, id="a-package-shadows-a-file"
        ),
        pytest.param(
            {"helpers.py": "writes", "__init__.py": ""}, {"__init__.py": None}, id="no-package-any-more"
        ),
        pytest.param(
            {"helpers.py": "hands on", "deeper.py": "returns"},
            {"deeper.py": "writes"},
            id="two-files-away-a-change",
        ),
        pytest.param(
            {"helpers.py": "hands all on", "deeper.py": None},
            {"deeper.py": "writes"},
            id="two-files-away-a-new-one",
        ),
        pytest.param({"helpers.py": "unreadable"}, {"helpers.py": "writes"}, id="a-callee-can-be-read-again"),
    ],
)
def test_a_finding_goes_by_what_it_rests_on(
    before: dict[str, str | None], after: dict[str, str | None], lint: Lint, examined: list[str]
) -> None:
    def put(forms: dict[str, str | None]) -> None:
        for name, form in forms.items():
            table = changing.DEEPER if name.startswith("deeper") else changing.HELPERS
            changing.put(Path(), f"pkg/{name}", table.get(form, form) if form is not None else None)

    changing.put(Path(), "pkg/__init__.py", "")
    changing.put(Path(), "pkg/caller.py", CALLER)
    changing.put(
        Path(), "pkg/other.py", "import torch\n\n\ndef f(x):\n    y = x.exp()\n    y += 1\n    return y\n"
    )
    put(before)
    first = lint("pkg/caller.py", "pkg/other.py")
    put(after)
    examined.clear()
    second = lint("pkg/caller.py", "pkg/other.py")
    assert "pkg/caller.py" in examined
    assert ("pkg/other.py" in examined) == ("__init__.py" in after)
    assert (first != second) == (
        after != {"__init__.py": None}
    )  # a folder without one is imported all the same
    assert second == lint("pkg/caller.py", "pkg/other.py", "--no-cache")


def test_what_the_project_does_as_a_whole_changes_a_finding(lint: Lint, examined: list[str]) -> None:
    changing.put(Path(), "pkg/__init__.py", "")
    changing.put(Path(), "pkg/attention.py", changing.ATTENTION)
    argv = ("pkg/attention.py", "--output-format", "json")
    before = lint(*argv)
    changing.put(Path(), "pkg/train.py", "def train(loss):\n    loss.backward()\n")
    examined.clear()
    assert lint(*argv) == before
    assert examined == []  # the new file does nothing of the kind
    for form in ("twice", "hooks", "once"):
        changing.put(Path(), "pkg/train.py", changing.FORMS["pkg/train.py"][form])
        assert lint(*argv) == lint(*argv, "--no-cache")
    changing.put(Path(), "pkg/train.py", changing.FORMS["pkg/train.py"]["twice"])
    assert lint(*argv) != before
    os.remove("pkg/__init__.py")  # now each file stands for itself
    assert lint(*argv) == before


@pytest.mark.parametrize("before", [*changing.STEP, None])
def test_how_other_files_call_a_function_changes_a_finding(before: str | None, lint: Lint) -> None:
    changing.begin(Path())
    changing.put(Path(), "pkg/step.py", changing.STEP[before] if before else None)
    first = lint("pkg/gate.py", "pkg/base.py")
    assert first == lint("pkg/gate.py", "pkg/base.py", "--no-cache")
    for form in (*changing.STEP.values(), None):
        changing.put(Path(), "pkg/step.py", form)
        assert lint("pkg/gate.py", "pkg/base.py") == lint("pkg/gate.py", "pkg/base.py", "--no-cache")
    changing.put(Path(), "pkg/step.py", changing.STEP["quiet"])
    quiet = lint("pkg/gate.py")
    changing.put(Path(), "pkg/deeper.py", "def halve(x):\n    return x\n")
    changing.put(Path(), "pkg/step.py", changing.STEP["of another"])
    assert lint("pkg/gate.py") != quiet


@pytest.mark.parametrize(
    ("net", "other"),
    [
        (
            "class Net(nn.Module):\n    def __init__(self, act):\n        super().__init__()\n        self.act = act\n",
            "from torch import nn\nfrom net import Net\n\n\ndef make():\n    return Net(nn.{layer}())\n",
        ),
        (
            "from table import LAYERS\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.act = LAYERS['act']()\n",
            "from torch import nn\nfrom table import LAYERS\n\nLAYERS['act'] = nn.{layer}\n",
        ),
    ],
    ids=["passes to its constructor", "puts into a table"],
)
def test_what_another_file_does_changes_a_finding(net: str, other: str, lint: Lint) -> None:
    forward = "\n    def forward(self, x):\n        y = self.act(x * 2)\n        y += 1\n        return y\n"
    Path("net.py").write_text(f"from torch import nn\n{net}{forward}")
    Path("table.py").write_text("LAYERS = {}\n")
    for layer in ("Sigmoid", "GELU", None, "Sigmoid"):
        if layer is None:
            Path("other.py").unlink()
        else:
            Path("other.py").write_text(other.format(layer=layer))
        assert ("IPL101" in lint("net.py", "--isolated")) is (layer == "Sigmoid")


def test_the_only_method_of_a_name_comes_changes_and_gets_company(lint: Lint) -> None:
    Path("head.py").write_text(
        "from torch import nn\n\n\nclass Head(nn.Module):\n    def __init__(self, coder):\n"
        "        super().__init__()\n        self.coder, self.conv = coder, nn.Linear(3, 3)\n\n"
        "    def forward(self, x):\n        y = self.conv(x).exp()\n        return self.coder.decode_boxes(y).sum()\n"
    )
    method = "class C:\n    def decode_boxes(self, y):\n        {}\n        return y\n"
    for file, body, told in (
        ("other.py", "", False),
        ("coder.py", "y *= 2", True),
        ("coder.py", "y = y * 2", False),
        ("coder.py", "y *= 2", True),
        ("other.py", "pass", False),
        ("other.py", "", True),
    ):
        Path(file).write_text(method.format(body) if body else "")
        assert ("IPL101" in lint("head.py", "--isolated")) is told
        assert lint("head.py", "--isolated") == lint("head.py", "--isolated", "--no-cache")


def test_a_file_between_a_function_and_its_caller_changes_a_finding(lint: Lint) -> None:
    changing.begin(Path())
    changing.put(Path(), "pkg/step.py", changing.STEP["of another"])
    quiet = lint("pkg/gate.py")
    changing.put(Path(), "pkg/deeper.py", "def gate(x):\n    return x\n")  # it gave that of `gate.py` before
    told = lint("pkg/gate.py")
    assert told != quiet
    assert told == lint("pkg/gate.py", "--no-cache")


def test_of_a_package_only_changed_files_are_searched_for_what_it_does(
    lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing.put(Path(), "pkg/__init__.py", "")
    changing.put(Path(), "pkg/attention.py", changing.ATTENTION)
    changing.put(Path(), "pkg/train.py", changing.FORMS["pkg/train.py"]["twice"])
    lint("pkg/attention.py")
    searched: list[str] = []
    search = package_uses._in_file

    def noted(path: str, given: contents.Contents) -> package_uses._Deeds:
        searched.append(Path(path).name)
        return search(path, given)

    monkeypatch.setattr(package_uses, "_in_file", noted)
    monkeypatch.setattr(package_uses, "_records", {})
    changing.put(Path(), "pkg/attention.py", changing.ATTENTION + "\n\ndef more(x):\n    return x + 1\n")
    warm = lint("pkg/attention.py")
    assert searched == ["attention.py"]
    monkeypatch.setattr(package_uses, "_records", {})
    assert warm == lint("pkg/attention.py", "--no-cache")
    assert set(searched) == {"__init__.py", "attention.py", "train.py"}


def test_a_changed_configuration_counts(lint: Lint) -> None:
    changing.begin(Path())
    told = set()
    for form in changing.FORMS["pyproject.toml"].values():
        changing.put(Path(), "pyproject.toml", form)
        told.add(lint("--output-format", "json"))
        assert lint("--output-format", "json") == lint("--no-cache", "--output-format", "json")
    assert len(told) >= 3


@pytest.mark.parametrize("seed", range(4))
def test_after_any_changes_the_findings_are_those_of_a_run_without_cache(seed: int, lint: Lint) -> None:
    chance = random.Random(seed)
    changing.begin(Path())
    steps: list[str] = []
    argv = ("--output-format", "json", "--notes")
    for _ in range(20):
        steps += [changing.change(Path(), chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
        named = chance.choice(([], [], ["pkg"], ["pkg/gate.py", "pkg/block.py"], ["pkg/helpers.py"]))
        assert lint(*named, *argv) == lint(*named, *argv, "--no-cache"), steps


@pytest.mark.parametrize("settled", [True, False], ids=["long-ago", "just-now"])
def test_a_stamp_is_only_trusted_if_the_next_write_will_have_another(
    settled: bool, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system whose clock stands still, as it does for some milliseconds on any."""
    monkeypatch.setattr(contents, "TICK", 2 * 10**9)
    clock = time.time_ns() - (10**12 if settled else 0)
    monkeypatch.setattr(
        contents, "stamp", lambda path: (clock, clock, 0, 0) if os.path.isfile(path) else None
    )
    changing.put(Path(), "pkg/__init__.py", "")
    changing.put(Path(), "pkg/caller.py", CALLER)
    told = []
    for form in ("returns", "writes"):
        changing.put(Path(), "pkg/helpers.py", changing.HELPERS[form])
        told.append(lint("--output-format", "json"))
    assert (told[0] == told[1]) == settled


def test_a_file_that_was_only_touched_is_the_same(lint: Lint, examined: list[str]) -> None:
    changing.begin(Path())
    lint()
    examined.clear()
    for file in Path("pkg").rglob("*.py"):
        text = file.read_bytes()
        file.unlink()
        file.write_bytes(text)
    lint()
    assert examined == []


def test_names_are_those_of_the_working_directory(
    lint: Lint, monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    changing.begin(here)
    lint()
    monkeypatch.chdir(here / "pkg")
    again = lint("--output-format", "json")
    assert again == lint("--output-format", "json", "--no-cache")
    assert '"filename": "gate.py"' in again or '"filename":"gate.py"' in again
    assert stored(here / store.NAME) and not Path(store.NAME).exists()


def test_standard_input_is_looked_up_and_leaves_nothing(
    lint: Lint, examined: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changing.begin(Path())
    lint()
    kept = stored()[0].read_bytes()
    examined.clear()
    text = Path("pkg/gate.py").read_bytes()
    for source, looked_at in ((text, 0), (text + b"\n\nx = 1\n", 1), (text, 0)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source)))
        warm = lint("-", "--stdin-filename", "pkg/gate.py")
        assert len(examined) == looked_at
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source)))
        assert warm == lint("-", "--stdin-filename", "pkg/gate.py", "--no-cache")
        examined.clear()
    assert stored()[0].read_bytes() == kept


def test_fixes_are_made_from_what_was_kept(lint: Lint) -> None:
    texts = {}
    for way in ([], ["--no-cache"]):
        changing.begin(Path())
        if not way:
            lint("--unsafe-fixes")
        told = lint("--fix", "--unsafe-fixes", *way)
        texts[told] = [(file, file.read_bytes()) for file in sorted(Path("pkg").rglob("*.py"))]
    assert len(texts) == 1
    assert lint() == lint("--no-cache")


def test_processes_tell_what_they_found(lint: Lint, examined: list[str]) -> None:
    for number in range(12):
        changing.begin(Path(f"part{number}"))
    cold = lint("--jobs", "2", "--output-format", "json", "--notes")
    assert examined == []  # others have looked
    assert cold == lint("--output-format", "json", "--notes")
    assert examined == []
    Path("part3/pkg/helpers.py").write_text(changing.HELPERS["returns"] or "")
    warm = lint("--jobs", "2", "--output-format", "json", "--notes")
    assert warm != cold
    assert warm == lint("--output-format", "json", "--notes", "--no-cache")


def test_from_python(lint: Lint, examined: list[str]) -> None:
    changing.begin(Path())
    cold = check_paths(cache=True)
    assert "pkg/gate.py" in examined
    examined.clear()
    assert check_paths(cache=True).files == cold.files
    assert examined == []
    text = Path("pkg/helpers.py").read_text()
    Path("pkg/helpers.py").write_text(changing.HELPERS["returns"] or "")
    changed = check_paths(cache=True)
    assert "pkg/gate.py" in examined
    assert [one.code for one in changed.diagnostics] != [one.code for one in cold.diagnostics]
    Path("pkg/helpers.py").write_text(text)
    kept = stored()[0].read_bytes()
    buffers = {"pkg/helpers.py": changing.HELPERS["returns"] or ""}
    unsaved = check_paths(sources=buffers, cache=True)
    assert [one.message for one in unsaved.diagnostics] == [one.message for one in changed.diagnostics]
    assert stored()[0].read_bytes() == kept
    assert lint() == lint("--no-cache")


def test_a_run_that_is_interrupted_keeps_what_it_found(
    lint: Lint, examined: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changing.begin(Path())
    examine = pipeline.examine_file

    def until(target: Target) -> object:
        if target.filename.endswith("gate.py"):
            raise KeyboardInterrupt
        return examine(target)

    monkeypatch.setattr(pipeline, "examine_file", until)
    assert lint().startswith("130\n")
    monkeypatch.setattr(pipeline, "examine_file", examine)
    done = list(examined)
    assert done
    examined.clear()
    again = lint()
    assert not set(done) & set(examined)
    assert again == lint("--no-cache")


def test_a_process_that_checks_twice_sees_what_changed(
    here: Path, examined: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    changing.put(Path(), "pkg/__init__.py", "")
    changing.put(Path(), "pkg/caller.py", CALLER)
    for form, code in (("returns", 0), ("writes", 1), ("writes", 1), ("returns", 0)):
        changing.put(Path(), "pkg/helpers.py", changing.HELPERS[form])
        assert main(["check"]) == code, capsys.readouterr()
    assert examined.count("pkg/caller.py") == 3


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("row", "is_read", "is_silenced"),
    [(1, False, False), (6, True, True), (8, True, True), (9, False, False)],
)
def test_comments_are_read_only_where_one_may_silence_something(
    row: int, is_read: bool, is_silenced: bool, end: str, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        "import torch",
        "",
        "",
        "def f(x):",
        "    y = x.exp()",
        "    y.add_(",
        "        1",
        "    )",
        "    return y",
    ]
    lines[row - 1] += "  # NoQA"
    Path("a.py").write_bytes(end.join([*lines, ""]).encode())
    read, suppress = [], suppressions.suppress

    def noting(filename, *others):  # type: ignore[no-untyped-def]
        read.append(filename)
        return suppress(filename, *others)

    monkeypatch.setattr(suppressions, "suppress", noting)
    for _ in range(2):
        assert ("IPL101" in lint()) is not is_silenced
        assert bool(read) is is_read
