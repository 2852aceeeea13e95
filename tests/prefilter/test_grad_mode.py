"""Whether a function calls another only where nothing is recorded."""

from __future__ import annotations

import pytest

from inplace_lint.interp.program import Program
from inplace_lint.prefilter.grad_mode import calls_quietly
from inplace_lint.project.modules import Project
from inplace_lint.syntax.module import Module

HEAD = "import torch\nfrom torch import no_grad\n\n\ndef main(model, rows, quiet):\n"
QUIET = {
    "one block": "with torch.no_grad():\n    score(rows)",
    "each arm": "if quiet:\n    with no_grad():\n        score(rows)\nelse:\n    with torch.inference_mode():\n"
    "        for row in rows:\n            model.score(row)",
    "a loop around": "for row in rows:\n    with open(row), torch.no_grad():\n        print(score(row))",
}
RECORDED = {
    "before the block": "score(rows)\nwith torch.no_grad():\n    score(rows)",
    "what the block goes over": "for row in score(rows):\n    with torch.no_grad():\n        print(row)",
    "the other arm": "if quiet:\n    with torch.no_grad():\n        score(rows)\nelse:\n    score(rows)",
    "switched on again": "with torch.no_grad():\n    with torch.enable_grad():\n        score(rows)",
    "called later": "with torch.no_grad():\n    later = lambda: score(rows)\nlater()",
    "another context": "with torch.autocast('cpu'):\n    score(rows)",
}


@pytest.mark.parametrize("text", [*QUIET.values(), *RECORDED.values()], ids=[*QUIET, *RECORDED])
def test_calls_in_blocks_that_record_nothing(text: str) -> None:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    module = Module("a.py", (HEAD + lines).encode())
    program = Program(Project())
    program.files.add(module)
    assert calls_quietly(program.prefilter, module.functions["main"], "score") == (text in QUIET.values())
