"""The data file: small, quick to load, every row of it readable, and the same when it is made again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint.torchmodel import overlay, table
from inplace_lint.torchmodel.facts import parse_params
from inplace_lint.torchmodel.load import Entries, Spaces, parse

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "inplace_lint" / "torchmodel" / "optable.txt"


def read(text):
    """The sections of a data file with all that stands in them."""
    return {
        name: {key: found.get(key) for key in found} if isinstance(found, Entries) else found
        for name, found in parse(text).items()
    }


def every_op():
    found = table.get()
    for space in found.spaces():
        for name in found.names(space):
            yield table.function(f"{space}.{name}")
    for name in found.names("Tensor"):
        yield table.method(name)
    for name in found.names("properties"):
        yield table.property_(name)
    for sign in found.names("operators"):
        yield table.operator(sign)


def test_the_file_is_at_most_150_kilobytes():
    assert DATA.stat().st_size <= 150_000


def test_loading_takes_little_longer_than_reading_as_much_json():
    program = (
        "import time, json\n"
        "from inplace_lint.torchmodel import table, load, overlay, op, facts\n"
        "t = time.process_time(); table.method('exp_').facts(['T'], {}); took = time.process_time() - t\n"
        f"text = json.dumps([line.split('\\t') for line in open({str(DATA)!r}, encoding='utf-8')])\n"
        "t = time.process_time(); [json.loads(text) for _ in range(10)]; print(took / (time.process_time() - t) * 10)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
        for _ in range(3)
    ]
    assert min(float(run.stdout) for run in runs) < 8


def test_loading_imports_no_torch_and_nothing_slow():
    program = (
        "import sys; before = set(sys.modules)\n"
        "from inplace_lint.torchmodel import table\n"
        "table.method('exp_').facts(['T'], {}); table.module('torch.nn.ReLU')\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    slow = {
        "torch",
        "dataclasses",
        "inspect",
        "pathlib",
        "ast",
        "subprocess",
        "logging",
        "tempfile",
    }
    assert not slow & set(run.stdout.split())


def test_every_row_resolves_each_name_that_it_uses():
    for op in every_op():
        for row in op.rows:
            names = {param.name for param in row.params}
            facts = row.facts(row.params, False)
            words = row.behaviour.rpartition("-> ")[0].split()
            for word in words:
                if word.startswith(("w:", "w!:", "c:", "d:")):
                    assert set(word.partition(":")[2].split("+")) <= names, (op, row.behaviour)
            assert facts.returns, (op, row.behaviour)
            for save in facts.saves:
                assert save.target < len(row.params)
                assert save.needs, (op, row.behaviour)
                assert "Backward" in save.node


def test_every_condition_names_a_parameter():
    for op in every_op():
        for row in op.rows:
            names = {param.name for param in row.params}
            for test in row.condition.split("&") if row.condition else ():
                assert test.replace("!=", "==").partition("==")[0] in names, (op, test)


def test_every_module_answers_in_training_and_evaluation():
    for name in table.get().modules():
        module = table.module(f"torch.nn.{name}")
        for training in (True, False, None):
            facts = module.facts(module.config((), {}), training)
            assert facts.returns, name
        assert parse_params(" ".join(f"{p.name}:{p.code}" for p in module.forward))


def test_every_public_name_of_torch_is_known():
    torch = pytest.importorskip("torch")
    kept_by_copyreg = {"__slotnames__"}  # once any tensor was copied in this process
    for name in set(dir(torch.Tensor)) - kept_by_copyreg:
        assert table.exists_method(name), name
    for name in ("relu", "gelu", "max_pool2d", "interpolate", "unfold"):
        assert table.exists_function(f"torch.nn.functional.{name}")
    assert not table.exists_method("reshape_")
    assert not table.exists_function("torch.nn.functional.dropout_")


@pytest.mark.skipif(not os.environ.get("INPLACE_LINT_LONG"), reason="INPLACE_LINT_LONG is not set")
def test_regenerating_gives_the_identical_file():
    run = subprocess.run(
        [sys.executable, "-m", "scripts.optable", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_the_file_is_written_as_it_is_read():
    pytest.importorskip("torch")
    from scripts.optable.build import written

    text = DATA.read_bytes()
    assert written(read(text)).encode() == text


def test_every_entry_is_found_by_its_name():
    data = read(DATA.read_bytes())
    for section in ("groups", "modules"):
        lines = DATA.read_text(encoding="utf-8").partition(f"[{section}]\n")[2].partition("\n\n")[0]
        assert data[section] == {line.split("\t")[0]: line.split("\t")[1:] for line in lines.split("\n")}
        found = parse(DATA.read_bytes())[section]
        assert not any(found.get(f"{key}{end}") for key in data[section] for end in ("!", "\n"))
        assert found.get("") is None
        assert found.get("~") is None


def test_the_group_of_a_name_is_the_same_whether_its_space_was_read_or_not():
    texts = parse(DATA.read_bytes())["names"]
    whole = Spaces(texts)
    for space in texts:
        for name in [*whole[space], "no_such_name", "sig", ""]:
            assert Spaces(texts).group(space, name) == whole.group(space, name)
    assert whole.group("no.such.space", "add") is None


def test_what_the_overlay_has_the_file_leaves_out():
    data = parse(DATA.read_bytes())
    assert not set(data["groups"]) & set(overlay.GROUPS)
    assert not set(data["modules"]) & set(overlay.MODULES)
