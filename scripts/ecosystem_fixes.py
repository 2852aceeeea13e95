"""Applies every fix to a copy of the released packages on record, and checks the copy without the tool's own means.

python -m scripts.ecosystem_fixes                the 30 packages; what is missing is fetched
python -m scripts.ecosystem_fixes timm kornia    only these
python -m scripts.ecosystem_fixes --all          also the fixes of notes and of findings that are only possible

Of each package: every file that compiled still does; between the spans that the edits of a run before name, each byte
is what it was; a second run changes nothing; and no error or warning came that was not there.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scripts import ecosystem

#: Start and end in the text, and what comes there; None where that is not known.
Edit = tuple[int, int, "str | None"]

_EVERYTHING = ("--notes", "--min-confidence", "possible")


def main(argv: list[str] | None = None) -> int:
    """Fix and check; 1 where something is not as it must be."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.ecosystem_fixes", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("packages", nargs="*", help="names as on record; all of them if none is named")
    parser.add_argument("--cache", type=Path, default=ecosystem.CACHE, help="where packages are unpacked")
    parser.add_argument("--all", action="store_true", help="fix notes and possible findings too")
    options = parser.parse_args(argv)
    known = {path.stem: path for path in sorted(ecosystem.RECORD.glob("*.json"))}
    unknown = [name for name in options.packages if name not in known]
    if unknown:
        parser.error(f"no record of {', '.join(unknown)} in {ecosystem.RECORD}")
    total: Counter[str] = Counter()
    for name in options.packages or known:
        record = json.loads(known[name].read_text("utf-8"))
        folder = ecosystem.fetch(record["name"], record["version"], options.cache)
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as copy:
            counts, wrong = fixed_copy(folder, Path(copy) / folder.name, _EVERYTHING if options.all else ())
        print(f"{folder.name}: {_words(counts)}, {time.monotonic() - started:.0f} s", flush=True)
        for line in wrong:
            print(f"  ! {line}", flush=True)
        total.update(counts)
        total["wrong"] += len(wrong)
    print(f"together: {_words(total)}; {total['wrong']} not as it must be")
    return int(total["wrong"] > 0)


def fixed_copy(folder: Path, copy: Path, options: Sequence[str]) -> tuple[Counter[str], list[str]]:
    """Fix a copy of a package's Python files; how much that was, and what is not as it must be."""
    shutil.copytree(folder, copy, ignore=_all_but_python)
    wrong: list[str] = []
    before, failed = ecosystem.run(copy, *options)
    fixing = ("--fix", "--unsafe-fixes", *options)
    after, failed_too = ecosystem.run(copy, *fixing)
    wrong += [*failed, *failed_too]
    spans: dict[str, list[Edit]] = {}
    texts = {file: _decoded((folder / file).read_bytes()) for file in {one["filename"] for one in before}}
    for one in before:
        # What is refused at first can be made when another fix is: then it is in the finding's own place.
        edits = [{**one, "content": None}] if one["fix"] is None else one["fix"]["edits"]
        spans.setdefault(one["filename"], []).extend(_spans(texts[one["filename"]], edits))
    counts = Counter(
        offered=sum(one["fix"] is not None for one in before),
        left=sum(one["fix"] is not None for one in after),
    )
    came, was = Counter(map(_place, after)), Counter(map(_place, before))
    states = {path: path.read_bytes() for path in sorted(copy.rglob("*.py"))}
    rows: dict[str, dict[int, range]] = {}
    for path, fixed in states.items():
        file = path.relative_to(copy).as_posix()
        source = (folder / file).read_bytes()
        if fixed == source:
            continue
        counts["files"] += 1
        if _compiles(source) and not _compiles(fixed):
            wrong.append(f"{file} does not compile any more")
        old, new = _decoded(source), _decoded(fixed)
        rows[file] = _rows_before(old, new)
        made, outside = matched(old, new, spans.get(file, []))
        counts["edits"] += made
        if outside is not None:
            wrong.append(f"{file}:{outside + 1} is changed outside of every edit")
    for (code, file, row), number in came.items():
        origins = rows[file].get(row, range(0)) if file in rows else range(row, row + 1)
        if number > sum(was[code, file, origin] for origin in origins):
            if any(_place(one) == (code, file, row) and one["severity"] != "note" for one in after):
                wrong.append(f"{code} came in {file}:{row}")
            else:
                counts["remarks"] += 1
    ecosystem.run(copy, *fixing)
    for path, fixed in states.items():
        if path.read_bytes() != fixed:
            wrong.append(f"{path.relative_to(copy)} changes in a second run")
    return counts, wrong


