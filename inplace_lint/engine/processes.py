"""Maps a function over many files in order, in one process or in as many as pay off."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    T = TypeVar("T")
    R = TypeVar("R")

#: Below this many files a second process costs more than it saves.
FILES_PER_JOB = 40


class Worker:
    """What a process does beside its work: `begin` and `news` are called in it, `learn` where the work was given out.

    What is made of this class travels to the process, before its first work and with each portion.
    """

    def begin(self) -> None:
        """Before any work."""

    def news(self) -> object:
        """After a portion of the work: what the others should know."""
        return None

    def learn(self, news: object) -> None:
        """Of each portion."""


def in_order(
    what: Callable[[T], R], items: Sequence[T], jobs: int, worker: Worker | None = None
) -> Iterator[R]:
    """What a function of this package makes of each item, in their order, in so many processes.

    Raises ChildProcessError where one of them is killed.
    """
    import gc

    jobs = min(jobs, len(items))
    if jobs > 1 and not _is_safe_to_start():
        jobs = 1
    collects = gc.isenabled()
    # Syntax trees are many small objects without cycles: the search for cycles was half of the time. What does refer
    # to itself is collected when a program is made anew (`of_project`).
    gc.disable()
    try:
        yield from _in_processes(what, items, jobs, worker or Worker()) if jobs > 1 else map(what, items)
    finally:
        if collects:
            gc.enable()


def _is_safe_to_start() -> bool:
    """Whether a worker can be kept from looking for modules in the working directory: in what is checked.

    One that is not forked is a Python of its own.
    """
    import multiprocessing
    import sys

    if multiprocessing.get_start_method() == "fork" or sys.flags.isolated:
        return True
    os.environ["PYTHONSAFEPATH"] = "1"
    return sys.version_info >= (3, 11) and not sys.flags.ignore_environment


def default_jobs(files: int) -> int:
    """How many processes pay for themselves."""
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
            # Nothing is lost: either all is done, or nobody waits for the rest any more.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()


#: No process takes more items at once, that progress is seen, nor fewer, that not all time goes into handing them out.
_LARGEST, _SMALLEST = 200, 4


def portions(items: Sequence[T], jobs: int) -> Iterator[Sequence[T]]:
    """What is given to one process at a time: large portions first, small ones at the end, so that all end together.

    Files that stand together import the same others, and what a process knows of these it need not read again.
    """
    at = 0
    while at < len(items):
        size = min(_LARGEST, max(_SMALLEST, (len(items) - at) // (2 * jobs)))
        yield items[at : at + size]
        at += size


def _each(what: Callable[[T], R], portion: Sequence[T], worker: Worker) -> tuple[list[R], object]:
    return [what(item) for item in portion], worker.news()


def _begin_worker(worker: Worker) -> None:
    """Ctrl-C reaches every process of the group: a worker ends without a word, the parent answers."""
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()
    worker.begin()
