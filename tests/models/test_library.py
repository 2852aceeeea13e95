"""A hazard through a declared function of a library is found, its harmless twin is silent; torch judges both."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings
from inplace_lint.project.declarations import of_models

LIBRARY = Path(__file__).with_name("library.py")

MODELS = {
    "library:silu": "takes(x), saves(x), returns(new)",
    "library:tanh": "takes(x), saves(result), returns(new)",
    "library:fill": "takes(x, value), writes(x), returns(same(x))",
    "library:scale_second": "takes(scale, x), writes(x), returns(no_tensor)",
    "library:scale_all": {"takes": ["tensors", "scale"], "writes": ["tensors"], "returns": "no_tensor"},
    "library:kernel": "takes(x), writes_unseen(x), returns(no_tensor)",
    "library:flat": "takes(x), returns(view(x))",
    "library:halves": "takes(x), returns(new, view(x))",
    "library:norm": "takes(x), no_grad, returns(no_tensor)",
    "library:copied": "takes(x), detaches, returns(new)",
    "library:first": "takes(*tensors), writes(tensors), returns(unknown)",
    "library:Swish": "module, takes(x), saves(x), returns(new)",
    "library:Swish.reset": "takes(x), writes(x), returns(no_tensor)",
    "library:InplaceRelu.forward": "takes(x), writes(x), saves(result), returns(same(x))",
    "library:Scale": {"module": True, "parameters": True, "takes": "x", "saves": ["x"], "returns": "new"},
    "library:Cache.update": "takes(x), writes(x), returns(same(x))",
}

#: The lines of a forward, on `h = self.fc(x)`; the write that raises or is silently wrong is marked with its code.
BAD = {
    "input_that_is_saved": "y = library.silu(h)\nh += 1  # IPL102\nreturn y",
    "result_that_is_saved": "y = library.tanh(h)\ny *= 2  # IPL101\nreturn y",
    "write": "y = torch.exp(h)\nlibrary.fill(y, 1.0)  # IPL101\nreturn y",
    "write_by_keyword": "y = torch.exp(h)\nlibrary.fill(value=1.0, x=y)  # IPL101\nreturn y",
    "write_of_the_second": "y = torch.exp(h)\nlibrary.scale_second(2.0, y)  # IPL101\nreturn y",
    "write_of_a_list": "y = torch.exp(h)\nlibrary.scale_all([y, h], 2.0)  # IPL101\nreturn y",
    "write_of_stars": "y = torch.exp(h)\nlibrary.first(y, h)  # IPL101\nreturn y",
    "unseen_write": "y = torch.exp(h)\nlibrary.kernel(y)  # IPL201\nreturn y",
    "view": "y = torch.exp(h)\nz = library.flat(y)\nz += 1  # IPL101\nreturn y",
    "second_of_two_results": "y = torch.exp(h)\na, b = library.halves(y)\nb += 1  # IPL101\nreturn a",
    "by_another_name": "y = torch.exp(h)\nset_to(y, 1.0)  # IPL101\nreturn y",
    "attribute": "y = torch.exp(h)\nself.fill(y)  # IPL101\nreturn y",
    "from_a_table": "y = torch.exp(h)\nFILLS['a'](y)  # IPL101\nreturn y",
    "partial": "y = torch.exp(h)\nfill_two(y)  # IPL101\nreturn y",
    "module_in_a_list": "y = torch.exp(h)\nfor relu in self.relus:\n    y = relu(y)  # IPL101\nreturn y",
    "by_a_star": "y = torch.exp(h)\nscale_second(2.0, y)  # IPL101\nreturn y",
    "part": "y = torch.exp(h)\nlibrary.fill(y[0])  # IPL101\nreturn y",
    "in_a_branch": "y = torch.exp(h)\nif x.shape[0] > 1:\n    fill(y, 1.0)  # IPL101\nreturn y",
    "result_of_a_module_that_writes": "y = self.relu(h + 1)\ny += 1  # IPL101\nreturn y",
    "module": "y = self.swish(h)\nh += 1  # IPL102\nreturn y",
    "module_with_parameters": "y = self.scale(h)\nh += 1  # IPL102\nreturn y",
    "module_that_writes": "y = torch.exp(h)\nreturn self.relu(y)  # IPL101",
    "module_in_a_sequence": "y = torch.exp(h)\nreturn self.chain(y)  # IPL101",
    "method_of_a_module": "y = torch.exp(h)\nself.swish.reset(y)  # IPL101\nreturn y",
    "method": "y = torch.exp(h)\ncache = library.Cache(3)\ncache.update(y)  # IPL101\nreturn y",
    "own_function_that_calls_it": "y = torch.exp(h)\nrefill(y)  # IPL101\nreturn y",
}
GOOD = {
    "input_that_is_not_saved": "y = library.tanh(h)\nh += 1\nreturn y",
    "result_that_is_not_saved": "y = library.silu(h)\ny *= 2\nreturn y",
    "write_of_what_nobody_saved": "y = h + 1\nlibrary.fill(y, 1.0)\nreturn y",
    "write_of_another": "y = torch.exp(h)\nlibrary.scale_second(2.0, h)\nreturn y",
    "write_of_a_new_tensor": "y = library.copied(torch.exp(h))\ny += 1\nreturn y + h",
    "neither_saves_nor_writes": "y = h + 1\nlibrary.norm(y)\ny += 1\nreturn y",
    "view_of_what_nobody_saved": "y = library.flat(h + 1)\ny += 1\nreturn y",
    "first_of_two_results": "y = torch.exp(h)\na, b = library.halves(y)\na += 1\nreturn a.sum() + b.sum()",
    "module": "y = self.swish(h)\ny += 1\nreturn y",
    "module_that_writes": "y = h * 3\nreturn self.relu(y)",
    "write_of_a_copy": "y = torch.exp(h)\nz = y.clone()\nlibrary.fill(z, 1.0)\nreturn y + z",
}


def program(lines: str) -> str:
    body = "\n".join(f"        {line}" for line in lines.splitlines())
    return f"""\
