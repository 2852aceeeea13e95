"""Where the analysis ends before the code does, that is said: IPL003."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inplace_lint.cli import main

HEAD = "import torch\nfrom torch import nn\n"
HAZARD = "    y = torch.sigmoid(x)\n    y += 1\n    return y\n"


def nested_loops(depth: int) -> str:
    loops = "".join(f"{'    ' * (i + 1)}for i{i} in range(3):\n" for i in range(depth))
    return f"def main(x, w):\n{loops}{'    ' * (depth + 1)}x = torch.exp(x) + 1\n{HAZARD}"


def loops(count: int) -> str:
    return "def main(x, w):\n" + "    for i in range(3):\n        x = torch.exp(x) + i\n" * count + HAZARD


def views(count: int) -> str:
    lines = "".join(f"    v{i + 1} = v{i}.view(-1)\n" for i in range(count))
    return f"def main(x, w):\n    v0 = x * 2\n{lines}    s = torch.exp(v0)\n    v{count}.add_(1)\n{HAZARD}"


def comprehensions(depth: int) -> str:
    inside = "[" * depth + "x.exp()" + "".join(f" for i{i} in range(2)]" for i in range(depth))
    return f"def main(x, w):\n    g = {inside}\n{HAZARD}"


def calls(depth: int) -> str:
    inner = "".join(f"def f{i}(x):\n    y = f{i + 1}(x)\n    y.mul_(1)\n    return y\n" for i in range(depth))
    return f"{inner}def f{depth}(x):\n    return x\ndef main(x, w):\n    x = f0(x)\n{HAZARD}"


CUT = {
    "loops in loops": nested_loops(9),
    "loops": loops(1200),
    "views": views(3000),
    "comprehensions": comprehensions(16),
    "calls": calls(12),
    "writes that meet": "def main(x, w):\n"
    + "".join(f"{' ' * (4 + i)}while w[{i}]:\n" for i in range(12))
    + f"{' ' * 20}x.exp_()\n{HAZARD}",
    "top level": "x = torch.ones(3, requires_grad=True)\n"
    + "for i in range(3):\n    x = torch.exp(x) + i\n" * 1300
    + "y = torch.exp(x)\ny += 1\n",
}


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)

    def check(text: str, *options: str) -> tuple[int, str, str]:
        Path("a.py").write_text(HEAD + text)
        code = main(["check", "--isolated", "a.py", *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return check


@pytest.mark.parametrize("name", CUT)
def test_an_analysis_that_ends_early_is_told(check, name: str) -> None:  # type: ignore[no-untyped-def]
    code, out, err = check(CUT[name], "--output-format", "concise", "--notes")
    assert "note[IPL003] " in out
    assert "is not analysed as a whole" in out
    assert "passed" not in err
    assert "note" in err
    assert code == ("error" in out)


def test_it_is_counted_whatever_is_selected_and_shown_with_notes(check) -> None:  # type: ignore[no-untyped-def]
    text = CUT["loops in loops"]
    counted = (
        "Found nothing in 1 file. 1 function is not analysed as a whole (IPL003): `--notes` shows which.\n"
    )
    for options in ((), ("--select", "IPL101"), ("--ignore", "IPL4"), ("--min-confidence", "certain")):
        assert check(text, *options) == (0, "", counted)
        for form in ("concise", "github", "azure", "pylint"):
            assert check(text, *options, "--output-format", form) == (0, "", counted)
        code, out, err = check(text, *options, "--notes")
        assert code == 0
        assert out.startswith("note[IPL003] analysis-cut-short: `main` is not analysed as a whole: ")
        assert "3 | def main(x, w):\n   | ^^^^^^^^\n" in out
        assert err == "Found 1 note in 1 file.\n"
    assert check(text, "--statistics")[1] == "1  IPL003  analysis-cut-short\n"
    _, out, _ = check(text, "--output-format", "json")
    assert [(one["code"], one["severity"]) for one in json.loads(out)] == [("IPL003", "note")]


def test_what_is_counted_stands_behind_what_is_found(check) -> None:  # type: ignore[no-untyped-def]
    found = "\n\n\ndef wrong(x):\n    y = x.exp()\n    y += 1\n    return y\n"
    code, out, err = check(CUT["loops in loops"] + found)
    assert (code, out.count("IPL003")) == (1, 0)
    assert err.startswith("Found 1 error in 1 file. 1 function is not analysed as a whole (IPL003): ")


def test_the_top_level_of_a_file_is_no_function(check) -> None:  # type: ignore[no-untyped-def]
    _, _, err = check(CUT["top level"])
    assert ". The top level of 1 file is not analysed as a whole (IPL003): " in err
    _, _, err = check(CUT["loops in loops"] + CUT["top level"])
    assert ". 1 function and the top level of 1 file are not analysed as a whole (IPL003): " in err


def test_whoever_knows_can_say_so(check) -> None:  # type: ignore[no-untyped-def]
    text = CUT["loops in loops"]
    assert check(text, "--ignore", "IPL003") == (0, "", "All checks passed in 1 file.\n")
    said = text.replace("(x, w):", "(x, w):  # inplace-lint: ignore[IPL003]")
    assert check(said) == (0, "", "All checks passed in 1 file.\n")


@pytest.mark.parametrize(
    "text",
    [nested_loops(3), loops(20), views(100), comprehensions(4), calls(4)],
    ids=["nest", "loops", "views", "lists", "calls"],
)
def test_what_is_read_to_its_end_says_nothing(check, text: str) -> None:  # type: ignore[no-untyped-def]
    code, out, err = check(text, "--output-format", "concise")
    assert code == 1
    assert "IPL101" in out
    assert "IPL003" not in out + err


def test_attention_that_is_not_looked_for_is_told(check) -> None:  # type: ignore[no-untyped-def]
    steps = "    x = x * 2\n" * 7000
    text = f"def main(q, k, v, x):\n{steps}    return torch.softmax(q @ k.transpose(-2, -1), -1) @ v\n"
    code, out, err = check(text, "--output-format", "concise", "--notes")
    assert (code, err) == (0, "Found 1 note in 1 file.\n")
    assert "whether it computes attention is not known" in out


def test_a_closure_in_closures_is_looked_into(check) -> None:  # type: ignore[no-untyped-def]
    text = """def main(x, w):
    y = torch.sigmoid(x @ w)
    def a():
        def b():
            def c():
                def d():
                    y.add_(1)
                d()
            c()
        b()
    a()
    return y.sum().backward()
