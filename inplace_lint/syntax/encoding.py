"""Decodes files that name their encoding (`# -*- coding: latin-1 -*-`), and converts them to UTF-8."""

from __future__ import annotations

from io import BytesIO
from tokenize import detect_encoding

from .unreadable import BOM, undecodable

#: The ASCII that any program may hold. An encoding that maps it otherwise would let a file run as another program than
#: the one that readers see.
_ASCII = "".join(map(chr, range(0x20, 0x7F))).replace("\\", "") + "\n\t\\n\\u0041"


def decoded(source: bytes) -> str:
    """Decodes a text by its coding line. Raises UnicodeError, LookupError or SyntaxError."""
    if source.startswith(BOM):
        return source.removeprefix(BOM).decode("utf-8")
    encoding = detect_encoding(BytesIO(source.replace(b"\r", b"\n")).readline)[0]
    if not _holds_ascii(encoding):
        raise LookupError(f"`{encoding}` is no encoding for Python: it writes ASCII in another way")
    return source.decode(encoding)


def utf8(source: bytes) -> bytes:
    """Converts a text to UTF-8. Raises UnreadableFile."""
    try:
        return decoded(source).encode("utf-8")
    except UnicodeDecodeError as error:
        raise undecodable(str(error), source[: error.start]) from None
    except (UnicodeError, LookupError, SyntaxError) as error:
        raise undecodable(str(error), b"") from None


def _holds_ascii(encoding: str) -> bool:
    if encoding in ("utf-8", "ascii", "iso-8859-1"):
        return True
    try:
        return _ASCII.encode("ascii").decode(encoding) == _ASCII
    except (UnicodeError, LookupError):
        return False
