"""The pages of the site that are made from code and data: rules, command line, configuration, operations.

A hook of MkDocs (mkdocs.yml): the pages are made when the site is, and lie in no repository.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inplace_lint.cli.verbs import VERBS, usage, verb
from inplace_lint.project.settings import OPTIONS
from inplace_lint.torchmodel import words
from inplace_lint.torchmodel.load import load

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
RULES = ROOT / "rules"

#: The groups of operations: the page, its title, and how its names are asked for.
GROUPS = {
    "methods": ("Methods of a tensor", "Tensor", "torch.Tensor."),
    "functions": ("Functions of torch", "torch", "torch."),
    "functional": ("torch.nn.functional", "torch.nn.functional", "F."),
    "linalg": ("torch.linalg", "torch.linalg", "torch.linalg."),
    "special": ("torch.special", "torch.special", "torch.special."),
    "fft": ("torch.fft", "torch.fft", "torch.fft."),
    "init": ("torch.nn.init", "torch.nn.init", "nn.init."),
    "modules": ("Layers of torch.nn", "", "nn."),
    "operators": ("Operators", "operators", ""),
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fills in the parts of the navigation that are lists of what is made."""
    _fill(config.nav or [])
    return config


def _fill(entries: list[Any]) -> None:
    for entry in entries:
        for title, below in entry.items() if isinstance(entry, dict) else ():
            if title == "Rules":
                below += [f"rules/{folder.name}.md" for folder in folders()]
            elif title == "Operations":
                below += [f"reference/operations/{name}.md" for name in GROUPS]
            elif isinstance(below, list):
                _fill(below)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made."""
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to files that are not of the site: to the public repository, where there is one, else the file is named."""
    address: str = (config.extra or {}).get("source", "")
    return linked(markdown, address)


def linked(markdown: str, address: str) -> str:
    """A page of docs/ whose links out of that folder lead to what the site has instead, or to the repository.

    A page that is made is no file of docs/: code with a comment behind it, `…`<!-- site: PAGE -->, leads to it here.
    """
    markdown = re.sub(r"(`[^`\n]+`)<!-- site: (\S+) -->", r"[\1](\2)", markdown)

    def one(found: re.Match[str]) -> str:
        text, path = found[1], found[2]
        if path.partition("#")[0] == "README.md":
            return f"[{text}](start.md{path[9:]})"
        if path == "rules":
            return f"[{text}](rules/index.md)"
        file = path.partition("#")[0]
        return f"[{text}]({address}/{path})" if address else f"{text} (`{file}` in the repository)"

    return re.sub(r"\[([^\]]+)\]\(\.\./([^)\s]+)\)", one, markdown)


def pages() -> dict[str, str]:
    """All pages that are made, by their names within the site."""
    return {
        "start.md": start((ROOT / "README.md").read_text(encoding="utf-8")),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        "rules/index.md": rules(),
        **{f"rules/{folder.name}.md": rule(folder) for folder in folders()},
        "reference/command-line.md": command_line(),
        "reference/configuration.md": configuration(),
        "reference/operations/index.md": operations(),
        **{f"reference/operations/{name}.md": group(name) for name in GROUPS},
    }


def start(readme: str) -> str:
    """The README, whose links start at the root of the repository, as a page of docs/."""
    moved = re.sub(r"\]\(docs/(?!samples)([^)]+)\)", r"](\1)", readme)
    outside = r"\]\(((?:examples/|docs/samples/|CONTRIBUTING|CHANGELOG)[^)]*)\)"
    return re.sub(outside, r"](../\1)", moved)


# Rules


def folders() -> list[Path]:
    return sorted(path for path in RULES.iterdir() if (path / "rule.toml").is_file())


def has_fix(folder: Path) -> bool:
    """Whether there is a fix: whether its cases hold what it makes of one."""
    return any(folder.glob("cases/fixed_*.py"))


def rules() -> str:
    """The list of all rules."""
    rows = []
    for folder in folders():
        told = tomllib.loads((folder / "rule.toml").read_text(encoding="utf-8"))
        fix = "yes" if has_fix(folder) else "no"
        link = f"[{told['code']}]({folder.name}.md)"
        rows.append(f"| {link} | {told['name']} | {told['severity']} | {fix} | {told['summary']} |")
    head = "# Rules\n\nWhether there is a fix is read off the cases that each rule is tested by.\n\n"
    return head + "\n".join(["| code | name | severity | fix | what |", "|---|---|---|---|---|", *rows, ""])


def rule(folder: Path) -> str:
    """A rule's page: what is written of it, and the cases by which that is tested."""
    told = tomllib.loads((folder / "rule.toml").read_text(encoding="utf-8"))
    text = (folder / "README.md").read_text(encoding="utf-8")
    head, _, body = text.partition("\n")
    fix = "a fix" if has_fix(folder) else "no fix"
    facts = f"*{told['severity']}, {fix}, since {told['since']}*: {told['summary']}"
    if "raises" in told:
        facts += f" PyTorch says: `… {told['raises']} …`."
    cases = "".join(map(_case, sorted(folder.glob("cases/bad_*.py"))))
    fine = "".join(map(_case, sorted(folder.glob("cases/good_*.py"))))
    tested = "\n## Cases that it is tested by\n\nReported on the marked lines:\n\n" + cases if cases else ""
    if fine:
        tested += "\nNot reported:\n\n" + fine
    return f"{head}\n\n{facts}\n{body}{tested}"