"""
    code, out, _ = check(text, "--output-format", "concise")
    assert code == 1
    assert "a.py:13:5: error[IPL101]" in out


LARGE = """\
class Block(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        c = a + b
        self.first = nn.Linear(c, a)
        self.other = nn.Linear(a, c)


class Head(nn.Module):
    def __init__(self, width, bounded=None):
        super().__init__()
        self.bounded = bounded
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        out = self.proj(x)
        if self.bounded:
            out = torch.tanh(out)
        return out


class Net(nn.Module):
    def __init__(self, weights):
        super().__init__()
{blocks}
        self.head = Head(4{more})
        self.load_state_dict(weights)

    def forward(self, x, mask):
        out = self.head(x)
        out[mask] = 0
        return out
"""


@pytest.mark.parametrize("blocks", [1, 150])
@pytest.mark.parametrize("more", ["", ", bounded=True"])
def test_large_model_that_is_gone_through_as_it_is_built_is_known_later(
    check, blocks: int, more: str
) -> None:  # type: ignore[no-untyped-def]
    rows = "\n".join(f"        self.block{i} = Block({i + 1}, {i + 2})" for i in range(blocks))
    _, out, _ = check(LARGE.format(blocks=rows, more=more), "--output-format", "json")
    found = [(one["code"], one["confidence"]) for one in json.loads(out) if one["code"] != "IPL003"]
    assert found == ([("IPL101", "certain")] if more else [])


BUILDS = """

class Plan:
    def __init__(self):
{fields}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def shrink(self, y):
        y *= 2
        return y

    def forward(self, x):
        plan = Plan()
        return self.shrink(torch.sigmoid(self.lin(x) * plan.a0))
"""


@pytest.mark.parametrize(("fields", "rule"), [(10, "IPL101"), (1_200, "IPL101"), (16_000, "IPL003")])
def test_building_objects_leaves_steps_for_what_uses_them_up_to_a_limit(
    check, fields: int, rule: str
) -> None:  # type: ignore[no-untyped-def]
    text = BUILDS.format(fields="".join(f"        self.a{i} = {i}\n" for i in range(fields)))
    _, out, _ = check(text, "--output-format", "concise", "--notes")
    assert [other for other in ("IPL101", "IPL003") if other in out] == [rule]


TABLES = {
    "a list": "[" + "1, " * 40_000 + "]",
    "a dict": "{" + ", ".join(f"'k{i}': {i}" for i in range(20_000)) + "}",
    "rows": "[" + "(1, -2.5, 'x'), " * 13_000 + "]",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_constants_hides_nothing_that_comes_after_it(check, name: str) -> None:  # type: ignore[no-untyped-def]
    after = "x = torch.ones(3, requires_grad=True)\ny = torch.exp(x)\ny += 1\ny.sum().backward()\n"
    _, out, _ = check(f"TABLE = {TABLES[name]}\n{after}", "--output-format", "concise", "--notes")
    assert "IPL101" in out
    assert "IPL003" not in out
