"""Workflows, issue forms, the recipe, the image and the citation are what those who read them expect."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = [path for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")) if path.stem != "config"]
WORKFLOW = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
#: What each permission is for; nothing else is asked for.
ALLOWED = {("docs", "pages"), ("docs", "id-token"), ("publish", "id-token")}


def read(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@WORKFLOW
def test_workflow_has_the_form_of_one(path: Path) -> None:
    workflow = read(path)
    assert set(workflow) <= {"name", True, "permissions", "concurrency", "jobs"}  # YAML reads `on` as true
    assert workflow["name"] and workflow[True]
    for job in workflow["jobs"].values():
        assert job["runs-on"] and 0 < job["timeout-minutes"] <= 60
        for needed in [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []):
            assert needed in workflow["jobs"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.stem)
def test_actions_are_pinned_to_a_commit_and_say_its_version(path: Path) -> None:
    used = re.findall(r"uses: *(.*)", path.read_text(encoding="utf-8"))
    assert used and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one) for one in used)


def test_an_action_is_of_one_version_everywhere() -> None:
    texts = [path.read_text(encoding="utf-8") for path in [*WORKFLOWS, ROOT / "action.yml"]]
    used = {one for text in texts for one in re.findall(r"uses: *(.*)", text)}
    assert len({one.split("@")[0] for one in used}) == len(used)


@WORKFLOW
def test_permissions_are_the_least(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    asked = {
        (path.stem, name)
        for job in workflow["jobs"].values()
        for name, level in job.get("permissions", {}).items()
        if level == "write"
    }
    assert asked <= ALLOWED
    for step in steps(workflow):
        if str(step.get("uses", "")).startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@WORKFLOW
def test_nothing_that_others_write_is_read_as_shell(path: Path) -> None:
    for step in steps(read(path)):
        assert "${{" not in str(step.get("run", ""))


def test_tests_run_on_every_python_that_is_promised() -> None:
    told = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    matrix = read(ROOT / ".github/workflows/test.yml")["jobs"]["without-torch"]["strategy"]["matrix"]
    assert matrix["python"] == told


def test_what_is_published_was_tested_and_needs_no_token() -> None:
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    workflow = read(ROOT / ".github/workflows/publish.yml")
    assert workflow[True] == {"push": {"tags": ["v*"]}}
    pypi = workflow["jobs"]["pypi"]
    assert pypi["needs"] == "build" and pypi["environment"] == "pypi"
    assert pypi["permissions"] == {"id-token": "write"}
    assert "secrets." not in text and "password" not in text
    assert "scripts/release.py" in text and "-m pytest" in text


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_form_asks_for_what_is_needed(path: Path) -> None:
    form = read(path)
    assert {"name", "description", "body", "title", "labels"} == set(form)
    parts = {part["id"]: part for part in form["body"]}
    assert len(parts) == len(form["body"])
    for part in parts.values():
        assert (
            part["type"] == "textarea" and part["attributes"]["label"] and part["attributes"]["description"]
        )
    assert parts["versions"]["validations"]["required"]
    assert "inplace-lint explain FILE:LINE" in parts["explain"]["attributes"]["description"]
    assert parts["explain"]["validations"]["required"] or path.stem == "crash"


def test_issue_forms_are_for_all_that_can_be_wrong() -> None:
    assert [path.stem for path in FORMS] == ["crash", "false-alarm", "missed-bug", "wrong-fix"]


def test_recipe_needs_what_the_project_needs() -> None:
    recipe = read(ROOT / "packaging/recipe.yaml")
    assert recipe["schema_version"] == 1 and recipe["build"]["noarch"] == "python"
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = re.search(r"^dependencies = \[(.*?)^\]", project, re.M | re.S)
    assert wanted is not None
    needed = {re.sub(r"\s", "", one.partition(";")[0]) for one in re.findall(r'"(.*?)"', wanted[1], re.M)}
    run = {one.replace(" ", "") for one in recipe["requirements"]["run"]}
    assert run == needed | {"python>=3.10"}
    assert recipe["build"]["python"]["entry_points"] == ["inplace-lint = inplace_lint.cli:entry"]
    assert recipe["about"]["license"] == "MIT" and (ROOT / recipe["about"]["license_file"]).is_file()


def test_citation_is_of_its_format() -> None:
    said = read(ROOT / "CITATION.cff")
    assert said["cff-version"] == "1.2.0" and said["type"] == "software"
    assert said["message"] and said["title"] and said["authors"] and said["license"] == "MIT"
    assert isinstance(said["date-released"], date)


def test_image_runs_as_nobody_special_and_copies_what_is_there() -> None:
    lines = (ROOT / "packaging/Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    kinds = [line.split()[0] for line in lines if line and not line.startswith("#")]
    assert set(kinds) <= {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "ENTRYPOINT", "CMD"}
    assert kinds.index("USER") < kinds.index("ENTRYPOINT")
    for line in lines:
        if line.startswith("COPY "):
            for name in line.split()[1:-1]:
                assert (ROOT / name).exists()
    needed = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'readme = "README.md"' in needed and 'license-files = ["LICENSE"]' in needed
