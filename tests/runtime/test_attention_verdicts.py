"""What a run says of findings about attention: the fix beside the original, the call as it was meant."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.runtime import judged, meant, rewrites

from .command import ROOT, about, inplace_lint

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="child processes need fork")

RULES = ROOT / "rules"
#: A case of each kind of evidence, and words of the reason.
CONFIRMED = {
    "IPL401/bad_split_over_methods": r"the rewrite computes the same in \d+ trials .* needs [\d.]+ MiB in place of",
    "IPL402/bad_first_taken": r"the rewrite computes the same .* needs",
    "IPL403/bad_added_triangle": r"needs [\d.]+ MiB in place of [\d.]+ MiB at S = 1024",
    "IPL404/bad_repeated_before": r"needs .* in place of",
    "IPL501/bad_literal": r"without its dropout of 0.2 in evaluation the result is another",
    "IPL502/bad_channels_first": r"their sequence is axis 3, and the kernel attends along axis 2",
    "IPL502/bad_heads_third": r"their sequence is axis 1, and the kernel attends along axis 2",
    "IPL503/bad_future_kept": r"with its mask inverted, which keeps 51% of the pairs in place of 49%",
    "IPL503/bad_module_reads_the_opposite": r"with its mask inverted, which keeps 51% of the pairs",
    "IPL504/bad_beside_a_mask": r"without `is_causal` beside the mask|PyTorch raises",
    "IPL504/bad_cache": r"a triangle that ends at the last of 66 keys for 64 queries",
}

NO_FIX = """\
import torch


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, keep: bool):
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    return weights @ v, weights
"""


def confirm(folder: Path, *argv: str) -> list[dict[str, Any]]:
    done = inplace_lint(folder, "confirm", "--output-format", "json", *argv, ".")
    assert done.returncode in (0, 1), done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_each_kind_of_fault_is_confirmed_by_its_own_evidence(tmp_path: Path) -> None:
    for name in CONFIRMED:
        code, case = name.split("/")
        (path,) = RULES.glob(f"{code}-*/cases/{case}.py")
        shutil.copy(path, tmp_path / f"{code}__{case}.py")
    (tmp_path / "no_fix.py").write_text(NO_FIX)
    found = confirm(tmp_path, "--select", "IPL4,IPL5", "--notes")
    assert {one["verdict"]["status"] for one in found} == {"confirmed"}, found
    reasons = {one["filename"].removesuffix(".py").replace("__", "/"): one["verdict"] for one in found}
    assert "that grows with S^" in reasons.pop("no_fix")["reason"]
    assert reasons.keys() == CONFIRMED.keys()
    for name, words in CONFIRMED.items():
        assert re.search(words, reasons[name]["reason"]), reasons[name]["reason"]
    naive = reasons["IPL401/bad_split_over_methods"]
    assert naive["peak"]["before"] > 10 * naive["peak"]["after"]
    assert naive["proof"]["worst_error"] < naive["proof"]["tolerance"] == 1e-10


def examined(file: Path, code: str, text: str) -> dict[str, Any]:
    """The verdict on a finding that we make up, at the line with this text."""
    (verdict,) = meant.examine(about(file, code, text, "Block", "forward"), lambda *stage: None)
    return verdict


@pytest.mark.usefixtures("no_traces")
@pytest.mark.parametrize(
    ("code", "case", "reason"),
    [
        ("IPL501", "good_condition", "no dropout was asked for in evaluation"),
        ("IPL502", "good_heads_second", "their sequence is axis 2, the one that the kernel reads"),
        ("IPL504", "good_without_a_cache", "as many keys as queries"),
    ],
)
def test_a_call_that_is_as_it_was_meant_is_refuted(code: str, case: str, reason: str) -> None:
    (path,) = RULES.glob(f"{code}-*/cases/{case}.py")
    verdict = examined(path, code, "scaled_dot_product_attention(")
    assert verdict["status"] == "refuted"
    assert reason in verdict["reason"]
    assert verdict["inputs"] == {"x": "f32[2,64,24]"}


@pytest.mark.usefixtures("no_traces")
def test_a_dropout_of_zero_decides_nothing() -> None:
    (path,) = RULES.glob("IPL501-*/cases/good_zero.py")
    verdict = examined(path, "IPL501", "scaled_dot_product_attention(")
    assert (verdict["status"], "its probability is 0" in verdict["reason"]) == ("inconclusive", True)


@pytest.mark.usefixtures("no_traces")
def test_a_call_that_does_not_run_decides_nothing() -> None:
    (path,) = RULES.glob("IPL501-*/cases/good_branch.py")
    verdict = examined(path, "IPL501", "dropout_p=0.2")  # only in training
    assert (verdict["status"], "did not run on these inputs" in verdict["reason"]) == ("inconclusive", True)


NAIVE = """\
import torch


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, deep: bool = False):
    scores = q @ k.transpose(-2, -1) * q.size(-1) ** -0.5
    weights = scores.softmax(-1)
    if deep:
        weights = weights * 1.0
    return weights @ v
