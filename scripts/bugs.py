"""Writes docs/bugs-found.md: bugs in released packages, each run as released and run with its patch.

`python -m scripts.bugs` wants the packages at their versions beside PyTorch; it writes what the runs of benchmarks/bugs
print. The patch is what `--fix --unsafe-fixes` makes; where there is none, the few words that are named here.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "benchmarks/bugs"
PAGE = ROOT / "docs/bugs-found.md"

#: Runs a program while one file of a package is read from elsewhere.
_PATCHED = """
import importlib.machinery, runpy, sys
program, path, patched = sys.argv[1:]
usual = importlib.machinery.SourceFileLoader.get_code
def get_code(self, name):
    if self.path == path:
        return compile(open(patched, "rb").read(), path, "exec", dont_inherit=True)
    return usual(self, name)
importlib.machinery.SourceFileLoader.get_code = get_code
runpy.run_path(program, run_name="__main__")
"""

HEAD = """\
# Bugs found in released packages

`inplace-lint check` found these by reading the packages. Each was then run with the released package: first as it is,
then with the patch. Listed is what people meet who train or evaluate with options that the package offers, and
what the patch mends; what is meant for inference alone is left out
([benchmarks/findings.md](../benchmarks/findings.md) has all findings with their judgements). None has been reported to
its project by us yet.

`python -m scripts.bugs` runs all of it again and writes this page. PyTorch was {torch}.

"""


class Bug(NamedTuple):
    """One entry of benchmarks/bugs/bugs.toml."""

    run: str
    package: str
    module: str
    code: str
    lines: str
    title: str
    cost: str
    #: Where there is no automatic fix: what is written, and what instead.
    by_hand: tuple[tuple[str, str], ...] = ()

    @property
    def version(self) -> str:
        return importlib.metadata.version(self.package)

    @property
    def file(self) -> Path:
        name, _, rest = self.module.partition(".")
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.submodule_search_locations
        return Path(spec.submodule_search_locations[0]) / f"{rest.replace('.', '/')}.py"


def bugs() -> list[Bug]:
    listed = tomllib.loads((RUNS / "bugs.toml").read_text(encoding="utf-8"))["bug"]
    return [Bug(**{**one, "by_hand": tuple(map(tuple, one.get("by_hand", ())))}) for one in listed]


def patched(bug: Bug, folder: Path) -> Path:
    """The file with its patch."""
    copy, source = folder / bug.file.name, bug.file.read_bytes()
    if bug.by_hand:
        text = source.decode()
        for old, new in bug.by_hand:
            assert text.count(old) == 1, (bug.run, old)
            text = text.replace(old, new)
        copy.write_text(text, encoding="utf-8")
        return copy
    # By its name the package's other files are found.
    command = "-m inplace_lint check --isolated --fix --unsafe-fixes -q --select".split()
    named = [bug.code, "--stdin-filename", str(bug.file), "-"]
    done = subprocess.run(
        [sys.executable, *command, *named], input=source, stdout=subprocess.PIPE, check=False
    )
    copy.write_bytes(done.stdout)
    return copy


def printed(*command: str) -> str:
    """What a run prints: of an error its last line."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command], capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode:
        return done.stderr.strip().splitlines()[-1].partition(" Hint:")[0]
    return done.stdout.strip() or "(it runs to its end)"


def entry(bug: Bug) -> str:
    """A bug as the page shows it. Fails where the run does not show it, or the patch does not mend it."""
    program = RUNS / f"{bug.run}.py"
    source = program.read_text(encoding="utf-8").partition('"""\n\n')[2]
    with tempfile.TemporaryDirectory() as folder:
        copy = patched(bug, Path(folder))
        before = printed(str(program))
        after = printed("-c", _PATCHED, str(program), str(bug.file), str(copy))
        assert before != after and "Error" not in after, (bug.run, after)
        old, new = (path.read_text(encoding="utf-8").splitlines(True) for path in (bug.file, copy))
    name = "/".join(bug.file.parts[-bug.module.count(".") - 1 :])
    diff = "".join(difflib.unified_diff(old, new, name, name, n=1))
    how = "The patch, written by hand:" if bug.by_hand else "The patch, as `--fix --unsafe-fixes` makes it:"
    return f"""\
## {bug.package}: {bug.title}

{bug.package} {bug.version}, `{name}`, {bug.lines} ({bug.code}).
{bug.cost}

```python
{source.strip()}
```

```text
{before}
```

{how}

```diff
{diff.strip()}
```

With it the same run prints:

```text
{after}
```

"""


def main() -> None:
    torch = importlib.metadata.version("torch").partition("+")[0]
    PAGE.write_text(HEAD.format(torch=torch) + "".join(map(entry, bugs())).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
