"""Findings in the formats that people and programs read. Each format is imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from .findings import Findings


class Format:
    """One format: the module of this package that writes it.

    A streamed format is its findings one after the other, `entry(findings, index)` each, and nothing where nothing was
    found; another is one `document(findings)`. `edits`: it shows what fixes change, so that each has to be made.
    `beside`: others show it beside the lines of files, so that a place in a notebook is one in its JSON text. `known`:
    it shows what a baseline lists too, and says so. `brief`: people read it line by line, so what is not analysed as a
    whole (IPL003) is counted in the closing line and not listed, unless notes are asked for.
    """

    __slots__ = ("beside", "brief", "edits", "known", "module", "streamed")

    def __init__(
        self,
        module: str,
        streamed: bool = False,
        edits: bool = False,
        beside: bool = False,
        known: bool = False,
        brief: bool = False,
    ) -> None:
        self.brief = brief
        self.known = known
        self.module = module
        self.beside = beside
        self.streamed = streamed
        self.edits = edits


#: By the names that `--output-format` takes.
FORMATS = {
    "full": Format("full", streamed=True, brief=True),
    "concise": Format("concise", streamed=True, brief=True),
    "json": Format("records", edits=True),
    "json-lines": Format("lines", streamed=True, edits=True),
    "json-v2": Format("envelope", edits=True),
    "sarif": Format("sarif", edits=True, beside=True, known=True),
    "github": Format("github", streamed=True, beside=True, brief=True),
    "gitlab": Format("gitlab", beside=True),
    "azure": Format("azure", streamed=True, beside=True, brief=True),
    "junit": Format("junit"),
    "rdjson": Format("rdjson", edits=True, beside=True),
    "pylint": Format("pylint", streamed=True, beside=True, brief=True),
    "html": Format("html.page", edits=True),
}


def render(name: str, findings: Findings) -> str:
    """The findings in the format of that name."""
    form = FORMATS[name]
    findings = placed(findings, form.beside)
    if not form.streamed:
        document: str = _module(form).document(findings)
        return document
    return "".join(entry(name, findings, index) for index in range(len(findings.diagnostics)))


def placed(findings: Findings, beside: bool) -> Findings:
    """The findings with places as they are shown: those in notebooks in cells, or, `beside` files, in these."""
    if not any(one.location.filename.endswith(".ipynb") for one in findings.diagnostics):
        return findings
    from .notebooks import in_cells

    return in_cells(findings, beside)


def entry(name: str, findings: Findings, index: int) -> str:
    """One finding in a streamed format."""
    text: str = _module(FORMATS[name]).entry(findings, index)
    return text


def _module(form: Format) -> Any:
    return __import__(f"{__name__}.{form.module}", fromlist=("document", "entry"))
