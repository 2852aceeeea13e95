"""The oracle on models written here: torch's answers are stable, and the linter stands by what it says of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from . import catalogue, scoring
from .builders import arguments, package_model
from .fresh_wider import WIDER
from .inject import mutants
from .mutants import Mutant
from .scoring import Scored, folder_of

SEED = 5
EACH = 12


@pytest.fixture(scope="module")
def made() -> list[Mutant]:
    known: set[object] = set()
    return [
        mutant
        for name, model in catalogue.OWN.items()
        for mutant in mutants(name, model, folder_of(model.package), EACH, SEED, known)
    ]


@pytest.fixture(scope="module")
def scored(made: list[Mutant]) -> list[Scored]:
    return list(scoring.score(made))


def test_sets_share_no_model() -> None:
    assert not catalogue.KNOWN.keys() & catalogue.FRESH.keys()
    known = {m.package for m in catalogue.KNOWN.values()}
    assert {"monai", "diffusers", "x_transformers", *(m.package for m in WIDER.values())}.isdisjoint(known)


def test_torch_has_an_answer_to_nearly_all(made: list[Mutant]) -> None:
    labels = [mutant.label for mutant in made]
    assert labels.count("hazard") >= 15
    assert labels.count("clean") >= 15
    assert labels.count("unreached") == 0


def test_a_write_may_be_an_error_in_another_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "gated"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from torch import nn\n\n\nclass Gate(nn.Module):\n"
        "    def __init__(self, width, act=nn.Identity, doubled=False):\n"
        "        super().__init__()\n        self.proj = nn.Linear(width, width)\n        self.act = act()\n\n"
        "    def forward(self, x):\n        z = self.act(self.proj(x))\n        return z + 1\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("tests.injected.inject.WRITES", ("{} += 0.25",))
    model = package_model("gated", "gated:Gate", arguments(lambda torch: (torch.randn(2, 4),)), 4)
    (found,) = (m for m in mutants("gated", model, package, 9, 1, set()) if m.name == "z")
    assert found.label == "elsewhere"
    assert found.error.startswith(
        ("Gate with act=Sigmoid: one of", "Gate with act=Tanh: one of", "Gate with act=ReLU: one of")
    )


def test_hazards_are_found(scored: list[Scored]) -> None:
    hazards = [s for s in scored if s.mutant.label == "hazard"]
    missed = [s.mutant for s in hazards if not s.possible]
    assert sum(bool(s.default) for s in hazards) >= 0.9 * len(hazards)
    assert not missed, "\n".join(f"{m.file}:{m.after + 1} {m.line.strip()}: {m.error}" for m in missed)


def test_clean_ones_are_not_flagged(scored: list[Scored]) -> None:
    flagged = [
        f"{s.mutant.line.strip()}: {told}"
        for s in scored
        if s.mutant.label == "clean"
        for told in s.default
        if told.code != "IPL205"
    ]
    assert not flagged, "\n".join(flagged)


def test_what_is_found_is_what_the_command_says(scored: list[Scored], tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    for path in folder_of("models").glob("*.py"):
        (tmp_path / "models" / path.name).write_text(path.read_text("utf-8"), "utf-8")
    one = next(s for s in scored if s.default)
    changed = tmp_path / one.mutant.file
    changed.write_text(one.mutant.text(changed.read_text("utf-8")), "utf-8")
    command = [sys.executable, "-m", "inplace_lint", "check", "--isolated", "--select", "IPL1,IPL205"]
    command += [
        "--output-format",
        "json",
        *(str(tmp_path / f) for f in (one.mutant.file, *one.mutant.callers)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    said = {(f["code"], f["location"]["row"], f["message"]) for f in json.loads(done.stdout)}
    assert {(told.code, told.row, told.message) for told in one.default} <= said


def test_a_finding_at_a_caller_in_another_file_counts(tmp_path: Path) -> None:
    package = tmp_path / "pair"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "helper.py").write_text("def keep(x):\n    y = x.size()\n    return y\n", "utf-8")
    (package / "gate.py").write_text(
        "import torch\n\nfrom .helper import keep\n\n\ndef gate(x):\n    y = torch.sigmoid(x * 2)\n    keep(y)\n"
        "    return y\n",
        "utf-8",
    )
    mutant = Mutant(
        "pair", "pair/helper.py", "keep", "x", True, 2, "    x.mul_(2)", ["pair/gate.py"], "hazard"
    )
    (told,) = scoring.Linter(tmp_path).score(mutant).default
    assert (told.code, told.file, told.row) == ("IPL101", "pair/gate.py", 8)


def test_a_package_without_an_init_file_has_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert folder_of("bare") == tmp_path / "bare"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--set", "fresh", "--seed", "3"], "are for the fresh set"),
        (["--set", "known", "--seed", "1000"], "are for the fresh set"),
        (["--set", "fresh", "--scored", "x"], "only with --cases"),
    ],
)
def test_fresh_cases_are_not_seen_by_accident(options: list[str], words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.injected", *options],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 2
    assert words in done.stderr
