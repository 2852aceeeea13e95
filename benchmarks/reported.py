"""Which of the bugs that somebody reported are found: `python benchmarks/reported.py FOLDER`, of checkouts by name.

`reported.tsv` has the reports, the day whose state of the repository is checked, and the places where a finding counts.
A repository that is not in the folder is left out, and one whose place nobody knows is counted as such.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

REPORTS = Path(__file__).with_suffix(".tsv")


def places(checkout: Path) -> set[str]:
    """Where errors and warnings of IPL1xx and IPL2xx stand, as `path:row`, with the writes and layers they show."""
    command = [sys.executable, "-m", "inplace_lint", "check", "--isolated", "--output-format", "json", "."]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    told = [
        one
        for one in json.loads(done.stdout)
        if one["code"][:4] in ("IPL1", "IPL2") and one["severity"] != "note"
    ]
    found = {f"{one['filename']}:{one['location']['row']}" for one in told}
    for one in told:
        for label in one["labels"]:
            # The write, or the layer that works in place where it is built, may stand elsewhere than the call.
            if label["role"] == "write" or label["message"].endswith("is built here, to work in place"):
                found.add(f"{label.get('filename') or one['filename']}:{label['location']['row']}")
    return found


def main(folder: Path) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    with REPORTS.open(encoding="utf-8", newline="") as file:
        for report in csv.DictReader(file, delimiter="\t"):
            checkout = folder / report["repository"].partition("/")[2]
            if not checkout.is_dir():
                outcome = "left out"
            elif not report["places"]:
                outcome = "no place known"
            else:
                found = not places(checkout).isdisjoint(map(unquote, report["places"].split()))
                outcome = "found" if found else "missed"
                print(f"{outcome:7} {report['repository']} {report['report']}: {report['places']}")
            counts[report["list"], outcome] += 1
    for (name, outcome), count in sorted(counts.items()):
        print(f"{name}: {count} {outcome}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
