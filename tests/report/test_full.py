"""The drawn finding, as a whole."""

from __future__ import annotations

from inplace_lint.model import Diagnostic, FixPlan, Label, Location
from inplace_lint.report import render
from inplace_lint.report.findings import Findings
from inplace_lint.report.style import cells


def at(row: int, column: int, end_column: int, end_row: int | None = None, file: str = "gate.py") -> Location:
    return Location(file, row, column, end_row or row, end_column)


def drawn(
    source: str,
    main: Location,
    *labels: Label,
    caption: str = "written",
    help: str = "",
    colour: bool = False,
    more: dict[str, str] | None = None,
) -> str:
    texts = {"gate.py": source, **(more or {})}
    diagnostic = Diagnostic(
        "IPL101",
        "saved-result-overwritten",
        "error",
        "certain",
        "`y` is changed",
        main,
        tuple(labels),
        caption,
        help,
    )
    given = {name: text.encode() for name, text in texts.items()}
    return shown(diagnostic, given, colour)


def shown(diagnostic: Diagnostic, texts: dict[str, bytes], colour: bool = False) -> str:
    return render("full", Findings([diagnostic], texts=texts, colour=colour)).removesuffix("\n\n")


GATE = """\
import torch


class Gate(torch.nn.Module):

    def forward(self, x):
        y = torch.sigmoid(self.proj(x))
        scores = y * x
        y += self.bias
"""


def test_the_finding_of_the_design() -> None:
    diagnostic = Diagnostic(
        "IPL101",
        "saved-result-overwritten",
        "error",
        "certain",
        "`y` is changed in place after sigmoid saved it for backward",
        at(9, 9, 23, file="model/gate.py"),
        (Label("save", "SigmoidBackward0 saves this result", at(7, 13, 40, file="model/gate.py")),),
        "add_ moves its version from 0 to 1",
        "use `y = y + self.bias`",
        plan=FixPlan(
            "unsafe", "use `y = y + self.bias`", ("the result's dtype may differ under mixed precision",)
        ),
    )
    assert (
        shown(diagnostic, {"model/gate.py": GATE.encode()})
        == """\
error[IPL101] saved-result-overwritten: `y` is changed in place after sigmoid saved it for backward
  --> model/gate.py:9:9
   |
 7 |         y = torch.sigmoid(self.proj(x))
   |             --------------------------- SigmoidBackward0 saves this result
 8 |         scores = y * x
 9 |         y += self.bias
   |         ^^^^^^^^^^^^^^ add_ moves its version from 0 to 1
   |
   = help: use `y = y + self.bias` (unsafe fix: the result's dtype may differ under mixed precision)"""
    )


def test_several_marks_on_one_line_hang_below_each_other() -> None:
    text = "a = b; y = torch.sigmoid(x) + y.sigmoid_()\n"
    out = drawn(
        text, at(1, 32, 43), Label("save", "saved", at(1, 12, 28)), Label("alias", "alias", at(1, 1, 2))
    )
    assert (
        out
        == """\
error[IPL101] saved-result-overwritten: `y` is changed
  --> gate.py:1:32
   |
 1 | a = b; y = torch.sigmoid(x) + y.sigmoid_()
   | -          ----------------    ^^^^^^^^^^^ written
   | |          |
   | |          saved
   | alias"""
    )


def test_a_mark_within_the_finding_stays_visible() -> None:
    out = drawn("y += torch.sigmoid(y)\n", at(1, 1, 22), Label("save", "saved", at(1, 6, 22)))
    assert out.splitlines()[4:] == ["   | ^^^^^---------------- saved", "   | |", "   | written"]


def test_save_and_write_by_the_same_words() -> None:
    out = drawn("h += f(h)\n", at(1, 1, 10), Label("save", "saved one round before", at(1, 1, 10)))
    assert out.splitlines()[4:] == ["   | ^^^^^^^^^ written", "   | |", "   | saved one round before"]


def test_spans_over_several_lines() -> None:
    text = "def f():\n    torch.relu_(\n        x,\n    )\n    y = g(\n        x,\n    )\n"
    out = drawn(text, at(5, 9, 6, end_row=7), Label("save", "saved", at(2, 5, 6, end_row=4)))
    assert (
        out
        == """\
error[IPL101] saved-result-overwritten: `y` is changed
  --> gate.py:5:9
   |
 2 | /     torch.relu_(
 3 | |         x,
 4 | |     )
   | |_____- saved
 5 |       y = g(
   |  _________^
 6 | |         x,
 7 | |     )
   | |_____^ written"""
    )


