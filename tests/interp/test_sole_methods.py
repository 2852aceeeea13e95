"""A method of an unknown object is that of the only class of the project which has one of its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

CODER = """
class Coder:
    def decode_boxes(self, distance, stride):
        distance WRITES stride
        return distance
"""
#: How the network comes by its coder, of which the file alone says nothing.
GIVEN = {
    "an argument": "    def __init__(self, coder):\n        super().__init__()\n        self.coder = coder",
    "an unknown function": "    def __init__(self, cfg):\n        super().__init__()\n        self.coder = build(cfg)",
    "a table elsewhere": (
        "    def __init__(self, cfg):\n        super().__init__()\n        self.coder = TABLE[cfg.name](cfg)"
    ),
}
HEAD = """
from torch import nn
from somewhere import TABLE, build


class Head(nn.Module):
GIVEN
        self.conv = nn.Linear(3, 3)

    def forward(self, x, target):
        y = self.conv(x).exp()
        return (self.coder.decode_boxes(CALL) - target).sum()
"""


def errors(folder: Path, files: dict[str, str], checked: str) -> list[tuple[str, int]]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    path = folder / checked
    found = check_source(str(path), path.read_bytes(), Settings(), Project(root=str(folder)))
    return [(one.code, one.location.row) for one in found if one.severity == "error"]


def head(given: str, call: str = "y, 2") -> str:
    return HEAD.replace("GIVEN", GIVEN[given]).replace("CALL", call)


@pytest.mark.parametrize("given", GIVEN)
def test_the_only_method_of_a_name_is_called(given: str, tmp_path: Path) -> None:
    files = {"coders.py": CODER.replace("WRITES", "*="), "head.py": head(given)}
    assert [code for code, _ in errors(tmp_path, files, "head.py")] == ["IPL101"]
    files["coders.py"] = CODER.replace("distance WRITES stride", "distance = distance * stride")
    assert errors(tmp_path, files, "head.py") == []


def test_it_is_likely_and_not_certain(tmp_path: Path) -> None:
    (tmp_path / "coders.py").write_text(CODER.replace("WRITES", "*="))
    for given, confidence in (("an argument", "likely"), ("a known class", "certain")):
        text = head("an argument")
        if given == "a known class":
            text = text.replace("from somewhere import TABLE, build", "from coders import Coder")
            text = text.replace("self.coder = coder", "self.coder = Coder()")
        path = tmp_path / "head.py"
        path.write_text(text)
        found = check_source(str(path), text.encode(), Settings(), Project(root=str(tmp_path)))
        assert [one.confidence for one in found if one.severity == "error"] == [confidence]


@pytest.mark.parametrize(
    "body",
    [
        '        """Boxes."""\n        raise NotImplementedError\n',
        "        raise NotImplementedError('in heirs')\n",
        "        pass\n",
        "        ...\n",
    ],
)
def test_a_placeholder_of_a_base_class_is_no_method(body: str, tmp_path: Path) -> None:
    base = CODER.replace("Coder", "Base").replace(
        "        distance WRITES stride\n        return distance\n", body
    )
    files = {"base.py": base, "coders.py": CODER.replace("WRITES", "*="), "head.py": head("an argument")}
    assert [code for code, _ in errors(tmp_path, files, "head.py")] == ["IPL101"]


def test_of_two_methods_none_is_taken(tmp_path: Path) -> None:
    other = "class Other:\n    def decode_boxes(self, distance, stride):\n        return distance\n"
    files = {"other.py": other, "coders.py": CODER.replace("WRITES", "*="), "head.py": head("an argument")}
    assert errors(tmp_path, files, "head.py") == []


@pytest.mark.parametrize("call", ["y", "y, 2, 3", "y, step=2"])
def test_a_call_that_does_not_fit_is_of_something_else(call: str, tmp_path: Path) -> None:
    files = {"coders.py": CODER.replace("WRITES", "*="), "head.py": head("an argument", call)}
    assert errors(tmp_path, files, "head.py") == []


@pytest.mark.parametrize("name", ["update", "decode", "exp", "train", "step", "run"])
def test_names_that_other_objects_have_tell_nothing(name: str, tmp_path: Path) -> None:
    """`decode` is a method of bytes, `update` of dicts, `train` of modules, `step` of optimizers."""
    coder = CODER.replace("WRITES", "*=").replace("decode_boxes", name)
    files = {"coders.py": coder, "head.py": head("an argument").replace("decode_boxes", name)}
    assert errors(tmp_path, files, "head.py") == []


REGISTRY = """
class Registry:
    def __init__(self):
        self.table = {}

    def register(self, name=None):
        def put(cls):
            self.table[name or cls.__name__] = cls
            return cls

        return put

    def build(self, cfg):
        args = dict(cfg)
        kind = args.pop("type")
        return self.table[kind](**args)


