"""What `confirm` says of realistic programs, beside what torch says: `python -m benchmarks.confirm fresh.txt`.

Each program of a file begins with `#### NAME TRUTH`, the truth being raises, silent or clean, and ends with `#--truth`
and a function `truth` that `confirm` does not see: it runs the program, and returns the gradients where nothing raises.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent
#: Rules about hazards; the others speak of memory, of calls and of a caller's tensor.
HAZARDS = ("IPL10", "IPL201", "IPL202", "IPL203", "IPL204")


def main(files: list[str]) -> int:
    """Prints a line for each program on which the two disagree, and the figures of each file."""
    for name in files or ["known.txt", "fresh.txt", "fresh_again.txt"]:
        programs = (HERE / name).read_text(encoding="utf-8").split("#### ")[1:]
        rows = [_row(*program.partition("\n")[::2]) for program in programs]
        hazards = [one for one in rows if one["truth"] != "clean"]
        print(
            f"{name}: of {len(hazards)} hazards {sum(one['found'] for one in hazards)} found, "
            f"{sum(one['confirmed'] for one in hazards)} confirmed; of {len(rows) - len(hazards)} clean programs "
            f"{sum(one['confirmed'] for one in rows if one['truth'] == 'clean')} confirmed"
        )
    return 0


def _row(head: str, text: str) -> dict[str, Any]:
    name, truth = head.split()
    source, hidden = text.split("#--truth\n")
    assert (said := _truth(source, hidden)) == truth, f"{name}: torch says {said}"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{name}.py").write_text(source, encoding="utf-8")
        command = [sys.executable, "-m", "inplace_lint", "confirm", "--isolated", "--notes"]
        command += ["--min-confidence", "possible", "--output-format", "json", f"{name}.py"]
        path = os.pathsep.join(filter(None, (os.getcwd(), os.environ.get("PYTHONPATH"))))
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
    findings = [one for one in json.loads(done.stdout or "[]") if one["code"].startswith(HAZARDS)]
    verdicts = [one["verdict"] or {"status": "none", "reason": ""} for one in findings]
    confirmed = any(one["status"] == "confirmed" for one in verdicts)
    if confirmed == (truth == "clean"):
        print(f"{name} ({truth}): {[(one['status'], one['reason']) for one in verdicts] or 'no finding'}")
    return {"truth": truth, "found": bool(findings), "confirmed": confirmed}


def _truth(source: str, hidden: str) -> str:
    """What torch says: it raises, or the gradients differ from those with all that is saved copied, or neither."""
    space: dict[str, Any] = {"__name__": "program"}
    code = compile(f"from __future__ import annotations\n{hidden}", "truth", "exec", dont_inherit=True)
    argv = sys.argv
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(source, "program", "exec", dont_inherit=True), space)
            exec(code, space)
            own = space["truth"]()
            with torch.autograd.graph.saved_tensors_hooks(_copy, lambda kept: kept):
                right = space["truth"]()
    except RuntimeError:
        return "raises"
    finally:
        sys.argv = argv
    return "silent" if any(not torch.allclose(*pair) for pair in zip(own or (), right or ())) else "clean"


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
