"""Runs in a worker process: answers the server's questions one by one, and keeps what it has parsed."""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
import traceback
from typing import TYPE_CHECKING

from .frames import Answer, Question, packed, received

if TYPE_CHECKING:
    from typing import BinaryIO

#: What the analysis leaves behind refers to itself, and to look for it takes as long as some answers: it is collected
#: when nobody has asked for so many seconds, or so often that memory stays bounded.
_IDLE, _OFTEN = 1.0, 40


def main() -> int:
    """Answers until standard input ends."""
    source, target = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anybody prints is no answer
    asked: queue.SimpleQueue[Question] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(source, asked), daemon=True).start()
    _answer(asked, target)
    return 0


def _listen(source: BinaryIO, asked: queue.SimpleQueue[Question]) -> None:
    """Takes questions. When nobody asks any more the process ends at once, whatever it does: nobody would hear it."""
    try:
        while True:
            asked.put(received(source))
    except (EOFError, OSError):
        os._exit(0)


def _answer(asked: queue.SimpleQueue[Question], target: BinaryIO) -> None:
    from .analysis import Analysis

    gc.disable()
    analysis = Analysis()
    left = 0  # how many answers have left something behind
    while True:
        try:
            question = asked.get(timeout=_IDLE if left else None)
        except queue.Empty:
            analysis.rest()
            gc.collect()
            left = 0
            continue
        try:
            analysis.tell(question.texts)
            answer = Answer(getattr(analysis, question.method)(*question.arguments))
        except (Exception, RecursionError) as error:
            traceback.print_exc()
            answer = Answer(None, f"{type(error).__name__}: {error}")
        target.write(packed(answer))
        target.flush()
        left += 1
        if left >= _OFTEN:
            gc.collect()
            left = 0
