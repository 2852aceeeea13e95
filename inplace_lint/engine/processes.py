"""Maps a function over many files in order, in one process or in as many as pay off."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    T = TypeVar("T")
    R = TypeVar("R")

#: With fewer files per process, another process costs more than it saves.
FILES_PER_JOB = 40


class Worker:
    """Hooks around the work: `begin` and `news` are called in the worker process, `learn` in its parent.

    Instances are pickled to the process before its first work and with each portion.
    """

    def begin(self) -> None:
        """Called once, before any work."""

    def news(self) -> object:
        """Called after each portion: returns what the parent should know."""
        return None

    def learn(self, news: object) -> None:
        """Called with each portion's `news`."""


def in_order(
    what: Callable[[T], R], items: Sequence[T], jobs: int, worker: Worker | None = None
) -> Iterator[R]:
    """Yields `what(item)` for each item, in order, computed in up to `jobs` processes; `what` is picklable.

    Raises ChildProcessError if a worker is killed.
    """
    import gc

    jobs = min(jobs, len(items))
    if jobs > 1 and not _is_safe_to_start():
        jobs = 1
    collects = gc.isenabled()
    # Syntax trees are many small objects without cycles, and the collector took half of the time. The cycles there are
    # become garbage after each run, and are collected once they are many (`of_project`).
    gc.disable()
    try:
        yield from _in_processes(what, items, jobs, worker or Worker()) if jobs > 1 else map(what, items)
    finally:
        if collects:
            gc.enable()


def _is_safe_to_start() -> bool:
    """Whether a worker can be kept from importing modules from the working directory, which may be the checked project.

    A worker that is not forked starts a Python of its own.
    """
    import multiprocessing
    import sys

    if multiprocessing.get_start_method() == "fork" or sys.flags.isolated:
        return True
    os.environ["PYTHONSAFEPATH"] = "1"
    return sys.version_info >= (3, 11) and not sys.flags.ignore_environment


def default_jobs(files: int) -> int:
    """The number of processes that pays off for so many files."""
    return max(1, min(os.cpu_count() or 1, files // FILES_PER_JOB))


def _in_processes(what: Callable[[T], R], items: Sequence[T], jobs: int, worker: Worker) -> Iterator[R]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children

    with ProcessPoolExecutor(jobs, initializer=_begin_worker, initargs=(worker,)) as pool:
        try:
            for made in [pool.submit(_each, what, portion, worker) for portion in portions(items, jobs)]:
                results, news = made.result()
                worker.learn(news)
                yield from results
        except BrokenProcessPool as error:
            raise ChildProcessError(
                "a worker process was killed, perhaps for want of memory; try --jobs 1"
            ) from error
        finally:
            # Nothing is lost: either all work is done, or nobody waits for the rest.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()


#: Items per portion: at most so many, so that progress shows, and at least so many, to limit the overhead.
_LARGEST, _SMALLEST = 200, 4


def portions(items: Sequence[T], jobs: int) -> Iterator[Sequence[T]]:
    """Splits the items into portions for the processes: large ones first, small ones last, so that all end together.

    A portion holds neighbours: they import the same files, which a process then reads only once.
    """
    at = 0
    while at < len(items):
        size = min(_LARGEST, max(_SMALLEST, (len(items) - at) // (2 * jobs)))
        yield items[at : at + size]
        at += size


def _each(what: Callable[[T], R], portion: Sequence[T], worker: Worker) -> tuple[list[R], object]:
    return [what(item) for item in portion], worker.news()


def _begin_worker(worker: Worker) -> None:
    """Prepares a worker. It dies silently on Ctrl-C, which reaches the parent too: that reports it."""
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()
    worker.begin()
