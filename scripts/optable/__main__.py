"""Derives `inplace_lint/torchmodel/optable.txt` from the installed torch: `python -m scripts.optable [--check]`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from scripts.optable.build import build  # noqa: E402

TARGET = ROOT / "inplace_lint" / "torchmodel" / "optable.txt"


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    text, counts = build()
    print(", ".join(f"{number} {what}" for what, number in counts.items()), file=sys.stderr)
    if "--check" in arguments:
        same = TARGET.read_text(encoding="utf-8") == text
        print("identical" if same else f"{TARGET} differs from what torch gives", file=sys.stderr)
        return 0 if same else 1
    part = TARGET.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(TARGET)
    print(f"wrote {TARGET} ({len(text)} bytes)", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
