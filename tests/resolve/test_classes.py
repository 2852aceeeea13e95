"""Where a class finds its methods is where Python finds them: each file of the table is also run and asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.prefilter.prefilter import Prefilter
from inplace_lint.project import Project
from inplace_lint.resolve.classes import Classes, heirs
from inplace_lint.syntax.files import Files
from inplace_lint.syntax.module import ClassSource

#: Files whose last class is asked for `f` and `g`.
FILES = {
    "its own": "class A:\n    def f(self): pass\n    def g(self): pass\n",
    "of its base": "class A:\n    def f(self): pass\n\nclass B(A):\n    def g(self): pass\n",
    "a diamond": (
        "class A:\n    def f(self): pass\n    def g(self): pass\n\n"
        "class B(A):\n    pass\n\nclass C(A):\n    def f(self): pass\n\nclass D(B, C):\n    pass\n"
    ),
    "a base by another name": "class A:\n    def f(self): pass\n\nBase = A\n\nclass B(Base):\n    def g(self): pass\n",
    "a generic base": (
        "from typing import Generic, TypeVar\n\nT = TypeVar('T')\n\n"
        "class A(Generic[T]):\n    def f(self): pass\n    def g(self): pass\n\n"
        "class B(A[int]):\n    def g(self): pass\n"
    ),
    "a base from a library": (
        "import collections\n\nclass A(collections.OrderedDict):\n    def f(self): pass\n\n"
        "class M:\n    def f(self): pass\n    def g(self): pass\n\nclass B(A, M):\n    pass\n"
    ),
    "a mixin before": (
        "class M:\n    def f(self): pass\n\n"
        "class A:\n    def f(self): pass\n    def g(self): pass\n\nclass B(M, A):\n    pass\n"
    ),
}


def classes() -> tuple[Files, Classes]:
    files = Files(Project())
    return files, Prefilter(files).classes


def last_class(text: str) -> tuple[ClassSource, Classes, type]:
    files, found = classes()
    module = files.read("main.py", text.encode())
    space: dict[str, object] = {"__name__": "main"}
    exec(text, space)
    name = [*module.classes][-1]
    made = space[name]
    assert isinstance(made, type)
    return module.classes[name], found, made


@pytest.mark.parametrize("title", FILES)
def test_methods_are_found_where_python_finds_them(title: str) -> None:
    source, found, made = last_class(FILES[title])
    for name in ("f", "g"):
        method = found.method(source, name)
        assert method is not None
        assert method.node.lineno == getattr(made, name).__code__.co_firstlineno


@pytest.mark.parametrize("title", FILES)
def test_super_looks_past_the_class(title: str) -> None:
    source, found, made = last_class(FILES[title])
    for name in ("f", "g"):
        method = found.method(source, name, after=source)
        beyond = getattr(super(made, made), name, None)
        assert (method is None) == (beyond is None)
        assert method is None or method.node.lineno == beyond.__code__.co_firstlineno


def test_bases_are_followed_into_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("layers.py").write_text("from torch import nn\n\nclass Layer(nn.Module):\n    def f(self): pass\n")
    Path("pkg").mkdir()
    Path("pkg/parts.py").write_text("class Part:\n    def g(self): pass\n")
    text = b"import layers\nimport pkg.parts\n\nclass Both(layers.Layer, pkg.parts.Part):\n    pass\n"
    files, found = classes()
    both = files.read("main.py", text).classes["Both"]
    names = [one if isinstance(one, str) else one.name for one in found.order(both)]
    assert names == ["Both", "Layer", "torch.nn.Module", "Part"]
    assert found.method(both, "g") is not None
    assert found.is_module(both)


def test_a_class_that_names_itself_ends() -> None:
    files, found = classes()
    module = files.read("main.py", b"class A(A):\n    pass\n\nB = B\n\nclass C(B):\n    pass\n")
    assert found.order(module.classes["A"])[0] is module.classes["A"]
    assert found.order(module.classes["C"]) == [module.classes["C"]]


def test_heirs_of_a_class_are_those_of_its_file() -> None:
    files, _ = classes()
    text = b"class A: pass\nclass B(A): pass\nclass X: pass\nclass C(B, X): pass\nclass D(X): pass\n"
    module = files.read("main.py", text)
    assert [one.name for one in heirs(module.classes["A"])] == ["B", "C"]
    assert [one.name for one in heirs(module.classes["X"])] == ["C", "D"]
