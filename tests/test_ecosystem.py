"""The record of findings in released packages: how it is compared, kept and proved."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from scripts import ecosystem

ROOT = Path(__file__).parents[1]
REPRODUCTIONS = sorted((ROOT / "benchmarks" / "reproductions").glob("*.py"))
RECORDS = sorted((ROOT / "benchmarks" / "ecosystem").glob("*.json"))

SOURCE = """import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        y = torch.sigmoid(self.fc(x))
        y += 1
        return y
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package in the cache, and a record of it that holds nothing."""
    monkeypatch.setattr(ecosystem, "RECORD", tmp_path / "record")
    monkeypatch.setattr(ecosystem, "ROOT", ROOT)
    (tmp_path / "record").mkdir()
    record = tmp_path / "record" / "gates.json"
    ecosystem.write(record, {"name": "gates", "version": "1.0", "findings": []})
    module = tmp_path / "cache" / "gates-1.0" / "gates" / "__init__.py"
    module.parent.mkdir(parents=True)
    module.write_text(SOURCE, "utf-8")
    return record, module, ["--cache", str(tmp_path / "cache")]


def test_a_new_finding_is_shown_and_recorded(package, capsys):
    record, _, cache = package
    assert ecosystem.main(cache) == 1
    assert "+ IPL101 certain gates/__init__.py:12: y += 1" in capsys.readouterr().out
    assert json.loads(record.read_text("utf-8"))["findings"] == []
    assert ecosystem.main([*cache, "--update"]) == 1
    (finding,) = json.loads(record.read_text("utf-8"))["findings"]
    assert finding["text"] == "y += 1"
    assert ecosystem.main(cache) == 1
    assert "1 without a judgement" in capsys.readouterr().out


def test_a_judgement_stays_when_lines_move_and_goes_with_its_finding(package, capsys):
    record, module, cache = package
    ecosystem.main([*cache, "--update"])
    told = json.loads(record.read_text("utf-8"))
    told["findings"][0].update(judgement="true", why="sigmoid saved it")
    ecosystem.write(record, told)
    assert ecosystem.main(cache) == 0
    module.write_text("\n\n" + SOURCE, "utf-8")
    assert ecosystem.main([*cache, "--update"]) == 0
    (finding,) = json.loads(record.read_text("utf-8"))["findings"]
    assert (finding["line"], finding["judgement"]) == (14, "true")
    module.write_text(SOURCE.replace("y += 1", "y = y + 1"), "utf-8")
    capsys.readouterr()
    assert ecosystem.main(cache) == 1
    assert "- IPL101 certain gates/__init__.py:14" in capsys.readouterr().out


def test_an_unreadable_file_is_told(package, capsys):
    _, module, cache = package
    module.write_text("def (:\n", "utf-8")
    assert ecosystem.main(cache) == 1
    assert "! IPL000 gates/__init__.py:1" in capsys.readouterr().out


def test_a_package_without_a_record_is_refused(package):
    with pytest.raises(SystemExit) as ended:
        ecosystem.main(["unheard-of"])
    assert ended.value.code == 2


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_recorded_finding_is_judged(path):
    for finding in json.loads(path.read_text("utf-8"))["findings"]:
        assert finding["judgement"] in ecosystem.JUDGEMENTS
        assert finding["why"]
        if finding["judgement"] == "true":
            proof = finding["proof"]
            assert not proof.endswith(".py") or (ecosystem.REPRODUCTIONS / proof).is_file()
            assert finding["severity"] == "warning" or proof.endswith(".py")


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("path", REPRODUCTIONS, ids=lambda path: path.stem)
def test_reproduction_shows_the_fault(path, capsys):
    pytest.importorskip("torch")
    runpy.run_path(str(path), run_name="__main__")  # it exits with a failure where there is no error
    assert capsys.readouterr().out
