"""What a release is made of goes together: versions, addresses, what is in the wheel and the source distribution."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import inplace_lint
from inplace_lint.checks import registry
from scripts import release

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: What stands where somebody was to write something.
PLACEHOLDER = re.compile(
    r"TODO|FIXME|\bTBD\b|<your|OWNER/|your-org|example\.(com|org)|localhost|@example", re.I
)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_is_said_everywhere() -> None:
    assert set(release.versions().values()) == {PROJECT["version"]} == {inplace_lint.__version__}


def test_this_version_can_be_released_and_others_cannot() -> None:
    tag = f"v{PROJECT['version']}"
    assert release.problems(tag) == []
    assert "### " in release.entry(PROJECT["version"])
    assert any("no entry" in one for one in release.problems("v99.0.0"))
    assert any("no tag" in one for one in release.problems("latest"))


def test_no_rule_is_newer_than_the_version() -> None:
    def numbers(version: str) -> tuple[int, ...]:
        return tuple(map(int, version.split(".")))

    assert all(numbers(rule.since) <= numbers(PROJECT["version"]) for rule in registry.RULES)


def test_addresses_are_those_of_the_project_or_none() -> None:
    """`[project.urls]` is where they are filled in; until then no file has one of its own."""
    urls = PROJECT.get("urls", {})
    assert all(url.startswith("https://") for url in urls.values())
    said = re.findall(r"^repository-code: (.*)$", read("CITATION.cff"), re.M)
    assert said == ([urls["Repository"]] if "Repository" in urls else [])
    said = re.findall(r"^  (?:homepage|repository|documentation): (.*)$", read("packaging/recipe.yaml"), re.M)
    assert set(said) <= set(urls.values()) and bool(said) == bool(urls)
    assert urls.get("Rules", "") == registry.SITE
    source = re.search(r"^  source: (.*)$", read("mkdocs.yml"), re.M)
    assert (source[1].strip("/") if source else None) == urls.get("Repository", None)
    if "Repository" in urls:
        assert not re.findall(r"\]\((?!https://|#)[^)]*\)", read("README.md")), "links are absolute on PyPI"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], set[str], email.message.Message]:
    """The names in the wheel, those in the source distribution, and the wheel's metadata."""
    if find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed")
    folder = tmp_path_factory.mktemp("dist")
    code = "import sys; from hatchling import build; build.build_wheel(sys.argv[1]); build.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, check=True, timeout=300)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(about))
    with tarfile.open(sdist) as files:
        return names, {name.partition("/")[2] for name in files.getnames()}, metadata


def test_metadata_has_what_pypi_shows_and_no_placeholder(
    built: tuple[set[str], set[str], email.message.Message],
) -> None:
    metadata = built[2]
    assert metadata["Version"] == PROJECT["version"] and metadata["License-Expression"] == "MIT"
    assert metadata["Summary"] and metadata["Requires-Python"] == ">=3.10"
    # The newest form that twine and the publishing action read.
    assert metadata["Metadata-Version"] == "2.4"
    head = "\n".join(f"{key}: {value}" for key, value in metadata.items())
    assert not PLACEHOLDER.search(head), head
    text = re.sub(r"```.*?```", "", str(metadata.get_payload()), flags=re.S)
    assert not PLACEHOLDER.search(text), PLACEHOLDER.search(text)
    urls = [value.partition(", ")[2] for value in metadata.get_all("Project-URL", [])]
    assert sorted(urls) == sorted(PROJECT.get("urls", {}).values())


def test_wheel_has_the_pages_of_rules_and_no_test_cases(
    built: tuple[set[str], set[str], email.message.Message],
) -> None:
    names = built[0]
    for rule in registry.RULES:
        assert f"inplace_lint/_rules/{rule.code}-{rule.name}/README.md" in names
    assert not [name for name in names if "/cases/" in name or "__pycache__" in name]
    info = f"inplace_lint-{PROJECT['version']}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"inplace_lint", info}
    assert {"inplace_lint/py.typed", "inplace_lint/torchmodel/optable.txt"} <= names


def test_source_distribution_has_all_that_its_tests_read(
    built: tuple[set[str], set[str], email.message.Message],
) -> None:
    names = built[1]
    for folder in ("inplace_lint", "rules", "tests", "docs", "examples", "scripts", "packaging", ".github"):
        for path in (ROOT / folder).rglob("*"):
            inside = path.relative_to(ROOT)
            if (
                path.is_file()
                and not {"__pycache__", "node_modules"} & set(inside.parts)
                and path.suffix != ".pyc"
            ):
                assert inside.as_posix() in names
    assert {
        "CITATION.cff",
        "LICENSE",
        "README.md",
        "action.yml",
        "mkdocs.yml",
        ".pre-commit-hooks.yaml",
    } <= names
