"""Every command, output and sample of the README and of docs/ is what happens when it is typed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.project.configuration import Configuration
from scripts import docs

from .pages import PAGES, blocks, needs_torch, played, same

EACH_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@EACH_PAGE
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    if needs_torch(page):
        pytest.importorskip("torch")
    for _, commands in played(page, tmp_path):
        for command, told, said in commands:
            assert same(told, said), f"$ {command}\n{said}"


@EACH_PAGE
def test_python_of_the_page_is_python(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            compile(block.text, str(page), "exec")


@EACH_PAGE
def test_configuration_of_the_page_is_valid(page: Path, tmp_path: Path) -> None:
    for number, block in enumerate(blocks(page)):
        if block.language == "toml" and "[tool.inplace-lint" in block.text:
            folder = tmp_path / str(number)
            (folder / "src").mkdir(parents=True)
            (tmp_path / "base.toml").write_text("")
            (folder / "pyproject.toml").write_text(block.text, encoding="utf-8")
            Configuration(selector_problem=registry.problem).settings(str(folder))


@EACH_PAGE
def test_yaml_and_json_of_the_page_can_be_read(page: Path) -> None:
    for block in blocks(page):
        if block.language == "yaml":
            assert pytest.importorskip("yaml").safe_load(block.text)
        if block.language == "json":
            json.loads(block.text)


@EACH_PAGE
def test_links_of_the_page_lead_to_files_and_headings_of_the_repository(page: Path) -> None:
    """So that they can be followed on GitHub and in a clone; what the site alone has is in a comment."""
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not link.startswith(("http://", "https://")):
            path, _, heading = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), link
            assert not heading or heading in headings(target), link
    for made in re.findall(r"<!-- site: (.*?) -->", text):
        assert made in docs.pages()


def headings(page: Path) -> set[str]:
    """The names by which GitHub links to the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {
        re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", text, re.M)
    }


def test_the_picture_is_what_is_printed_now() -> None:
    pytest.importorskip("torch")
    from scripts.picture import PICTURE, drawing, session

    assert PICTURE.read_text(encoding="utf-8") == drawing(session())
