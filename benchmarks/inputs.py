"""How many attention and block classes of real packages run on inputs that are found without help.

    python benchmarks/inputs.py [PACKAGE…] [--capture] [--verbose]

A class counts if its forward and its backward run. Packages that are not installed are left out, and said.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import pkgutil
import re
import resource
import sys
import time
import types
import warnings

import torch
from torch import nn

from inplace_lint.runtime.inputs import NoInputs, build
from inplace_lint.runtime.inputs.capture import Uses, capturing
from inplace_lint.runtime.peak.step import dense_loss

PACKAGES = {"vit_pytorch": 85, "timm": 80, "x_transformers": 65}
MEMORY = 12 * 2**30
WANTED = re.compile(r"Attn|Attention|Attend|Block|Layer$|EncoderLayer|DecoderLayer")


def classes(package: str) -> list[type]:
    """The attention and block classes that a package defines."""
    found: dict[str, type] = {}
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(root.__path__, package + "."):
        try:
            module = importlib.import_module(info.name)
        except Exception:
            continue
        for name, one in vars(module).items():
            if (
                inspect.isclass(one)
                and issubclass(one, nn.Module)
                and one.__module__ == info.name
                and WANTED.search(name)
                and one.forward is not nn.Module.forward
            ):
                found[f"{info.name}:{name}"] = one
    return list(found.values())


def runs(target: type, captured: Uses | None = None) -> tuple[bool, str]:
    """Whether inputs were found and forward and backward ran on them, and what to say of it."""
    call = build(target, captured=captured)
    if isinstance(call, NoInputs):
        return False, call.reason
    try:
        function = call.function()
        args, kwargs = call.inputs()
        loss = dense_loss(function(*args, **kwargs))
        if loss is not None:
            torch.autograd.backward(loss, torch.zeros_like(loss))
    except Exception as error:
        return False, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return True, f"{call.source} {call.trials}: {call.template}"


def uses_in_models(target: type, most: int = 12) -> Uses:
    """What a class is given in timm's own models of its module, as `inplace-lint capture` would record it."""
    import timm

    module = target.__module__.rpartition(".")[2]
    names = [
        name
        for name in timm.list_models()
        if timm.models.model_entrypoint(name).__module__.endswith("." + module)
    ]
    key = f"{target.__module__}:{target.__qualname__}"
    uses: Uses = {}
    # The smallest of a family have the shortest names.
    for name in sorted(names, key=len)[:most]:
        try:
            with capturing() as uses, torch.no_grad():
                model = timm.create_model(name)
                model(torch.randn(1, *model.default_cfg["input_size"]))
        except Exception:
            continue
        if key in uses:
            return uses
    return {}


def without_torchvision() -> None:
    """Stands in for torchvision, of which there is no build beside a CPU-only torch: timm only asks for names."""
    if "torchvision" in sys.modules:
        return

    class Anything(types.ModuleType):
        def __getattr__(self, name: str) -> object:
            if name.startswith("__"):
                raise AttributeError(name)
            return type(
                name, (), {"BICUBIC": 3, "BILINEAR": 2, "NEAREST": 0, "LANCZOS": 1, "HAMMING": 4, "BOX": 5}
            )

    for name in (
        "torchvision",
        "torchvision.transforms",
        "torchvision.transforms.functional",
        "torchvision.datasets",
        "torchvision.models",
        "torchvision.models.feature_extraction",
        "torchvision.ops",
        "torchvision.ops.misc",
    ):
        module = Anything(name)
        module.__path__ = []
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument(
        "--capture", action="store_true", help="where that fails, record a model of timm that uses it"
    )
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--match", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    # A trial may ask for more memory than there is: it then fails, as any other that does not run.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    without_torchvision()
    rows = []
    for package in options.packages:
        if importlib.util.find_spec(package) is None:
            print(f"{package}: not installed, left out")
            continue
        good, times = 0, []
        targets = [
            one
            for one in classes(package)
            if re.search(options.match, f"{one.__module__}.{one.__qualname__}")
        ]
        for target in targets:
            start = time.perf_counter()
            ok, said = runs(target)
            if not ok and options.capture and package == "timm":
                ok, said = runs(target, uses_in_models(target))
            times.append(time.perf_counter() - start)
            good += ok
            if options.verbose:
                print(
                    f"{'ok  ' if ok else 'FAIL'} {times[-1]:6.2f} {target.__module__}:{target.__qualname__}  {said}",
                    flush=True,
                )
        times.sort()
        share = 100 * good / max(len(targets), 1)
        rows.append(
            (
                package,
                len(targets),
                good,
                share,
                PACKAGES.get(package, 0),
                times[len(times) // 2] if times else 0,
            )
        )
    print(
        f"torch {torch.__version__}, Python {sys.version.split()[0]}{', with capture' if options.capture else ''}"
    )
    print(f"{'package':16}{'classes':>8}{'run':>6}{'share':>8}{'bar':>6}{'median':>10}")
    for package, count, good, share, bar, median in rows:
        print(f"{package:16}{count:>8}{good:>6}{share:>7.0f}%{bar:>5}%{1e3 * median:>7.0f} ms")


if __name__ == "__main__":
    main()
