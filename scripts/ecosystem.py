"""Runs inplace-lint over released packages and compares with the findings recorded and judged in the repository.

python -m scripts.ecosystem                  fetch what is missing, run, show the difference to the record
python -m scripts.ecosystem timm kornia      only these packages
python -m scripts.ecosystem --update         write what was found into the record; judgements stay with their findings
python -m scripts.ecosystem --table          what the record says, counted; runs nothing

The record is `benchmarks/ecosystem/NAME.json`, one file a package: its pin and its findings of severity error and
warning. A finding is recognised by its rule, its file, the text of its line, and which one of these it is, so that
lines may move. A judgement is `true`, `false` or `by design`, with one line that says why. A `true` one names its
proof: a file in benchmarks/reproductions that runs in torch, or the trace of save, write and backward.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benchmarks" / "ecosystem"
REPRODUCTIONS = ROOT / "benchmarks" / "reproductions"
JUDGEMENTS = ("true", "false", "by design")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inplace-lint" / "ecosystem"
#: So many failures of one package are shown: they are seldom of many kinds.
_MOST = 10

Finding = dict[str, Any]
Key = tuple[str, str, str, int]


def main(argv: list[str] | None = None) -> int:
    """Compare, update or count; 1 where findings and record differ, a judgement is missing or a file crashes."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.ecosystem", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "packages", nargs="*", help="names as PyPI has them; all those recorded if none is named"
    )
    parser.add_argument("--cache", type=Path, default=CACHE, help="where packages are unpacked (%(default)s)")
    parser.add_argument("--update", action="store_true", help="write what was found into the record")
    parser.add_argument("--table", action="store_true", help="count what the record says, and run nothing")
    options = parser.parse_args(argv)
    known = {path.stem: path for path in sorted(RECORD.glob("*.json"))}
    unknown = [name for name in options.packages if name not in known]
    if unknown:
        parser.error(
            f"no record of {', '.join(unknown)} in {RECORD}: write one with its name and version first"
        )
    chosen = options.packages or list(known)
    if options.table:
        return table([json.loads(known[name].read_text("utf-8")) for name in chosen])
    differences = [compare(known[name], options.cache, options.update) for name in chosen]
    return int(any(differences))


def compare(path: Path, cache: Path, update: bool) -> bool:
    """Run over one package and show what differs from its record."""
    record = json.loads(path.read_text("utf-8"))
    name, version = record["name"], record["version"]
    try:
        folder = fetch(name, version, cache)
    except (OSError, subprocess.CalledProcessError, tarfile.TarError, zipfile.BadZipFile) as error:
        print(f"{name} {version}: cannot be had: {error}", flush=True)
        return True
    started = time.monotonic()
    found, failures = check(folder)
    before = {key_of(f): f for f in record["findings"]}
    for finding in found:
        judged = before.get(key_of(finding), {})
        finding.update({k: judged[k] for k in ("judgement", "why", "proof") if k in judged})
    now = {key_of(f): f for f in found}
    new = [f for key, f in now.items() if key not in before]
    gone = [f for key, f in before.items() if key not in now]
    changed = [
        (before[key], f) for key, f in now.items() if key in before and _sureness(before[key]) != _sureness(f)
    ]
    files = sum(1 for _ in folder.rglob("*.py"))
    print(
        f"{name} {version}: {files} files, {len(found)} findings, {time.monotonic() - started:.0f} s",
        flush=True,
    )
    for failure in failures[:_MOST]:
        print(f"  ! {failure}")
    if len(failures) > _MOST:
        print(f"  ! and {len(failures) - _MOST} more")
    for finding in new:
        print(f"  + {_words(finding)}")
    for finding in gone:
        print(f"  - {_words(finding)}")
    for old, finding in changed:
        print(f"  ~ {_words(finding)}  (was {_sureness(old)})")
    unjudged = [f for f in found if "judgement" not in f]
    if unjudged and not (new and not update):
        print(f"  {len(unjudged)} without a judgement:")
        for finding in unjudged:
            print(f"  ? {_words(finding)}")
    if update:
        write(path, {**record, "files": files, "findings": found})
    return bool(failures or new or gone or changed or unjudged)


def fetch(name: str, version: str, cache: Path) -> Path:
    """The folder of a package's unpacked wheel, or of its source where there is no wheel."""
    folder = cache / f"{name}-{version}"
    if folder.is_dir():
        return folder
    downloads = cache / "downloads" / f"{name}-{version}"
    downloads.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--dest", str(downloads), f"{name}=={version}"]
    if not any(downloads.iterdir()):
        subprocess.run(command, check=True)
    archive = next(path for path in sorted(downloads.iterdir()) if path.suffix in (".whl", ".gz", ".zip"))
    partial = folder.with_suffix(".partial")
    if archive.suffix == ".gz":
        with tarfile.open(archive) as tar:
            tar.extractall(partial, filter="data")
    else:
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(partial)
    partial.rename(folder)
    return folder


