"""Frames messages between the server and its workers: pickled values with their length first, over private pipes."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, BinaryIO

#: How many bytes say how long a value is.
HEAD = 8


class Question(NamedTuple):
    """What a worker is asked: a method of `Analysis` with its arguments.

    `texts` are the files that are open and have changed since the last question; None for one that was closed.
    """

    method: str
    arguments: tuple[Any, ...]
    texts: Mapping[str, bytes | None]


class Answer(NamedTuple):
    """What a worker answers: a value, or in `fault` why there is none."""

    value: Any
    fault: str = ""


def packed(value: object) -> bytes:
    """A value as bytes, with their length before them."""
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(HEAD, "big") + body


def received(stream: BinaryIO) -> Any:
    """The next value of a stream. Raises EOFError."""
    body = _exactly(stream, int.from_bytes(_exactly(stream, HEAD), "big"))
    return pickle.loads(body)


def _exactly(stream: BinaryIO, count: int) -> bytes:
    parts = []
    while count:
        part = stream.read(count)
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
