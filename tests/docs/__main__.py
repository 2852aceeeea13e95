"""`python -m tests.docs PAGE…` writes what commands print into pages, but where a page says `...`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .pages import PAGES, played, same


def main(names: list[str]) -> None:
    for page in [Path(name).resolve() for name in names] or PAGES:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            done = list(played(page, Path(folder)))
        for block, commands in reversed(done):
            fresh = ""
            for command, told, said in commands:
                kept = (
                    told if "..." in told or same(told, said) else said.strip() + "\n" if said.strip() else ""
                )
                if not same(kept, said):
                    print(f"{page.name}: $ {command}\n{said}", file=sys.stderr)
                fresh += f"$ {command}\n{kept}"
            text = text[: block.start] + fresh + text[block.start + len(block.text) :]
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
