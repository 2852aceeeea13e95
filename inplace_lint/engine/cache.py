"""Caches findings between runs: reuses those of files whose dependencies are unchanged, and saves new ones."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from .. import __version__
from ..project import package_files, torch_version
from ..project.contents import UNSTABLE, digest
from ..project.paths import relative
from . import graph as graphs
from . import plain, store
from .graph import EDITS, Entry, Graph, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..model import Diagnostic
    from ..project import Project, Settings
    from ..project.contents import Stamp
    from ..project.modules import Question
    from .graph import Key

#: Settings that cached findings do not depend on: they select files, or decide which findings are shown and how.
_LATER = frozenset(
    "root config_file select ignore extend_select min_confidence notes per_file_ignores inputs exclude extend_exclude "
    "force_exclude respect_gitignore output_format unsafe_fixes fail_on baseline cache_dir src".split()
)
#: Findings of a file with one of these codes are not cached: it was not read, or the next run must report it again.
_PASSING = ("IPL000", "IPL002")
#: If at least so many files have a new time stamp but unchanged content, their new stamps are saved.
_TOUCHED = 50


@dataclass(slots=True)
class News:
    """What one process found out: findings, what they depend on, and the files' time stamps."""

    entries: dict[Key, Entry] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    seen: dict[str, tuple[Stamp, str]] = field(default_factory=dict)


