"""JUnit: the elements and attributes that its readers agree on, counts that add up, text that XML can hold."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from .samples import finding, out, verdict

#: By element: the attributes it must have, those it may have, and what may stand in it (junit-10.xsd of Jenkins).
ALLOWED: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "file", "time"}, {"testcase"}),
    "testcase": ({"name"}, {"classname", "time"}, {"failure", "error", "skipped"}),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
}


def document(*found: object, **more: object) -> ElementTree.Element:
    root = ElementTree.fromstring(out("junit", *found, **more).encode())  # type: ignore[arg-type]
    assert root.tag == "testsuites"
    for element in root.iter():
        must, may, inside = ALLOWED[element.tag]
        assert must <= set(element.attrib) <= must | may
        assert {child.tag for child in element} <= inside
    for suite in root:
        cases = list(suite)
        assert len({case.get("name") for case in cases}) == len(cases)
        for what, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(what, "")) == sum(case.find(tag) is not None for case in cases)
        assert int(suite.get("tests", "")) == len(cases)
    for what in ("tests", "failures", "errors"):
        assert int(root.get(what, "")) == sum(int(suite.get(what, "")) for suite in root)
    return root


def test_a_finding_is_a_failed_test_of_its_file() -> None:
    (suite,) = document(finding())
    (case,) = suite
    assert (suite.get("name"), case.get("name")) == (
        "pkg/gate.py",
        "IPL101 saved-result-overwritten at 3:1",
    )
    failure = case.find("failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message")) == ("IPL101", "`y` is changed: 100%")
    assert failure.text == (
        "pkg/gate.py:3:1: error: `y` is changed: 100%\n"
        "save: pkg/gate.py:2:5: SigmoidBackward0 saves this result\n"
        "help: use `y = y + 1`"
    )


def test_a_file_without_findings_is_a_test_that_passed() -> None:
    root = document(finding("b.py"), files=["a.py", "b.py", "c.py"])
    assert [suite.get("name") for suite in root] == ["a.py", "b.py", "c.py"]
    assert [suite.get("failures") for suite in root] == ["0", "1", "0"]
    assert [len(suite[0]) for suite in root] == [0, 1, 0]


def test_nothing_checked() -> None:
    assert len(document(files=[])) == 0


def test_notes_and_what_a_run_has_cleared_fail_nothing() -> None:
    assert document(finding(severity="note")).get("failures") == "0"
    assert document(finding(), verdicts={0: verdict("refuted", "nothing raises")}).get("failures") == "0"
    assert document(finding(), verdicts={0: verdict()}).get("failures") == "1"


@pytest.mark.parametrize("code", ["IPL000", "IPL002"])
def test_what_was_not_checked_is_an_error(code: str) -> None:
    assert document(finding(code=code)).get("errors") == "1"


def test_it_is_read_alike_in_every_encoding() -> None:
    text = out("junit", finding("\u6ce8.py", message="\u03b2"))
    assert text.isascii()
    assert ElementTree.fromstring(text)[0].get("name") == "\u6ce8.py"


def test_text_that_xml_cannot_hold_is_shown_as_what_it_is() -> None:
    words = 'a <b> & "c" ]]> \x1b[31m \x00 \ud800 \u202e \n d'
    (suite,) = document(finding("a&<>\"'\n.py", message=words, labels=()))
    message = suite[0][0].get("message", "")
    assert message.startswith('a <b> & "c" ]]> \u241b[31m \u2400')
    assert not {"\x1b", "\x00", "\u202e"} & set(message)
    assert "\n" not in message
