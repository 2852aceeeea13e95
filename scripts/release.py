"""Whether a tag can be released: it is the version that the package has, and the changelog has a dated entry for it.

    python scripts/release.py v0.2.0

Prints the entry, for the release's notes; exit code 1, and why, where something does not go together.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def versions(root: Path = ROOT) -> dict[str, str]:
    """The version in each place that has one."""
    places = {
        "pyproject.toml": r'^version = "(.*)"$',
        "inplace_lint/__init__.py": r'^__version__ = "(.*)"$',
        "CITATION.cff": r"^version: (.*)$",
        "packaging/recipe.yaml": r'^  version: "(.*)"$',
    }
    found = {}
    for name, pattern in places.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.M)
        found[name] = match[1] if match else ""
    return found


def entry(version: str, root: Path = ROOT) -> str:
    """What the changelog says of a version, with its date; "" where it says nothing."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return match[1].strip() if match else ""


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """What keeps a tag from being released."""
    version = tag.removeprefix("v")
    found = [
        f"{name} has version {has}, not {version}" for name, has in versions(root).items() if has != version
    ]
    if not re.fullmatch(r"v\d+\.\d+\.\d+((a|b|rc)\d+)?", tag):
        found.append(f"{tag} is no tag such as v0.2.0")
    elif not entry(version, root):
        found.append(f"CHANGELOG.md has no entry `## {version} - DATE`")
    return found


if __name__ == "__main__":
    (tag,) = sys.argv[1:]
    wrong = problems(tag)
    print("\n".join(wrong) or entry(tag.removeprefix("v")))
    sys.exit(bool(wrong))
