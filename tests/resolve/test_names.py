"""What a name of a file stands for is what Python binds it to: each project of the table is also imported and asked."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from inplace_lint.project import Project
from inplace_lint.resolve.names import Definition, Names
from inplace_lint.syntax.files import Files
from inplace_lint.syntax.module import ClassSource, FunctionSource, Module

F = "def f():\n    return 1\n"

#: Files by name; `main.py` is asked for what stands after the colon of the title, along its attributes.
PROJECTS = {
    "a function: f": {"main.py": F},
    "a class: C": {"main.py": "class C:\n    pass\n"},
    "a constant: n": {"main.py": "n = 3\n"},
    "a name for a name: g": {"main.py": F + "g = f\n"},
    "a builtin: len": {"main.py": ""},
    "a builtin that the file has of its own: len": {"main.py": "def len(x):\n    return 2\n"},
    "something of elsewhere: sqrt": {"main.py": "from math import sqrt\n"},
    "something of elsewhere, by its module: math.sqrt": {"main.py": "import math\n"},
    "an alias: g": {"main.py": "from other import f as g\n", "other.py": F},
    "a module: other.f": {"main.py": "import other\n", "other.py": F},
    "a module by another name: o.f": {"main.py": "import other as o\n", "other.py": F},
    "a function of a package: f": {"main.py": "from pkg import f\n", "pkg/__init__.py": F},
    "a submodule: sub.f": {"main.py": "from pkg import sub\n", "pkg/__init__.py": "", "pkg/sub.py": F},
    "a submodule by its whole name: pkg.sub.f": {
        "main.py": "import pkg.sub\n",
        "pkg/__init__.py": "",
        "pkg/sub.py": F,
    },
    "a submodule two packages down: pkg.inner.sub.f": {
        "main.py": "import pkg.inner.sub\n",
        "pkg/__init__.py": "",
        "pkg/inner/__init__.py": "",
        "pkg/inner/sub.py": F,
    },
    "a file of a folder that is no package: folder.sub.f": {
        "main.py": "import folder.sub\n",
        "folder/sub.py": F,
    },
    "a file two folders down: folder.inner.sub.f": {
        "main.py": "import folder.inner.sub\n",
        "folder/inner/sub.py": F,
    },
    "a file of a folder, by another name: s.f": {"main.py": "import folder.sub as s\n", "folder/sub.py": F},
    "a function of a file of a folder: f": {"main.py": "from folder.sub import f\n", "folder/sub.py": F},
    "two files of a folder in one statement: folder.sub.f": {
        "main.py": "import math, folder.sub, folder.other as o\n",
        "folder/sub.py": F,
        "folder/other.py": "",
    },
    "a submodule that the package imports: pkg.sub.f": {
        "main.py": "import pkg\n",
        "pkg/__init__.py": "from . import sub\n",
        "pkg/sub.py": F,
    },
    "a submodule that the package imports from: pkg.sub.f": {
        "main.py": "import pkg\n",
        "pkg/__init__.py": "from .sub import f as g\n",
        "pkg/sub.py": F,
    },
    "a package's own name before its submodule's: sub": {
        "main.py": "from pkg import sub\n",
        "pkg/__init__.py": "def sub():\n    return 1\n",
        "pkg/sub.py": F,
    },
    "re-exported: f": {
        "main.py": "from pkg import f\n",
        "pkg/__init__.py": "from .sub import f\n",
        "pkg/sub.py": F,
    },
    "re-exported by other names: h": {
        "main.py": "from pkg import g as h\n",
        "pkg/__init__.py": "from .sub import f as g\n",
        "pkg/sub.py": F,
    },
    "all names: f": {"main.py": "from other import *\n", "other.py": F},
    "all names of all names: f": {
        "main.py": "from pkg import *\n",
        "pkg/__init__.py": "from .sub import *\n",
        "pkg/sub.py": F,
    },
    "all names, and one of its own: f": {"main.py": "from other import *\n\n" + F, "other.py": F},
    "a builtin that no star gives: len": {"main.py": "from other import *\n", "other.py": F},
    "a builtin that a star replaces: len": {
        "main.py": "from other import *\n",
        "other.py": "def len(x):\n    return 2\n",
    },
    "files that import each other: f": {
        "main.py": "from one import f\n",
        "one.py": F + "from two import g\n",
        "two.py": "import one\n\n\ndef g():\n    return one.f()\n",
    },
    "stars in a circle: f": {
        "main.py": "from one import *\n",
        "one.py": F + "from two import *\n",
        "two.py": "from one import *\n",
    },
    "from two folders up: f": {
        "main.py": "from pkg.inner.deep import f\n",
        "pkg/__init__.py": "",
        "pkg/top.py": F,
        "pkg/inner/__init__.py": "",
        "pkg/inner/deep.py": "from ..top import f\n",
    },
    "under try: f": {
        "main.py": "try:\n    from other import f\nexcept ImportError:\n    f = None\n",
        "other.py": F,
    },
    "under a condition: f": {
        "main.py": "import sys\n\nif sys.version_info >= (3,):\n    from other import f\n",
        "other.py": F,
    },
    "a file of the project with the name of a library: einops.f": {
        "main.py": "import einops\n",
        "einops.py": F,
    },
    "a class in a module: other.C": {"main.py": "import other\n", "other.py": "class C:\n    pass\n"},
}

#: Names of `main.py` of which nothing may be said for sure.
UNSURE = {
    "bound twice: f": {"main.py": F + "\n\ndef f():\n    return 2\n"},
    "bound in a loop: f": {"main.py": "for f in (1, 2):\n    pass\n"},
    "bound by `with`: f": {"main.py": "with open(__file__) as f:\n    pass\n"},
    "added to: n": {"main.py": "n = 1\nn += 1\n"},
    "unpacked of something: a": {"main.py": "a, b = divmod(7, 2)\n"},
    "of a file that binds it twice: f": {
        "main.py": "from other import f\n",
        "other.py": F + "f = len\n",
    },
    "of a file that does not have it: f": {"main.py": "from other import f\n", "other.py": ""},
    "of a relative module that is not there: f": {
        "main.py": "from pkg.sub import f\n",
        "pkg/__init__.py": "",
        "pkg/sub.py": "from .gone import f\n",
    },
}


class Outside:
    """Knows of these names alone, and that classes outside of the project derive from nothing."""

    def __init__(self, *known: str) -> None:
        self.known = known

    def knows(self, dotted: str, module: Module) -> bool:
        return dotted in self.known

    def canonical(self, dotted: str) -> str:
        return dotted

    def bases(self, dotted: str) -> tuple[str, ...]:
        return ()

    def stand_in(self, dotted: str) -> None:
        return None


def definition(files: dict[str, str], title: str) -> Definition | None:
    """What the names of the title stand for, by what the project says."""
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    held = Files(Project())
    names = Names(held, Outside())
    main = held.read("main.py", files["main.py"].encode())
    first, *rest = title.rpartition(": ")[2].split(".")
    found = names.definition(main, first)
    for name in rest:
        assert found is not None
        if isinstance(found.what, Module):
            found = names.definition(found.what, name)
        else:
            assert isinstance(found.what, str)
            found = names.attribute(main, found.what, name)
    return found


def is_the_same(what: object, found: Definition) -> bool:
    """Whether an object of Python's is what was found."""
    if isinstance(found.what, Module):
        return isinstance(what, ModuleType) and Path(what.__file__ or "").samefile(found.what.filename)
    if isinstance(found.what, FunctionSource):
        assert isinstance(what, FunctionType)
        code = what.__code__
        same_place = code.co_firstlineno == found.what.node.lineno
        return same_place and Path(code.co_filename).samefile(found.what.module.filename)
    if isinstance(found.what, ClassSource):
        file = sys.modules[getattr(what, "__module__", "")].__file__ or ""
        return (
            isinstance(what, type)
            and what.__name__ == found.what.name
            and Path(file).samefile(found.module.filename)
        )
    if isinstance(found.what, str):
        module, _, name = found.what.rpartition(".")
        return what is getattr(importlib.import_module(module), name)
    value = eval(ast.unparse(found.what), vars(sys.modules["main"]))
    return bool(what == value)