def _case(path: Path) -> str:
    source = path.read_text(encoding="utf-8")
    title = re.match(r'"""(.*?)"""', source, re.S)
    said = " ".join(title[1].split()) if title else path.stem.partition("_")[2].replace("_", " ").capitalize()
    parts = [_code(source[title.end() :] if title else source)]
    fixed = path.with_name(path.name.replace("bad_", "fixed_", 1))
    if fixed != path and fixed.exists():
        after = fixed.read_text(encoding="utf-8")
        parts += ["What the fix makes of it:\n\n", _code(re.sub(r'^""".*?"""', "", after, flags=re.S))]
    inside = "".join(f"    {line}\n" if line else "\n" for line in "".join(parts).splitlines())
    return f'??? example "{_quoted(said)}"\n\n{inside}\n'


def _code(source: str) -> str:
    return f"```python\n{source.strip()}\n```\n\n"


def _quoted(text: str) -> str:
    return text.replace('"', "'")


# Command line and configuration


def command_line() -> str:
    """What `--help` prints of each verb."""
    parts = ["# Command line", "", "```text", usage(), "```", ""]
    for name in VERBS:
        parts += [f"## {name}", "", "```text", verb(name).parser(name).format_help().rstrip(), "```", ""]
    return "\n".join(parts)


def configuration() -> str:
    """The keys of the configuration."""
    rows = []
    for option in OPTIONS:
        choices = f" ({', '.join(f'`{one}`' for one in option.choices)})" if option.choices else ""
        default = "" if option.default in (None, ()) else f"`{_toml(option.default)}`"
        rows.append(f"| `{option.name}` | {_cell(option.meaning)}{choices} | {default} |")
    return "\n".join(
        [
            "# Configuration",
            "",
            "`[tool.inplace-lint]` in `pyproject.toml`, or `inplace-lint.toml` without the table's name. For each file",
            "the closest one counts; `extend` names another from which is taken what is not said. `--config KEY=VALUE`",
            "sets a key in the call, and an option of its own wins over that.",
            "",
            "`inplace-lint config` shows the values in force in a directory, `inplace-lint config --schema` prints a",
            "JSON schema with which an editor completes and checks the keys.",
            "",
            "| key | meaning | default |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{name} = {_toml(one)}" for name, one in value) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


# Operations


def operations() -> str:
    """The first page of the table of operations."""
    version = load().torch_version
    lines = [f"- [{title}]({name}.md)" for name, (title, _, _) in GROUPS.items()]
    return "\n".join(
        [
            "# What each operation saves and writes",
            "",
            f"Derived from PyTorch {version} itself and tested against it; `inplace-lint op NAME` prints the same.",
            "*Saves* is what the operation keeps for backward: change that in place before backward has run, and",
            "backward raises.",
            "",
            *lines,
            "",
        ]
    )


def group(name: str) -> str:
    """The operations of one group, a row for each way to call them."""
    title, space, prefix = GROUPS[name]
    table = load()
    names = sorted(set(table.modules() if name == "modules" else table.names(space)))
    rows: dict[str, None] = {}
    for short in names:
        if short.startswith("_"):
            continue
        asked = short if name == "operators" else f"torch.nn.{short}" if name == "modules" else prefix + short
        for inplace in (False, True):
            text = words.describe(asked, inplace)
            if text is not None and "no `inplace` argument" not in text and "is not known" not in text:
                with_ = " with `inplace=True`" if inplace else ""
                for calls, facts in _blocks(text):
                    called = list(map(_called, calls))
                    if name in ("modules", "operators"):
                        called = [f"`{asked.removeprefix('torch.')}` {' or '.join(calls)}".strip()]
                    rows[_row(called or [f"`{asked}`"], with_, facts)] = None
    head = "| operation | saves for backward | writes |\n|---|---|---|\n"
    return f"---\nhide: [toc]\n---\n\n# {title}\n\n{head}" + "\n".join(rows) + "\n"


def _row(calls: list[str], with_: str, facts: dict[str, str]) -> str:
    clones = f" Clones {facts['Clones']}" if "Clones" in facts else ""
    shown = "<br>".join(_cell(one) for one in calls) + with_
    return f"| {shown} | {_cell(facts.get('Saves', '') + clones)} | {_cell(facts.get('Writes', ''))} |"


def _called(call: str) -> str:
    """A call, and under which condition, in Markdown."""
    code, where, condition = call.partition(", where ")
    return f"`{code}`{where}{condition}"


def _blocks(text: str) -> list[tuple[list[str], dict[str, str]]]:
    """The blocks of what `inplace-lint op` prints: the calls that one speaks of, and what it says under each label."""
    found: list[tuple[list[str], dict[str, str]]] = []
    calls: list[str] = []
    facts: dict[str, str] = {}
    label = ""
    for line in [*text.splitlines()[1:], "  "]:
        if re.match(r" {4}\w", line):
            label, said = line[4:14].strip(), line[14:]
            facts[label] = f"{facts[label]} {said}" if label in facts else said
        elif line.startswith(" " * 14) and label:
            facts[label] += " " + line.strip()
        elif re.match(r" {2}\S", line):
            calls.append(line.strip().rstrip(":"))
        if line.strip() == "" and facts:
            found.append((calls, facts))
            calls, facts, label = [], {}, ""
    return found


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
