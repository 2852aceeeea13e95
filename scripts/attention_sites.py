"""Counts the attentions of packages by what is said of them; applies the fixes of one to a copy of it.

python -m scripts.attention_sites FOLDER…              a table, one column a folder
python -m scripts.attention_sites --apply COPY FOLDER  every fix, unsafe ones too, in COPY, which must not exist
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from pathlib import Path

from inplace_lint.attention.find import find
from inplace_lint.attention.plan import Plan
from inplace_lint.attention.rewrite import fix
from inplace_lint.model import Edit
from inplace_lint.prefilter.prefilter import Prefilter
from inplace_lint.project import Project
from inplace_lint.syntax.files import Files
from inplace_lint.syntax.module import Module
from inplace_lint.syntax.unreadable import UnreadableFile


def plans(folder: Path) -> list[tuple[Path, Plan]]:
    """Every attention below a folder."""
    project = Project()
    found: list[tuple[Path, Plan]] = []
    for path in sorted(folder.rglob("*.py")):
        files = Files(project)
        try:
            module = Module(str(path), path.read_bytes())
        except (OSError, UnreadableFile):
            continue
        files.add(module)
        found += [(path, plan) for seen in find(module, Prefilter(files).classes) for plan in seen.plans]
    return found


def kind(plan: Plan) -> str:
    """The row of the table."""
    if plan.site.guarded or plan.dispatched:
        return "guarded by a fused path"
    if plan.refused is None:
        return f"fix: {plan.applicability}"
    words = plan.refused.partition(" (")[0].partition(" on line")[0]
    return f"refused: {words}"


def apply(plan: Plan, path: Path) -> None:
    """Make a plan's edits in a file."""
    text = path.read_text(encoding="utf-8")
    path.write_text(edited(text, fix(plan).edits(text)), encoding="utf-8")


def edited(text: str, made: tuple[Edit, ...]) -> str:
    """The text with the edits made."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(made, key=lambda edit: edit.location.key(), reverse=True):
        place = edit.location
        start = starts[place.row - 1] + place.column - 1
        end = min(starts[place.end_row - 1] + place.end_column - 1, len(text))
        text = text[:start] + edit.content + text[end:]
    return text


def fix_all(folder: Path) -> int:
    """Apply every fix below a folder, one at a time; how many."""
    count = 0
    while True:
        offered = {
            path: plan
            for path, plan in plans(folder)
            if plan.refused is None and not plan.site.guarded and not plan.dispatched
        }
        if not offered:
            return count
        for path, plan in offered.items():
            apply(plan, path)
        count += len(offered)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--apply", type=Path, metavar="COPY")
    arguments = parser.parse_args()
    for folder in arguments.folders:
        if not folder.is_dir():
            print(f"attention_sites: there is no folder {folder}", file=sys.stderr)
            return 2
    if arguments.apply is not None:
        if arguments.apply.exists() or len(arguments.folders) != 1:
            print("attention_sites: --apply wants one folder, and a name that is not taken", file=sys.stderr)
            return 2
        shutil.copytree(arguments.folders[0], arguments.apply)
        print(f"{fix_all(arguments.apply)} fixes applied")
        return 0
    counts = {folder.name: Counter(kind(plan) for _, plan in plans(folder)) for folder in arguments.folders}
    rows = Counter(row for one in counts.values() for row in one)
    print("| | " + " | ".join(counts) + " |")
    print("|---" * (len(counts) + 1) + "|")
    for row, _ in sorted(rows.items()):
        print(f"| {row} | " + " | ".join(str(one[row]) for one in counts.values()) + " |")
    print("| all | " + " | ".join(str(one.total()) for one in counts.values()) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
