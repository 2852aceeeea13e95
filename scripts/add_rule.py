"""Adds a rule: its folder in rules/, its row in the table of rules, its file in inplace_lint/checks/.

    python scripts/add_rule.py IPL205 argument-overwritten warning "The caller's tensor is changed in place."

What it writes has gaps marked with `…`; the tests fail until they are filled. Nothing is overwritten.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

PAGE = """\
# {code} {name}

## What it does

Reports …

## Why is this bad

…

## Example

```python
…
```

## Use instead

```python
…
```

## Fix safety

…
"""

DESCRIPTION = """\
code = "{code}"
name = "{name}"
severity = "{severity}"
since = "{since}"
summary = "{summary}"
"""

ROW = """\
    Rule(
        "{code}",
        "{name}",
        "{severity}",
        "{since}",
        "{summary}",
    ),
"""

CHECK = '''\
"""{code}: {summary}"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "{code}"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    """The diagnostic of a finding that is this rule's, else None."""
    return None
'''


def add(root: Path, code: str, name: str, severity: str, summary: str) -> list[Path]:
    """Writes the files of a new rule below `root`; returns their paths. Raises ValueError if it cannot."""
    if not re.fullmatch(r"IPL\d{3}", code):
        raise ValueError(f"a code is IPL and three digits, not `{code}`")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ValueError(f"a name is words of small letters joined by dashes, not `{name}`")
    registry = root / "inplace_lint/checks/registry.py"
    table = registry.read_text(encoding="utf-8")
    if f'"{code}"' in table.split("RULES", 1)[1].split("\n)\n")[0] or f'"{name}"' in table:
        raise ValueError(f"{code} or {name} is a rule already")
    folder = root / "rules" / f"{code}-{name}"
    check = root / "inplace_lint/checks" / f"{code.lower()}_{name.replace('-', '_')}.py"
    version = re.search(
        r'__version__ = "(.*)"', (root / "inplace_lint/__init__.py").read_text(encoding="utf-8")
    )
    assert version is not None
    words = {"code": code, "name": name, "severity": severity, "summary": summary, "since": version[1]}
    files = {
        folder / "README.md": PAGE.format(**words),
        folder / "rule.toml": DESCRIPTION.format(**words),
        check: CHECK.format(**words),
    }
    taken = [path for path in files if path.exists()]
    if taken:
        raise ValueError(f"{taken[0]} is there already")
    (folder / "cases").mkdir(parents=True)
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    registry.write_text(_with_row(table, words), encoding="utf-8")
    return [*files, registry]


def _with_row(table: str, words: dict[str, str]) -> str:
    """The registry's source with one more row, in the order of the codes."""
    rows = list(re.finditer(r'^    Rule\(\s*"(IPL\d{3})"', table, re.MULTILINE))
    place = next((row.start() for row in rows if row[1] > words["code"]), None)
    if place is None:
        place = table.index("\n)\n", rows[-1].start()) + 1
    return table[:place] + ROW.format(**words) + table[place:]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("code", help="IPL and three digits")
    parser.add_argument("name", help="words joined by dashes")
    parser.add_argument("severity", choices=("error", "warning", "note"), help="the most that it may be")
    parser.add_argument("summary", help="one sentence")
    arguments = parser.parse_args()
    try:
        paths = add(ROOT, arguments.code, arguments.name, arguments.severity, arguments.summary)
    except ValueError as error:
        print(f"add_rule: {error}", file=sys.stderr)
        return 2
    for path in paths:
        print(f"wrote {path.relative_to(ROOT)}")
    print(
        f"next: cases in {paths[0].parent.relative_to(ROOT)}/cases/, the check's place in checks/__init__.py"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
