"""Records what cached findings depend on (contents, imports, paths looked for), and decides whether they still hold.

A file's findings depend on every file that its imports reach; they hold as long as none of these changed.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..project.contents import UNSTABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any

    from ..project.contents import Contents, Stamp

    #: a file, and which entry of it: its findings without notes (False) or with notes and possible ones (True), or
    #: the findings whose edits were made (`EDITS`)
    Key = tuple[str, int]


EDITS = 2


@dataclass(slots=True)
class Node:
    """A file in the graph: the digest of its content (`held`), and what was looked up on its behalf.

    `next` are the files that its imports resolve to; `asked` the paths that were looked for, with whether a file was
    there; `packages` what was asked of all files below a folder, with the answers (`Contents.packages`).
    """

    held: str | None
    next: set[str] = field(default_factory=set)
    asked: dict[str, bool] = field(default_factory=dict)
    packages: dict[tuple[str, str], str] = field(default_factory=dict)

    def meet(self, other: Node) -> None:
        """Merges what was looked up for the same file elsewhere; marks it unstable if the content differed."""
        known = self.packages
        if other.held != self.held or any(
            known.get(one, said) != said for one, said in other.packages.items()
        ):
            self.held = UNSTABLE
        self.next |= other.next
        self.asked.update(other.asked)
        self.packages.update(other.packages)


@dataclass(slots=True)
class Entry:
    """The findings of one file as text. `says` tells where suppression comments may stand (`pipeline._SAID`, ...)."""

    text: str
    says: int


@dataclass(slots=True)
class Graph:
    """Everything that is kept between runs. Paths are absolute."""

    nodes: dict[str, Node] = field(default_factory=dict)
    entries: dict[Key, Entry] = field(default_factory=dict)
    #: by path, the stamp of a file, and the digest of the content it then had
    seen: dict[str, tuple[Stamp, str]] = field(default_factory=dict)
    #: by path, the digest of a package's file, and the summary of what it does
    deeds: dict[str, tuple[str, str]] = field(default_factory=dict)

    def reached(self, paths: Iterable[str], without: Collection[str] = ()) -> set[str]:
        """The files that these import, directly or not, and themselves; the walk stops at files in `without`."""
        found: set[str] = set()
        pending = list(paths)
        while pending:
            path = pending.pop()
            if path not in found and path not in without and path in self.nodes:
                found.add(path)
                pending += self.nodes[path].next
        return found

    def resting_on(self, changed: set[str], among: Iterable[str]) -> set[str]:
        """The changed files and all that import them, directly or not."""
        if not changed:
            return set()
        importers: dict[str, list[str]] = {}
        for path in among:
            for target in self.nodes[path].next:
                importers.setdefault(target, []).append(path)
        found: set[str] = set()
        pending = list(changed)
        while pending:
            path = pending.pop()
            if path not in found:
                found.add(path)
                pending += importers.get(path, ())
        return found

    def keep_only(self, entries: dict[Key, Entry]) -> None:
        """Replaces the entries, and drops all nodes that they do not depend on."""
        self.entries = entries
        reached = self.reached(path for path, _ in entries)
        self.nodes = {path: node for path, node in self.nodes.items() if path in reached}


def stands(path: str, node: Node, contents: Contents, asked: Callable[[str, str, str], str]) -> bool:
    """Whether a file by itself is unchanged, with all lookups for it; `asked` answers as in `Contents.packages`."""
    if contents.digest(path) != node.held:
        return False
    is_file = contents.is_file
    if any(is_file(one) != there for one, there in node.asked.items()):
        return False
    return all(asked(path, *question) == said for question, said in node.packages.items())


def dumped(graph: Graph, root: str) -> bytes:
    """Serialises the graph: a line of JSON, then one for each entry's findings. Paths are relative to the root."""
    paths: dict[str, int] = {}

    def number(path: str) -> int:
        return paths.setdefault(path, len(paths))

    nodes = []
    for path, node in graph.nodes.items():
        asked = [number(one) for one, there in node.asked.items() if there]
        absent = [number(one) for one, there in node.asked.items() if not there]
        packages = [[number(top), name, said] for (top, name), said in node.packages.items()]
        nodes.append([number(path), node.held, [number(one) for one in node.next], asked, absent, packages])
    entries = [[number(path), int(notes), one.says] for (path, notes), one in graph.entries.items()]
    seen = [[number(path), stamp, held] for path, (stamp, held) in graph.seen.items()]
    deeds = [[number(path), held, said] for path, (held, said) in graph.deeds.items()]
    prefix = os.path.join(root, "")
    names = [path[len(prefix) :].replace(os.sep, "/") if path.startswith(prefix) else path for path in paths]
    head = {"deeds": deeds, "paths": names, "nodes": nodes, "entries": entries, "seen": seen}
    lines = [json.dumps(head, separators=(",", ":")), *(one.text for one in graph.entries.values())]
    return "\n".join(lines).encode("ascii")


def loaded(body: bytes, root: str) -> Graph:
    """Reads what `dumped` wrote. Raises ValueError for anything else."""
    first, *texts = body.decode("ascii").split("\n")
    try:
        return _loaded(json.loads(first), texts, root)
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError) as error:
        raise ValueError("no graph") from error


def _loaded(head: Any, texts: list[str], root: str) -> Graph:
    prefix = os.path.join(root, "")
    paths = [name if os.path.isabs(name) else prefix + name.replace("/", os.sep) for name in head["paths"]]
    graph = Graph()
    for at, held, following, asked, absent, packages in head["nodes"]:
        node = Node(held, {paths[one] for one in following}, {paths[one]: True for one in asked})
        node.asked.update({paths[one]: False for one in absent})
        node.packages = {(paths[top], name): said for top, name, said in packages}
        graph.nodes[paths[at]] = node
    for (at, notes, says), text in zip(head["entries"], texts, strict=True):
        graph.entries[paths[at], int(notes)] = Entry(text, int(says))
    graph.deeds = {paths[at]: (held, said) for at, held, said in head["deeds"]}
    graph.seen = {paths[at]: (tuple(stamp), held) for at, stamp, held in head["seen"]}
    return graph
