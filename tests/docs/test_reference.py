"""The pages of the site that are made: all rules, verbs, keys and operations have their place, links lead somewhere."""

from __future__ import annotations

import re

import pytest

from inplace_lint.checks import registry
from inplace_lint.cli.verbs import VERBS
from inplace_lint.project.settings import OPTIONS
from scripts import docs

from .pages import ROOT

PAGES = docs.pages()
WRITTEN = {path.name for path in (ROOT / "docs").glob("*.md")}


def prose(page: str) -> str:
    """A page without its code, as the site shows it."""
    return re.sub(r"^ *```.*?^ *```$|`[^`\n]*`", "", docs.linked(page, ""), flags=re.M | re.S)


@pytest.mark.parametrize("rule", registry.RULES, ids=lambda rule: rule.code)
def test_each_rule_has_its_page(rule: registry.Rule) -> None:
    page = PAGES[f"rules/{rule.code}-{rule.name}.md"]
    assert page.startswith(f"# {rule.code} {rule.name}\n\n*{rule.severity}, ")
    assert f"({rule.code}-{rule.name}.md)" in PAGES["rules/index.md"]
    fixed = any((ROOT / "rules" / f"{rule.code}-{rule.name}").glob("cases/fixed_*"))
    assert ("What the fix makes of it" in page) is fixed


def test_each_verb_and_key_has_its_place() -> None:
    assert re.findall("^## (.*)$", PAGES["reference/command-line.md"], re.M) == list(VERBS)
    keys = re.findall(r"^\| `([a-z-]+)` \|", PAGES["reference/configuration.md"], re.M)
    assert keys == [option.name for option in OPTIONS]


@pytest.mark.parametrize(
    ("page", "row"),
    [
        ("methods", "`self.sigmoid()` | its result, when `self` needs grad"),
        ("methods", "`self.add_(other)` | neither"),
        ("functional", "`silu(input)` with `inplace=True` |"),
        ("modules", "`nn.Linear` in training and in evaluation | `input`"),
        ("operators", "`+=` | neither"),
    ],
)
def test_operations_have_their_rows(page: str, row: str) -> None:
    assert f"| {row}" in PAGES[f"reference/operations/{page}.md"]


@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith("reference/operations/")])
def test_links_of_a_page_that_is_made_lead_somewhere(name: str) -> None:
    folder = f"{name.rpartition('/')[0]}/".lstrip("/")
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(PAGES[name])):
        if not re.match("https?:|#", link):
            target = folder + link.partition("#")[0]
            assert target in PAGES or target in WRITTEN or (ROOT / "docs" / target).exists(), link


def test_a_link_to_the_repository_is_one_where_that_is_public() -> None:
    text = "see [findings](../benchmarks/findings.md#bugs) and [this](../README.md#in-ci)"
    assert (
        docs.linked(text, "")
        == "see findings (`benchmarks/findings.md` in the repository) and [this](start.md#in-ci)"
    )
    assert "(https://example.org/b/benchmarks/findings.md#bugs)" in docs.linked(text, "https://example.org/b")


def test_a_page_that_is_made_is_linked_to_on_the_site_alone() -> None:
    text = "`inplace-lint config`<!-- site: reference/configuration.md --> and [the rules](../rules)"
    assert docs.linked(text, "https://example.org/b") == (
        "[`inplace-lint config`](reference/configuration.md) and [the rules](rules/index.md)"
    )