class Cache:
    """The cached findings of one project under one configuration."""

    def __init__(self, directory: str, settings: Settings, project: Project) -> None:
        self.directory = directory
        self.name = _name(settings)
        self.root = os.path.abspath(settings.root)
        self.project = project
        self.contents = project.contents
        self._graph: Graph | None = None
        self._loaded_at = 0
        self._good: set[str] = set()
        self._bad: set[str] = set()
        self._told = News()
        self._questions: dict[str, int] = {}
        self._answers: dict[Question, tuple[str | None, list[str]]] = {}
        self.learnt = News()
        self._fresh: dict[Key, Entry] = {}

    @property
    def graph(self) -> Graph:
        if self._graph is None:
            self._loaded_at, self._graph = self._load()
            for path, one in self._graph.seen.items():
                self.contents.seen.setdefault(path, one)
            for path, known in self._graph.deeds.items():
                self.contents.deeds.setdefault(path, known)
        return self._graph

    def _load(self) -> tuple[int, Graph]:
        at = store.saved_at(self.directory, self.name)
        body = store.load(self.directory, self.name)
        if body is not None:
            try:
                return at, graphs.loaded(body, self.root)
            except ValueError:
                pass  # correctly signed but unreadable: a bug of ours must not make the run fail
        return at, Graph()

    def verify(self, paths: Iterable[str]) -> None:
        """Decides for these files, and all they import, whether their cached findings still hold."""
        graph = self.graph
        reached = graph.reached(paths, self._good | self._bad)
        answer = self._answer
        changed = {
            path for path in reached if not graphs.stands(path, graph.nodes[path], self.contents, answer)
        }
        bad = graph.resting_on(changed | (self._bad & graph.nodes.keys()), reached | self._bad)
        self._bad |= bad
        self._good |= reached - bad

    def turn(self) -> None:
        """Forgets what was found out but not yet written, because files may have changed."""
        for known in (self._good, self._bad, self._questions, self._answers, self._fresh):
            known.clear()
        self._told, self.learnt = News(), News()

    def stands(self, path: str) -> bool:
        """Whether a file and everything it imports are known to be unchanged."""
        if path not in self._good and path not in self._bad:
            self.verify([path])
        return path in self._good

    def knows(self, path: str, notes: bool) -> bool:
        """Whether the cache holds valid findings of a file."""
        if (path, notes) not in self.graph.entries:
            return False
        # If the file itself has changed, its dependencies need no check.
        return self.graph.nodes[path].held == self.contents.digest(path) and self.stands(path)

    def recall(self, path: str, notes: bool) -> tuple[list[Diagnostic], int] | None:
        """All findings of a file, and where its comments stand (`Entry.says`); None if they are not cached."""
        if not self.knows(path, notes):
            return None
        known = self.graph.entries[path, notes]
        try:
            return plain.read(known.text, self.root), known.says
        except ValueError:
            return None

    def keep(self, path: str, notes: bool, found: list[Diagnostic], says: int) -> None:
        """Caches the findings of a file, unless its text or another's is unsaved in an editor."""
        if self.contents.unsaved or any(one.code in _PASSING for one in found):
            return
        if self.contents.held.get(path):
            self._fresh[path, notes] = Entry(plain.written(found, self.root), says)

    def edited(self, path: str) -> list[Diagnostic]:
        """The findings of a file whose edits were made, or refused with a reason."""
        known = self._fresh.get((path, EDITS))
        if known is None and self.stands(path):
            known = self.graph.entries.get((path, EDITS))
        try:
            return [] if known is None else plain.read(known.text, self.root)
        except ValueError:
            return []

    def keep_edited(self, path: str, found: list[Diagnostic]) -> None:
        """Caches the edits of findings in a file on disk, beside those cached before."""
        if not self.contents.unsaved and self.contents.held.get(path):
            every = plain.written([*self.edited(path), *found], self.root)
            self._fresh[path, EDITS] = Entry(every, 0)

    def news(self) -> News:
        """What was found out since the last call."""
        told, news = self._told, News(self._fresh)
        self._fresh = {}
        for importer, questions in self.project.asked.items():
            path = os.path.abspath(importer)
            if self._questions.get(importer) != len(questions) and path in self.contents.held:
                self._questions[importer] = len(questions)
                news.nodes[path] = self._node(path, questions)
        needed = {target for node in news.nodes.values() for target in node.next}
        needed.update(path for path, _ in news.entries)
        needed.update(told.nodes)
        for path in needed - news.nodes.keys():
            held, known = self.contents.held.get(path), told.nodes.get(path)
            if held is not None and (known is None or known.held != held):
                news.nodes[path] = self._node(path, ())
        for path, packages in self.contents.packages.items():
            if path in self.contents.held:
                known = news.nodes.get(path) or told.nodes.get(path)
                if known is None or known.packages != packages:
                    node = news.nodes.setdefault(path, self._node(path, ()))
                    node.packages = dict(packages)
                    node.next |= self.contents.rests_on.get(path, set())
        for path, seen in self.contents.seen.items():
            if told.seen.get(path) != seen:
                news.seen[path] = seen
        told.nodes.update(news.nodes)
        told.seen.update(news.seen)
        return news

    def _node(self, path: str, questions: Iterable[Question]) -> Node:
        node = Node(self.contents.held[path], {*self.contents.rests_on.get(path, ())})
        is_file = self.contents.is_file
        known = self.graph.nodes.get(path) if path in self._good else None
        if known is not None:
            node.meet(known)  # a cached answer depends on all that the cached node lists
        else:
            node.asked = {one: is_file(one) for one in self.project.around(path)}
        for question in questions:
            if question not in self._answers:
                found, paths = self.project.answer(question)
                self._answers[question] = (None if found is None else os.path.abspath(found), paths)
            target, paths = self._answers[question]
            if target is not None:
                node.next.add(target)
            node.asked.update((one, is_file(one)) for one in paths)
        return node

    def learn(self, news: News) -> None:
        """Adds what a worker process found out."""
        self.learnt.entries |= news.entries
        self.learnt.seen |= news.seen
        for path, node in news.nodes.items():
            known = self.learnt.nodes.setdefault(path, node)
            if known is not node:
                known.meet(node)

    def write(self) -> None:
        """Saves what is known for later runs, merged with what other runs have saved."""
        if not self._fresh and not self.learnt.entries and self._touched() < _TOUCHED:
            return
        self.learn(self.news())
        graph, learnt = self.graph, self.learnt
        if store.saved_at(self.directory, self.name) != self._loaded_at:
            graph = self._load()[1]  # another run has saved meanwhile
        changed = {path for path, node in graph.nodes.items() if self._contradicts(path, node)}
        stale = graph.resting_on(changed, graph.nodes)
        entries = {
            key: one for key, one in graph.entries.items() if key[0] not in stale and os.path.isfile(key[0])
        }
        for path in changed:
            del graph.nodes[path]
        for path, node in learnt.nodes.items():
            graph.nodes.setdefault(path, node).meet(node)
        unstable = {path for path, node in graph.nodes.items() if node.held == UNSTABLE}
        unstable = graph.resting_on(unstable, graph.nodes)
        entries |= learnt.entries
        graph.keep_only({key: one for key, one in entries.items() if key[0] not in unstable})
        graph.seen |= learnt.seen
        self._look_through_packages(graph)
        store.save(self.directory, self.name, graphs.dumped(graph, self.root))
        self._loaded_at, self._graph, self.learnt = store.saved_at(self.directory, self.name), graph, News()
        self._bad.clear()

    def _touched(self) -> int:
        """How many files were read because their time stamp was new."""
        known, seen = self.graph.seen, self.contents.seen
        return sum(path in seen and seen[path] is not known.get(path) for path in self.graph.nodes)

    def _contradicts(self, path: str, node: Node) -> bool:
        """Whether a file, or a path that was looked for on its behalf, is known to have changed."""
        learnt = self.learnt.nodes.get(path)
        if learnt is not None and learnt.held != node.held:
            return True
        are_files = self.contents.are_files
        if any(are_files.get(one, there) != there for one, there in node.asked.items()):
            return True
        asked_anew = learnt is not None or path in self._bad
        return asked_anew and any(self._answer(path, *one) != said for one, said in node.packages.items())

    def _answer(self, path: str, top: str, name: str) -> str:
        """What is to be said now, on behalf of a file, of the files below a folder (`Contents.packages`)."""
        from ..prefilter import package_uses

        if name[:1] in ("", "."):
            return package_uses.state_of(name, path, top, self.contents)
        return package_files.state_of(name, top, self.contents, path)

    def _look_through_packages(self, graph: Graph) -> None:
        """Stores the summaries of the files in packages, so that a later run need not read them."""
        from ..prefilter import package_uses

        tops = {top for node in graph.nodes.values() for top, name in node.packages if name[:1] in ("", ".")}
        for top in tops:
            if not any(path.startswith(os.path.join(top, "")) for path in graph.deeds):
                package_uses.look_through(top, self.contents)
        below = tuple(os.path.join(top, "") for top in tops)
        graph.deeds = {
            path: (held, said)
            for path, (held, said) in {**graph.deeds, **self.contents.deeds}.items()
            if held is not None and path.startswith(below)
        }
        graph.seen = {
            path: one
            for path, one in {**graph.seen, **self.contents.seen}.items()
            if path in graph.nodes or path in graph.deeds
        }


