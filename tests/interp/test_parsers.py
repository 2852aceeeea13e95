"""What the options of a program pick by their default names, from `argparse`, is followed; torch runs each program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

NETS = """
import torch
from torch import nn


class Wrong(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        y = self.lin(x).sigmoid()
        y *= 2
        return y


class Right(Wrong):
    def forward(self, x):
        return self.lin(x).sigmoid() * 2


class Leaf(Wrong):
    def forward(self, x):
        x -= 0.5
        return self.lin(x)


class Free(Wrong):
    def forward(self, x):
        return self.lin(x - 0.5)


TABLE = {"leaf": Leaf, "free": Free}


def build(name):
    if name == "leaf":
        return Leaf()
    elif name == "free":
        return Free()
    raise ValueError(name)
"""
#: How the script asks for the name of the network.
ASKS = {
    "add_argument": "parser.add_argument('--net', default='NAME')\nargs = parser.parse_args([])",
    "another name": "parser.add_argument('--model', '-m', default='NAME', dest='net')\nargs = parser.parse_args([])",
    "a short flag first": "parser.add_argument('-n', '--net', default='NAME', help='')\nargs = parser.parse_args([])",
    "a group": (
        "group = parser.add_argument_group('model')\ngroup.add_argument('--net', default='NAME')\n"
        "args = parser.parse_args([])"
    ),
    "known ones": "parser.add_argument('--net', default='NAME')\nargs, rest = parser.parse_known_args([])",
}
#: How it picks the network by that name, with the names that the two networks have there.
PICKS = {
    "getattr": ("getattr(nets, args.net)()", "Leaf", "Free"),
    "__dict__": ("nets.__dict__[args.net]()", "Leaf", "Free"),
    "vars": ("vars(nets)[args.net]()", "Leaf", "Free"),
    "globals": ("globals()[args.net]()", "Leaf", "Free"),
    "a table": ("nets.TABLE[args.net]()", "leaf", "free"),
    "a function": ("nets.build(args.net)", "leaf", "free"),
}
SCRIPT = """
import argparse
import torch
import nets
from nets import Free, Leaf


def options():
    parser = argparse.ArgumentParser()
    ASK
    return args


def main():
    args = options()
    net = PICK
    x = torch.rand(2, 3).requires_grad_(True)
    net(x).sum().backward()


if __name__ == "__main__":
    main()
"""


def script(ask: str, pick: str, name: str) -> str:
    asked = ASKS[ask].replace("NAME", name).replace("\n", "\n    ")
    return SCRIPT.replace("ASK", asked).replace("PICK", PICKS[pick][0])


CASES = [(ask, "getattr") for ask in ASKS] + [("add_argument", pick) for pick in PICKS if pick != "getattr"]


@pytest.mark.parametrize("wrong", [True, False])
@pytest.mark.parametrize(("ask", "pick"), CASES)
def test_the_network_of_the_default_name_is_built(
    ask: str, pick: str, wrong: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = script(ask, pick, PICKS[pick][1 if wrong else 2])
    (tmp_path / "nets.py").write_text(NETS)
    path = tmp_path / "train.py"
    path.write_text(text)
    found = check_source(str(path), text.encode(), Settings(), Project(root=str(tmp_path)))
    # Of a small table, and of tests for names, what any other name leads to is followed as well.
    expected = {"IPL103"} if wrong or pick in ("a table", "a function") else set()
    assert {one.code for one in found if one.severity == "error"} == expected
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nets", raising=False)
    raised = False
    try:
        exec(compile(text, str(path), "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        raised = "a leaf Variable that requires grad" in str(error)
    finally:
        sys.modules.pop("nets", None)
    assert raised is wrong


#: Where the parser is made and filled: files, by name. Each `train.py` has `net` for the network.
HOUSES = {
    "the top level": {
        "train.py": (
            "import argparse\nimport torch\nimport nets\n\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--net', default='NAME')\nargs = parser.parse_args()\n"
        )
    },
    "another file": {
        "opts.py": (
            "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--net', default='NAME')\n"
        ),
        "train.py": "import torch\nimport nets\nfrom opts import parser\n\nargs = parser.parse_args()\n",
    },
    "an object": {
        "opts.py": (
            "import argparse\n\n\nclass Options:\n    def __init__(self):\n"
            "        self.parser, self.ready = argparse.ArgumentParser(), False\n\n"
            "    def fill(self, parser):\n        parser.add_argument('--net', default='NAME')\n"
            "        self.ready = True\n        return parser\n\n    def parse(self):\n        if not self.ready:\n"
            "            self.parser = self.fill(self.parser)\n        return self.parser.parse_args()\n"
        ),
        "train.py": "import torch\nimport nets\nfrom opts import Options\n\nargs = Options().parse()\n",
    },
}
MAIN = """

def main():
    net = getattr(nets, args.net)()
    x = torch.rand(2, 3).requires_grad_(True)
    net(x).sum().backward()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("house", HOUSES)
def test_wherever_the_parser_is_made(house: str, tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    for name, expected in (("Leaf", ["IPL103"]), ("Free", [])):
        for file, text in HOUSES[house].items():
            text = text.replace("NAME", name) + (MAIN if file == "train.py" else "")
            (tmp_path / file).write_text(text)
        path = tmp_path / "train.py"
        found = check_source(str(path), path.read_bytes(), Settings(), Project(root=str(tmp_path)))
        assert [one.code for one in found if one.severity == "error"] == expected


@pytest.mark.parametrize("default", ["other", "scaled"])
def test_what_another_option_leads_to_is_still_wrong(default: str, tmp_path: Path) -> None:
    """The user may ask for it: an option's default is no sign that nobody does."""
    text = (
        "import argparse\nimport torch\nfrom torch import nn\n\n\ndef main(x):\n"
        f"    parser = argparse.ArgumentParser()\n    parser.add_argument('--mode', default='{default}')\n"
        "    args = parser.parse_args()\n    y = nn.Linear(3, 3)(x).sigmoid()\n    if args.mode == 'scaled':\n"
        "        y *= 2\n    y.sum().backward()\n"
    )
    found = check_source(str(tmp_path / "a.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert [one.code for one in found if one.severity == "error"] == ["IPL101"]
