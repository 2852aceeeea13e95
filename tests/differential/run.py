"""Compares many programs, in several processes."""

from __future__ import annotations

import multiprocessing
import sys

import torch

from .compare import Tally, sample

CHUNK = 50


def _work(job: tuple[int, int, int, bool]) -> Tally:
    seed, first, last, deep = job
    torch.set_num_threads(1)
    tally = Tally()
    for index in range(first, last):
        sample(seed, index, tally, deep)
    return tally


def run(programs: int, seed: int, jobs: int, deep: bool = False) -> Tally:
    """Compares `programs` random programs; the same seed gives the same result with any number of jobs."""
    chunks = [(seed, first, min(first + CHUNK, programs), deep) for first in range(0, programs, CHUNK)]
    total = Tally()
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for done, tally in enumerate(pool.imap(_work, chunks), 1):
            total.merge(tally)
            if sys.stderr.isatty():
                print(f"\r{min(done * CHUNK, programs)} of {programs}", end="", file=sys.stderr, flush=True)
    return total