CODERS = Registry()
"""


def test_classes_that_other_files_register_are_entered(tmp_path: Path) -> None:
    """Each of two coders writes, and no file but the registry's is imported by the one that calls them."""
    coder = "from registry import CODERS\n\n\n@CODERS.register()" + CODER.replace("WRITES", "*=")
    built = head("an unknown function").replace(
        "from somewhere import TABLE, build", "from registry import CODERS"
    )
    files = {
        "registry.py": REGISTRY,
        "one.py": coder,
        "two.py": coder.replace("class Coder", "class Other"),
        "head.py": built.replace("build(cfg)", "CODERS.build(cfg)"),
    }
    assert [code for code, _ in errors(tmp_path, files, "head.py")] == ["IPL101"]


LOOP = """
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.spec = spec
        self.w = nn.Parameter(torch.ones(3, 3))

    def forward(self, x):
        for HEAD:
            if name == "linear":
                x = F.linear(x, self.w)
            elif name == "relu":
                BODY
            elif name == "tanh":
                x = torch.tanh(x)
        return x
"""


@pytest.mark.parametrize(
    "loop", ["name in self.spec", "name, size in self.spec", "i, (name, size) in enumerate(self.spec)"]
)
def test_no_order_of_the_layers_in_an_unknown_list_is_supposed(loop: str, tmp_path: Path) -> None:
    """Nobody lets a ReLU in place follow a tanh, or another ReLU; a write within one round is what it is."""
    quiet = LOOP.replace("HEAD", loop).replace("BODY", "x = F.relu(x, inplace=True)")
    assert errors(tmp_path, {"net.py": quiet}, "net.py") == []
    wrong = LOOP.replace("HEAD", loop).replace("BODY", "x = F.relu(torch.tanh(x), inplace=True)")
    assert [code for code, _ in errors(tmp_path, {"net.py": wrong}, "net.py")] == ["IPL101"]


LOSS = """
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def loss_of(self, images, predicted):
        target = images - images.mean(-1, keepdim=True)
        target /= (target.var(-1, keepdim=True) + 1e-6).sqrt()
        return (predicted - target).pow(2).mean()

    def forward(self, images):
        return self.loss_of(GIVEN)
"""


@pytest.mark.parametrize(
    ("given", "found"), [("images, self.lin(images)", False), ("self.lin(images), images", True)]
)
def test_the_data_of_a_loss_need_no_gradient(given: str, found: bool, tmp_path: Path) -> None:
    """The argument of a forward that returns its loss is data; what its layers made of it is not."""
    assert bool(errors(tmp_path, {"net.py": LOSS.replace("GIVEN", given)}, "net.py")) is found


NETWORK = """
from torch import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(3, 3), nn.Linear(3, 3)

    def new_memory(self, x):
        return x.new_zeros(3, 3)

    def encode(self, x, memory):
        memory WRITES self.inner(x)
        return self.outer(memory) * memory

    def forward(self, x, memory):
        return self.encode(x, memory)
"""
READER = """
from torch.nn import functional as F


def loss(model, x, target):
    BEFORE
    total = 0
    for part in x:
        total = total + F.mse_loss(CALL, target)
    return total
"""
SHOWN = {
    ("memory = model.new_memory(x)", "model(part, memory)"): True,
    ("memory = model.new_memory(x)", "model.encode(part, memory)"): True,
    ("memory = x.new_zeros(3, 3)", "model(part, memory)"): False,
}


@pytest.mark.parametrize(("before", "call"), SHOWN)
def test_an_object_that_shows_its_class_is_called(before: str, call: str, tmp_path: Path) -> None:
    """What `model(…)` runs is known once `model` had a method that one class alone has."""
    reader = READER.replace("BEFORE", before).replace("CALL", call)
    for writes, found in (("+=", SHOWN[before, call]), ("= memory +", False)):
        files = {"network.py": NETWORK.replace("WRITES", writes), "reader.py": reader}
        assert bool(errors(tmp_path, files, "reader.py")) is found
