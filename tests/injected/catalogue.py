"""Which models writes are put into: the sets, that share no model and no seed."""

from __future__ import annotations

from .builders import Model
from .fresh import FRESH
from .fresh_wider import WIDER
from .known import KNOWN, OWN

#: Seeds from here on belong to the fresh sets, those below to the others.
FRESH_SEEDS = 1000

SETS: dict[str, dict[str, Model]] = {"own": OWN, "known": KNOWN, "fresh": FRESH, "wider": WIDER}