def matched(old: str, new: str, edits: Sequence[Edit]) -> tuple[int, int | None]:
    """How many edits were made in `new`, and the first row of `old` that is changed outside of all their spans.

    Where edits touch each other, or one round followed on another, what stands in their span is not looked at.
    """
    clusters: list[tuple[int, int, list[str]]] = []
    for start, end, content in sorted(set(edits), key=lambda edit: edit[:2]):
        contents = [] if content is None else [content]
        if clusters and (start, end) == clusters[-1][:2]:
            clusters[-1][2].extend(contents)
        elif clusters and start <= clusters[-1][1]:
            first, last, _ = clusters.pop()
            clusters.append((first, max(last, end), []))
        else:
            clusters.append((start, end, contents))
    made, place, done = 0, 0, 0
    for index, (start, end, contents) in enumerate(clusters):
        kept = old[done:start]
        if not new.startswith(kept, place):
            return made, _first_difference(old, done, new, place)
        place += len(kept)
        follows = old[end : clusters[index + 1][0]] if index + 1 < len(clusters) else old[end:]
        last = index + 1 == len(clusters)
        for content in [*contents, old[start:end]]:
            rest = place + len(content)
            if new.startswith(content, place) and (
                new[rest:] == follows if last else new.startswith(follows, rest)
            ):
                made, place = made + (content != old[start:end]), rest
                break
        else:
            found = len(new) - len(follows) if last else new.find(follows, place)
            if found < place:
                return made, _first_difference(old, end, new, place)
            made, place = made + 1, found
        done = end
    return made, None if new[place:] == old[done:] else _first_difference(old, done, new, place)


def _place(one: dict[str, Any]) -> tuple[str, str, int]:
    return one["code"], one["filename"], one["location"]["row"]


def _first_difference(old: str, done: int, new: str, place: int) -> int:
    same = 0
    while done + same < len(old) and place + same < len(new) and old[done + same] == new[place + same]:
        same += 1
    return old.count("\n", 0, done + same)


def _rows_before(old: str, new: str) -> dict[int, range]:
    """For each row of the new text, the rows of the old one that it was made from."""
    found: dict[int, range] = {}
    matcher = difflib.SequenceMatcher(None, _lines(old), _lines(new), autojunk=False)
    for _, first, last, new_first, new_last in matcher.get_opcodes():
        same = last - first == new_last - new_first
        for row in range(new_first, new_last):
            origin = first + row - new_first
            found[row + 1] = range(origin + 1, origin + 2) if same else range(first + 1, last + 1)
    return found


def _spans(text: str, edits: Sequence[dict[str, Any]]) -> list[Edit]:
    starts = [0]
    for line in _lines(text):
        starts.append(starts[-1] + len(line))

    def offset(place: dict[str, int]) -> int:
        return starts[place["row"] - 1] + place["column"] - 1

    return [(offset(e["location"]), offset(e["end_location"]), e["content"]) for e in edits]


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)


def _decoded(source: bytes) -> str:
    return source.decode("utf-8-sig", "surrogateescape")


def _compiles(source: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<fixed>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _all_but_python(folder: str, names: list[str]) -> Iterator[str]:
    return (name for name in names if not name.endswith(".py") and not (Path(folder) / name).is_dir())


def _words(counts: Counter[str]) -> str:
    fixes = f"{counts['offered']} fixes offered, {counts['left']} left"
    remarks = f", {counts['remarks']} notes more" if counts["remarks"] else ""
    return f"{fixes}, {counts['edits']} edits in {counts['files']} files{remarks}"


if __name__ == "__main__":
    sys.exit(main())