def run(folder: Path, *options: str) -> tuple[list[dict[str, Any]], list[str]]:
    """What one run of `inplace-lint check` says of a folder, file names relative to it, and what did not work."""
    command = [
        sys.executable,
        "-m",
        "inplace_lint",
        "check",
        ".",
        "--isolated",
        "--no-cache",
        "--exit-zero",
        "--jobs",
        "1",
    ]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [*command, "--output-format", "json", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return [], [f"exit code {done.returncode}: {done.stderr.strip()[-500:]}"]
    said: list[dict[str, Any]] = []
    failures = []
    for diagnostic in json.loads(done.stdout):
        file = Path(diagnostic["filename"])
        diagnostic["filename"] = (file.relative_to(folder) if file.is_absolute() else file).as_posix()
        if diagnostic["code"] in ("IPL000", "IPL002"):
            place = f"{diagnostic['filename']}:{diagnostic['location']['row']}"
            failures.append(f"{diagnostic['code']} {place} {diagnostic['message']}")
        else:
            said.append(diagnostic)
    return said, failures


def check(folder: Path) -> tuple[list[Finding], list[str]]:
    """The findings of one run of inplace-lint, in the record's words, and the files that it could not check."""
    said, failures = run(folder)
    found: list[Finding] = []
    seen: Counter[tuple[str, str, str]] = Counter()
    for diagnostic in said:
        file, row = diagnostic["filename"], diagnostic["location"]["row"]
        if diagnostic["severity"] != "note":
            text = (folder / file).read_text("utf-8").split("\n")[row - 1].strip()
            which = (diagnostic["code"], file, text)
            seen[which] += 1
            finding = {k: diagnostic[k] for k in ("code", "severity", "confidence")}
            finding.update(file=file, line=row, text=text)
            if seen[which] > 1:
                finding["occurrence"] = seen[which]
            found.append(finding)
    return found, failures


def key_of(finding: Finding) -> Key:
    """What a finding is recognised by when lines move."""
    return finding["code"], finding["file"], finding["text"], finding.get("occurrence", 1)


def write(path: Path, record: dict[str, Any]) -> None:
    """Write a record: a line for each finding, and one for its judgement."""
    lines = ["{"]
    lines += [f" {json.dumps(k)}: {json.dumps(v)}," for k, v in record.items() if k != "findings"]
    rows = []
    for finding in record["findings"]:
        what = {k: v for k, v in finding.items() if k not in ("judgement", "why", "proof")}
        judged = {k: finding[k] for k in ("judgement", "why", "proof") if k in finding}
        row = json.dumps(what, ensure_ascii=False)[:-1]
        rows.append(row + (",\n   " + json.dumps(judged, ensure_ascii=False)[1:] if judged else "}"))
    lines.append(' "findings": [' + ("\n  " + ",\n  ".join(rows) + "\n " if rows else "") + "]")
    path.write_text("\n".join([*lines, "}"]) + "\n", "utf-8")


def table(records: list[dict[str, Any]]) -> int:
    """Print how the recorded findings are judged, by severity and by rule; 1 where one is not judged."""
    for label, group in (("severity", "severity"), ("rule", "code")):
        counts: dict[str, Counter[str]] = {}
        for record in records:
            for finding in record["findings"]:
                row = counts.setdefault(finding[group], Counter())
                row[finding.get("judgement", "not judged")] += 1
        columns = (*JUDGEMENTS, "not judged")
        print(f"{label:10}" + "".join(f"{column:>12}" for column in columns) + f"{'true':>9}")
        for row_name, row in sorted(counts.items()):
            share = 100 * row["true"] / sum(row.values())
            print(f"{row_name:10}" + "".join(f"{row[column]:12}" for column in columns) + f"{share:7.0f} %")
        print()
    files = sum(record.get("files", 0) for record in records)
    findings = [(record, f) for record in records for f in record["findings"]]
    runs = {f["proof"] for _, f in findings if (REPRODUCTIONS / f.get("proof", "?")).is_file()}
    print(f"{len(records)} packages, {files} files, {len(findings)} findings, {len(runs)} runs in torch")
    return int(any("judgement" not in f for _, f in findings))


def _sureness(finding: Finding) -> str:
    return f"{finding['severity']}, {finding['confidence']}"


def _words(finding: Finding) -> str:
    return f"{finding['code']} {finding['confidence']} {finding['file']}:{finding['line']}: {finding['text']}"


if __name__ == "__main__":
    sys.exit(main())
