"""A process that analyses for the server, question by question, and keeps what it has parsed."""

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

#: What the analysis leaves behind refers to itself; it is collected when nobody has asked for so many seconds.
_IDLE = 2.0


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
    collected = True
    while True:
        try:
            question = asked.get(timeout=None if collected else _IDLE)
        except queue.Empty:
            gc.collect()
            collected = True
            continue
        collected = False
        analysis.tell(question.texts)
        try:
            answer = Answer(getattr(analysis, question.method)(*question.arguments))
        except (Exception, RecursionError):
            answer = Answer(None, traceback.format_exc())
        target.write(packed(answer))
        target.flush()