def test_a_very_tall_span_is_cut() -> None:
    text = "y = f(\n" + "    a,\n" * 8 + ")\ny += 1\n"
    out = drawn(text, at(11, 1, 7), Label("save", "saved", at(1, 5, 2, end_row=10)))
    assert (
        out
        == """\
error[IPL101] saved-result-overwritten: `y` is changed
   --> gate.py:11:1
    |
  1 |   y = f(
    |  _____-
  2 | |     a,
...  |
 10 | | )
    | |_- saved
 11 |   y += 1
    |   ^^^^^^ written"""
    )


def test_far_lines_are_told_apart_and_near_ones_joined() -> None:
    text = "a = f(x)\nb = 0\nc = 0\nd = g(x)\ne = 0\ny += 1\n"
    out = drawn(text, at(6, 1, 7), Label("save", "one", at(1, 5, 9)), Label("save", "two", at(4, 5, 9)))
    numbers = [line.split("|")[0].strip() for line in out.splitlines()[3:]]
    assert numbers == ["1", "", "...", "4", "", "5", "6", ""]


def test_labels_in_other_files_have_frames_of_their_own() -> None:
    out = drawn(
        "import ops\nops.scale_(y)\n",
        at(2, 1, 14),
        Label("write", "mul_ writes it", at(3, 5, 14, file="ops.py")),
        Label("save", "not to be read", at(30, 1, 2, file="gone.py")),
        more={"ops.py": "def scale_(t):\n    # in place\n    t.mul_(2)\n"},
        help="clone it",
    )
    assert (
        out
        == """\
error[IPL101] saved-result-overwritten: `y` is changed
   --> gate.py:2:1
    |
  2 | ops.scale_(y)
    | ^^^^^^^^^^^^^ written
   --> ops.py:3:5
    |
  3 |     t.mul_(2)
    |     --------- mul_ writes it
   --> gone.py:30:1: not to be read
    |
    = help: clone it"""
    )


def test_tabs_and_wide_characters_are_aligned() -> None:
    out = drawn(
        "\tβ = f(注意力)\n\t注意力 += β  # 变化\n", at(2, 2, 10), Label("save", "saved", at(1, 8, 11))
    )
    assert out.splitlines()[3:] == [
        " 1 |     β = f(注意力)",
        "   |           ------ saved",
        " 2 |     注意力 += β  # 变化",
        "   |     ^^^^^^^^^^^ written",
    ]


def test_long_lines_are_cut_around_the_marks() -> None:
    text = "x = f(" + "aaaa, " * 30 + "torch.sigmoid(y), " + "bbbb, " * 30 + ")\n"
    out = drawn(text, at(1, 187, 203)).splitlines()
    source, marks = out[3], out[4]
    assert source.startswith(" 1 | ...")
    assert source.endswith("...")
    assert len(source) < 125
    start, end = marks.index("^"), marks.rindex("^") + 1
    assert source[start:end] == "torch.sigmoid(y)"


def test_text_that_a_terminal_would_obey_is_shown_harmless() -> None:
    out = drawn("x = '\x1b[31m\u202e'; y += 1\n", at(1, 15, 21))
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert out.splitlines()[3:] == [" 1 | x = '␛[31m\ufffd'; y += 1", "   |               ^^^^^^ written"]


def test_a_place_outside_of_the_text_does_not_break_the_drawing() -> None:
    assert "^ written" in drawn("y\n", at(1, 50, 60))
    assert drawn("", at(9, 9, 9)).splitlines()[1:] == ["  --> gate.py:9:9: written"]


def test_colour_is_only_added() -> None:
    label = Label("save", "saved", at(7, 13, 40))
    plain = drawn(GATE, at(9, 9, 23), label, help="clone it")
    painted = drawn(GATE, at(9, 9, 23), label, help="clone it", colour=True)
    assert painted != plain
    for code in ("1;31", "1;33", "1;36", "1;34", "1", "0"):
        painted = painted.replace(f"\x1b[{code}m", "")
    assert painted == plain


def test_lines_are_counted_as_python_counts_them() -> None:
    out = drawn("a = '\x0c'\r\nb = '\u2028'\ry += 1\r\n", at(3, 1, 7))
    assert " 3 | y += 1" in out


def test_columns_of_characters() -> None:
    assert cells("a\té注b")[1] == [0, 1, 5, 6, 8, 9]
    assert cells("e\u0301x")[1] == [0, 1, 1, 2]