import functools

import library
import torch
from library import *
from library import fill, fill as set_to
from torch import nn

FILLS = {{"a": library.fill}}
fill_two = functools.partial(library.fill, value=2.0)


def refill(x):
    library.fill(x, 2.0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.swish = library.Swish()
        self.scale = library.Scale(4)
        self.relu = library.InplaceRelu()
        self.fill = library.fill
        self.relus = nn.ModuleList([library.InplaceRelu() for _ in range(2)])
        self.chain = nn.Sequential(library.InplaceRelu(), library.Swish())

    def forward(self, x):
        h = self.fc(x)
{body}


if __name__ == "__main__":
    Net()(torch.randn(3, 4)).sum().backward()
"""


@pytest.mark.parametrize("name", [*BAD, *(f"good_{name}" for name in GOOD)])
def test_torch_agrees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from ..rules.silence import verdict

    monkeypatch.syspath_prepend(str(LIBRARY.parent))
    monkeypatch.delitem(sys.modules, "library", raising=False)
    good = name.startswith("good_")
    said = verdict(program(GOOD[name.removeprefix("good_")] if good else BAD[name]))
    assert said == ("right" if good else "silent" if "IPL201" in BAD[name] else "raises")


def findings(text: str, tmp_path: Path, models: dict[str, object]) -> set[tuple[int, str]]:
    file = tmp_path / "net.py"
    file.write_text(text)
    settings = Settings(root=str(tmp_path), models=of_models(models, lambda key: ("pyproject.toml", 1)))
    return {(one.location.row, one.code) for one in examine(str(file), text.encode(), settings)}


def expected(text: str) -> set[tuple[int, str]]:
    return {
        (row, line.partition("# IPL")[2] and "IPL" + line.partition("# IPL")[2])
        for row, line in enumerate(text.splitlines(), 1)
        if "# IPL" in line
    }


@pytest.mark.parametrize("name", BAD)
def test_hazard_through_a_declared_function_is_found(name: str, tmp_path: Path) -> None:
    text = program(BAD[name])
    assert findings(text, tmp_path, MODELS) == expected(text)


@pytest.mark.parametrize("name", GOOD)
def test_harmless_use_of_a_declared_function_is_silent(name: str, tmp_path: Path) -> None:
    assert findings(program(GOOD[name]), tmp_path, MODELS) == set()


@pytest.mark.parametrize("name", BAD)
def test_without_a_declaration_the_hazard_is_out_of_sight(name: str, tmp_path: Path) -> None:
    if name not in ("by_another_name", "view", "second_of_two_results"):
        assert findings(program(BAD[name]), tmp_path, {}) == set()


@pytest.mark.parametrize("name", BAD)
def test_hazard_is_found_through_a_file_that_hands_the_library_on(name: str, tmp_path: Path) -> None:
    (tmp_path / "compat.py").write_text(
        "import library\nfrom library import *\nfrom library import fill\nfrom library import fill as set_to\n"
    )
    text = program(BAD[name]).replace("import library\n", "from compat import library\n", 1)
    text = text.replace("from library import *\n", "")
    text = text.replace(
        "from library import fill, fill as set_to", "from compat import fill, scale_second, set_to"
    )
    assert findings(text, tmp_path, MODELS) == expected(text)


FILL = """\
import library
import torch


def f(x, w):
    y = torch.exp(x * w)
    library.CALL(y)
    return y
"""


@pytest.mark.parametrize(("call", "fixed"), [("fill", True), ("kernel", False), ("quiet", False)])
def test_a_copy_is_only_given_to_what_autograd_records(call: str, fixed: bool, tmp_path: Path) -> None:
    models = {**MODELS, "library:quiet": "takes(x), no_grad, writes(x), returns(no_tensor)"}
    text = FILL.replace("CALL", call)
    said = of_models(models, lambda key: ("pyproject.toml", 1))
    (found,) = examine(str(tmp_path / "a.py"), text.encode(), Settings(root=str(tmp_path), models=said))
    assert (found.plan is not None) == fixed
    assert fixed or "a copy would have the gradient of what it was" in str(found.fix_refused)
