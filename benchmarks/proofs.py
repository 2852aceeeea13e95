"""How many of the attention findings in a real package are confirmed, and how many of its fixes are proved.

    python benchmarks/proofs.py PACKAGE [OUTPUT.json]

The package, which has to be installed, is copied, and the copy is run. Where torchvision is missing, of which there is
no build beside a CPU-only torch, it is stood in for.
"""

from __future__ import annotations

import collections
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STAND_IN = """\
import importlib.abc, importlib.machinery, sys, types


class Anything(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.startswith("torchvision."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Anything(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.append(Finder())
sys.modules[__name__].__class__ = Anything
"""


def main() -> int:
    package = sys.argv[1]
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        print(f"{package} is not installed")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(spec.submodule_search_locations[0], Path(folder, package))
        paths = [os.getcwd()]
        if importlib.util.find_spec("torchvision") is None:
            Path(folder, "stand_in", "torchvision").mkdir(parents=True)
            Path(folder, "stand_in", "torchvision", "__init__.py").write_text(STAND_IN)
            paths.append(f"{folder}/stand_in")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        verdicts = run(
            ["confirm", "--select", "IPL4,IPL5", "--output-format", "json", package], folder, environment
        )
        words = ["check", "--select", "IPL4", "--fix", "--unsafe-fixes", "--prove", "--output-format", "json"]
        run([*words, package], folder, environment)
        proofs = json.loads(Path(folder, "inplace-lint-proofs.json").read_text())["proofs"]
    findings = [(one["code"], one["verdict"]) for one in verdicts if one["verdict"]]
    table("confirm", collections.Counter((code, one["status"]) for code, one in findings))
    undecided = [one["reason"] for _, one in findings if one["status"] != "confirmed"]
    reasons("not confirmed", undecided)
    table(
        "--prove",
        collections.Counter((one["code"], "proved" if one["applied"] else "left") for one in proofs),
    )
    reasons("left", [one["reason"] for one in proofs if not one["applied"]])
    worst = [one["proof"]["worst_error"] for one in proofs if one["applied"]]
    if worst:
        print(f"worst difference of a proved fix: {max(worst):.1g}")
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps({"verdicts": verdicts, "proofs": proofs}, indent=1) + "\n")
    return 0


def run(words: list[str], folder: str, environment: dict[str, str]) -> list[dict]:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "inplace_lint", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(f"{words[0]}: {time.monotonic() - begun:.0f} s")
    return json.loads(done.stdout)


def table(title: str, counts: collections.Counter) -> None:
    for (code, status), count in sorted(counts.items()):
        print(f"{title:8} {code} {status:13} {count:4}")


def reasons(title: str, texts: list[str]) -> None:
    for text, count in collections.Counter(re.sub(r"\d+", "N", one)[:110] for one in texts).most_common():
        print(f"    {title} {count:3}: {text}")


if __name__ == "__main__":
    sys.exit(main())