"""
FUSED = "    return torch.nn.functional.scaled_dot_product_attention(q, k, v)\n"
HEAD = NAIVE[: NAIVE.index("    scores")]


def compared(folder: Path, after: str, changed: list[list[int]], before: str = NAIVE) -> dict[str, Any]:
    file = folder / "some_attention.py"
    file.write_text(before)
    arguments = {
        "file": str(file),
        "module": "some_attention",
        "top": str(folder),
        "before": before,
        "after": after,
        "changed": changed,
        "blocks": [["attention"]],
        "factories": {},
        "captured": {},
    }
    return rewrites.compare(arguments, lambda stage: None)


@pytest.mark.usefixtures("no_traces")
def test_a_rewrite_that_computes_something_else_is_refuted(tmp_path: Path) -> None:
    answer = compared(tmp_path, HEAD + FUSED.replace("v)", "v, scale=0.5)"), [[5, 9]])
    verdict = judged.rewrite(answer)
    assert verdict["status"] == "refuted"
    assert "as given: results differ by" in verdict["reason"]


@pytest.mark.usefixtures("no_traces")
def test_lines_that_do_not_run_are_not_proved(tmp_path: Path) -> None:
    answer = compared(tmp_path, NAIVE.replace("weights * 1.0", "weights * 2.0"), [[8, 8]])
    assert not answer["proved"]
    assert answer["reason"] == "line 8, which the fix changes, did not run on these inputs"
    assert judged.rewrite(answer)["status"] == "inconclusive"


@pytest.mark.usefixtures("no_traces")
def test_lines_of_a_program_that_do_not_run_are_not_proved(tmp_path: Path) -> None:
    before = "import torch\na = torch.ones(3)\nif a.sum() > 5:\n    a += 1\n"
    after = "import torch\na = torch.ones(3)\na.sum()\nif a.sum() > 5:\n    a = a + 2\n"
    (tmp_path / "program.py").write_text(before)
    arguments = {
        "file": str(tmp_path / "program.py"),
        "module": "program",
        "top": str(tmp_path),
        "before": before,
        "after": after,
        "changed": [[4, 4]],
        "blocks": [[]],
        "factories": {},
        "captured": {},
    }
    answer = rewrites.compare(arguments, lambda stage: None)
    assert answer["reason"] == "line 4, which the fix changes, did not run on these inputs"


@pytest.mark.usefixtures("no_traces")
def test_a_rewrite_that_saves_nothing_is_refuted(tmp_path: Path) -> None:
    answer = compared(tmp_path, NAIVE.replace("softmax(-1)", "softmax(dim=-1)"), [[6, 6]])
    assert answer["proved"]
    verdict = judged.rewrite(answer)
    assert (verdict["status"], "it saves nothing" in verdict["reason"]) == ("refuted", True)


@pytest.mark.usefixtures("no_traces")
def test_a_softmax_in_float32_is_proved_in_float64(tmp_path: Path) -> None:
    before = NAIVE.replace("softmax(-1)", "softmax(-1, dtype=torch.float32).to(q.dtype)").replace(
        "q @", "q.float() @"
    )
    answer = compared(tmp_path, HEAD + FUSED, [[5, 9]], before)
    assert answer["proved"], answer["reason"]
