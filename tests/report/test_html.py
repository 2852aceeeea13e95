"""The page: well-formed, self-contained, places marked with arrows between them, nothing in it taken for markup."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.checks import registry
from inplace_lint.model import Diagnostic, Edit, Fix, Label, Location, Rule
from inplace_lint.report import render
from inplace_lint.report.html import rules

from .samples import finding, found, out, verdict

VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """What stands in a page; raises where its elements are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[tuple[tuple[str, ...], str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append((tuple(self._open), data))

    def text(self, tag: str) -> list[str]:
        """What stands directly in the elements of that name."""
        return [data for inside, data in self.words if inside and inside[-1] == tag]

    def all(self, tag: str, **attributes: str) -> list[dict[str, str]]:
        """The attributes of elements that have these."""
        return [
            found
            for name, found in self.elements
            if name == tag and all(found.get(key.rstrip("_")) == value for key, value in attributes.items())
        ]


def page(*found: Diagnostic, **more: Any) -> Page:
    text = out("html", *found, **more)
    assert text.isascii()
    read = Page(text)
    names = [one["id"] for _, one in read.elements if "id" in one]
    assert len(set(names)) == len(names)
    for tag, one in read.elements:
        for key in ("for", "aria-labelledby"):
            assert key not in one or one[key] in names
        if tag == "a" and one["href"].startswith("#"):
            assert one["href"][1:] in names
    return read


def test_it_loads_nothing() -> None:
    text = out("html", finding(), verdicts={0: verdict()})
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|\bsrc=|@import|url\(|<link|<img|fetch\(|XMLHttp", text)


def test_both_places_are_marked_and_an_arrow_leads_from_the_save_to_the_write() -> None:
    read = page(finding())
    assert read.text("mark") == ["torch.sigmoid(x)", "y += 1"]
    assert [one["class"] for one in read.all("mark")] == ["other", "own"]
    (arrow,) = read.all("span", class_="arrow")
    _, save, write = (one["style"] for one in read.all("code") if "style" in one)
    start, end = (int(one.removeprefix("grid-row:")) for one in (save, write))
    assert arrow["style"].startswith(f"grid-row:{start}/{end + 1};")


def test_a_save_that_comes_from_below_has_an_arrow_upwards() -> None:
    label = Label("save", "saved in the round before", Location("pkg/gate.py", 3, 1, 3, 7))
    read = page(finding(labels=(label,), location=Location("pkg/gate.py", 1, 1, 1, 8)))
    assert len(read.all("span", class_="arrow up")) == 1


def test_places_in_two_files_have_a_frame_each_in_the_order_of_execution() -> None:
    label = Label("save", "saved there", Location("b.py", 1, 1, 1, 2))
    read = page(finding("a.py", labels=(label,)))
    assert [one["aria-label"] for one in read.all("div", class_="frame")] == [
        "b.py, line 1",
        "a.py, lines 2 to 3",
    ]
    assert read.all("span", class_="arrow") == []


def test_places_within_each_other_and_over_several_lines() -> None:
    text = "w = f(\n    a\n) @ v\n" + "z = 1\n" * 30
    labels = (
        Label("scores", "the scores", Location("a.py", 1, 5, 3, 2)),
        Label("values", "the product", Location("a.py", 1, 5, 3, 6)),
    )
    read = page(finding("a.py", labels=labels, location=Location("a.py", 2, 5, 2, 6)), text=text)
    assert "".join(read.text("mark")) == "f(a) @ v"
    assert read.all("mark", class_="other own")


def test_cells_of_a_notebook_have_frames_of_their_own() -> None:
    one = finding(
        "n.ipynb",
        location=Location("n.ipynb", 1, 1, 1, 7, cell=3),
        labels=(Label("save", "saved there", Location("n.ipynb", 2, 5, 2, 21, cell=2)),),
        fix=Fix("safe", "m", (Edit("y = y + 1", Location("n.ipynb", 1, 1, 1, 7, cell=3)),)),
    )
    told = found(one)
    told.sources.add("n.ipynb:cell 2", "x = f()\ny = torch.sigmoid(x)\n")
    told.sources.add("n.ipynb:cell 3", "y += 1\n")
    read = Page(render("html", told))
    assert [frame["aria-label"] for frame in read.all("div", class_="frame")] == [
        "n.ipynb:cell 2, lines 1 to 2",
        "n.ipynb:cell 3, line 1",
    ]
    assert (read.text("del"), read.text("ins")) == (["- y += 1\n"], ["+ y = y + 1\n"])
    assert "@@ cell 3, line 1 @@" in read.text("span")


def test_a_long_line_is_cut_around_its_places() -> None:
    text = "x" * 3000 + "y += 1" + "z" * 3000
    read = page(finding("a.py", labels=(), location=Location("a.py", 1, 3001, 1, 3007)), text=text)
    assert read.text("mark") == ["y += 1"]
    assert max(map(len, read.text("code"))) < 500


def test_the_fix_is_shown_as_a_diff_with_what_stays_between_its_edits() -> None:
    edits = [("import math\n", 1, 1, 1, 1), ("y = y + 1", 3, 1, 3, 7)]
    fix = Fix("safe", "m", tuple(Edit(text, Location("pkg/gate.py", *at)) for text, *at in edits))
    read = page(finding(fix=fix))
    assert read.text("del") == ["- x = f()\n", "- y = torch.sigmoid(x)\n", "- y += 1\n"]
    assert read.text("ins") == ["+ import math\n", "+ x = f()\n", "+ y = torch.sigmoid(x)\n", "+ y = y + 1\n"]
    far = Fix("safe", "m", (fix.edits[0], Edit("y = y + 1", Location("pkg/gate.py", 30, 1, 30, 7))))
    read = page(finding(fix=far), text="x = f()\n" + "\n" * 28 + "y += 1\n")
    assert (read.text("del"), read.text("ins")) == (["- y += 1\n"], ["+ import math\n", "+ y = y + 1\n"])


def test_the_verdict_and_its_memory() -> None:
    conflict = {"node": "ExpBackward0", "attribute": "result", "shape": [2, 3], "saved_at": None}
    conflict |= {"written_at": None, "versions": [0, 1], "gradient_error": 0.25}
    peak = {"before": 4096, "after": 1024, "kept": [2048, None], "size": 512, "method": "predict"}
    peak |= {"device": "a100", "dtype": "bf16"}
    proof = {"trials": [{"error": 0.0}, {"error": None}], "worst_error": 1e-15, "tolerance": 1e-10}
    told = verdict(conflicts=[conflict], peak=peak, proof=proof)
    text = " ".join(data.strip() for _, data in page(finding(), finding(shift=3), verdicts={0: told}).words)
    for part in (
        "confirmed : PyTorch raises in backward",
        "x=f32[2,3]",
        "ExpBackward0.result [2, 3]",
        "0 \u2192 1",
        "0.25",
        "Memory of a training step at S = 512, predicted for an a100 in bf16.",
        "4.0 KiB",
        "1.0 KiB",
        "Compared in 1 trial: worst difference 1e-15, 1e-10 is allowed.",
        "The code was run: 1 confirmed, 1 not run.",
    ):
        assert part in text, part


def test_nothing_in_it_is_taken_for_markup() -> None:
    words = "</script><script>alert(1)</script> `</code>` \x1b \u202e"
    name = "a\"'<b>&.py"
    found = finding(name, message=words, caption=words, help=words)
    read = page(found, text="</style><script>x</script>\n<!--\n'\"&<>\n", verdicts={0: verdict(reason=words)})
    assert len(read.all("script")) == 1
    assert len(read.all("style")) == 1
    assert read.all("article")[0]["data-file"] == name
    assert not any({"\x1b", "\u202e"} & set(data) for _, data in read.words)


def test_a_name_that_is_no_text() -> None:
    read = page(finding(os.fsdecode(b"b\xff.py"), labels=()))
    assert read.all("article")[0]["data-file"] == "b\ufffd.py"


def test_what_was_not_checked_is_said_first() -> None:
    found = [finding(code="IPL000", labels=()), finding(code="IPL003", labels=(), severity="note")]
    read = page(*found, verdicts={}, ended="SIGINT")
    told = "Not everything was checked: 1 file that cannot be read; 1 part not analysed to the end; "
    assert f"{told}the run was ended by SIGINT." in read.text("p")


def test_what_is_kept_back_is_counted() -> None:
    told = page(finding(), silenced=2, listed=1).text("p")
    assert "Not shown: 2 silenced by comments, 1 listed in the baseline." in told
    assert not [words for words in page(finding()).text("p") if "Not shown" in words]


def test_nothing_found_is_a_page_too() -> None:
    read = page(files=["a.py"])
    assert "Nothing found in 1 file." in read.text("p")
    assert read.all("form") == []


def test_what_can_be_chosen_is_what_there_is() -> None:
    def choices(name: str, read: Page) -> list[str]:
        return [one["value"] for one in read.all("input", type="checkbox", name=name)]

    read = page(finding(), finding("b.py", code="IPL102", severity="note", fix=None))
    assert choices("severity", read) == ["error", "note"]
    assert choices("code", read) == ["IPL101", "IPL102"]
    assert choices("fix", read) == ["unsafe", "none"]
    assert choices("verdict", read) == []
    read = page(finding(), finding("b.py"), verdicts={0: verdict("refuted", "it is the same")})
    assert choices("verdict", read) == ["refuted", "not run"]


def test_a_broken_rule_is_there_with_its_page() -> None:
    read = page(finding(), finding(shift=3))
    assert len(read.all("details", id="rule-IPL101")) == 1
    assert "Why is this bad" in read.text("h3")
    assert any("y = torch.sigmoid(self.proj(x))\n" in sample for sample in read.text("pre"))


@pytest.mark.parametrize("rule", registry.RULES, ids=lambda rule: rule.code)
def test_every_rules_page_is_read_whole(rule: Rule) -> None:
    text = Path(registry.page(rule)).read_text(encoding="utf-8")
    shown = Page(f"<main>{rules.page(text)}</main>")
    told = "".join(data for _, data in shown.words)
    written = text.partition("\n")[2]
    for mark in ("```python\n", "```", "\n## ", "\n- ", "`"):
        written = written.replace(mark, " ")
    assert "".join(told.split()) == "".join(written.split())


def test_a_rule_is_linked_only_where_pages_are_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SITE", "")
    assert not [link for link in page(finding()).all("a") if not link["href"].startswith("#")]
    monkeypatch.setattr(registry, "SITE", "https://example.org/rules")
    address = "https://example.org/rules/IPL101-saved-result-overwritten"
    assert page(finding()).all("a", href=address)