@pytest.mark.parametrize("title", PROJECTS)
def test_a_name_stands_for_what_python_binds_it_to(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = definition(PROJECTS[title], title)
    assert found is not None and found.sure
    monkeypatch.syspath_prepend(tmp_path)
    own = {Path(name).parts[0].removesuffix(".py") for name in PROJECTS[title]}
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:
        monkeypatch.delitem(sys.modules, name)
    try:
        what = importlib.import_module("main")
        for name in title.rpartition(": ")[2].split("."):
            what = (
                getattr(what, name)
                if hasattr(what, name)
                else vars(importlib.import_module("builtins"))[name]
            )
        assert is_the_same(what, found)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] in own]:
            del sys.modules[name]  # `monkeypatch` would put it back


@pytest.mark.parametrize("title", UNSURE)
def test_of_what_may_change_nothing_is_sure(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = definition(UNSURE[title], title)
    assert found is None or not found.sure


def test_of_all_names_of_elsewhere_only_those_that_exist_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.py").write_text("from torch.nn import *\n", encoding="utf-8")
    files = Files(Project())
    names = Names(files, Outside("torch.nn.Linear"))
    main = files.read("main.py", b"from torch.nn import *\n")
    found = names.definition(main, "Linear")
    assert found is not None and found.what == "torch.nn.Linear"
    assert names.definition(main, "Linera") is None


def test_a_plain_import_in_a_function_names_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("folder/sub.py").write_text(F, encoding="utf-8")
    files = Files(Project())
    main = files.read("main.py", b"def g():\n    import folder.sub\n    return folder.sub.f()\n")
    found = Names(files, Outside()).attribute(main, "folder", "sub")
    assert isinstance(found.what, Module) and Path(found.what.filename).samefile("folder/sub.py")