class Caches:
    """The caches of a run, one for each project that it checks; saved at the end only if `writes`."""

    def __init__(self, writes: bool = True) -> None:
        self.writes = writes
        self._known: dict[Settings, Cache | None] = {}

    def of(self, settings: Settings, project: Project) -> Cache | None:
        """The cache for files with these settings; None if their root is not absolute."""
        if settings not in self._known:
            self._known[settings] = None
            if os.path.isabs(settings.root):
                self._known[settings] = Cache(directory(settings), settings, project)
        return self._known[settings]

    def news(self) -> dict[Settings, News]:
        """What this process found out since the last call."""
        return {settings: cache.news() for settings, cache in self._known.items() if cache is not None}

    def learn(self, news: dict[Settings, News], project_of: Callable[[Settings], Project]) -> None:
        """Adds what another process found out."""
        for settings, one in news.items():
            cache = self.of(settings, project_of(settings))
            if cache is not None:
                cache.learn(one)

    def turn(self) -> None:
        """Forgets what may be outdated, because files may have changed."""
        for cache in self._known.values():
            if cache is not None:
                cache.turn()

    def write(self) -> None:
        """Saves what is known now for later runs."""
        for cache in self._known.values():
            if cache is not None and self.writes:
                cache.write()


def directory(settings: Settings) -> str:
    """The cache directory of a project."""
    return settings.cache_dir or os.environ.get(VARIABLE) or os.path.join(settings.root, store.NAME)


#: The environment variable that names one cache directory for all projects.
VARIABLE = "INPLACE_LINT_CACHE_DIR"


def _name(settings: Settings) -> str:
    """The cache file's name: a digest of the root, then one of everything else that findings depend on."""
    told = [
        f"{one.name}={getattr(settings, one.name)!r}" for one in fields(settings) if one.name not in _LATER
    ]
    src = [relative(path, settings.root) for path in settings.src]
    told += [
        settings.root,
        repr(src),
        repr(torch_version.oldest(settings)),
        sys.version,
        __version__,
        _tool(),
    ]
    names = (os.path.abspath(settings.root), "\n".join(told))
    return "-".join(digest(one.encode("utf-8", "surrogateescape")) for one in names)


def _tool() -> str:
    """A digest of the write times of this tool's own files, which may be a working copy."""
    found: list[str] = []
    pending = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    while pending:
        folder = pending.pop()
        found.append(folder)
        for entry in os.scandir(folder):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    pending.append(entry.path)
            elif entry.name.endswith((".py", ".txt")):
                status = entry.stat()
                found.append(f"{entry.name} {status.st_mtime_ns} {status.st_size}")
    return digest("\n".join(sorted(found)).encode("utf-8", "surrogateescape"))
