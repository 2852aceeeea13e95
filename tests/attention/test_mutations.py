"""Whatever is changed in a program, a fix that is offered on it is the same function, or says in what it differs."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

torch = pytest.importorskip("torch")

from . import compare  # noqa: E402
from .forms import catalogue  # noqa: E402
from .mutations import mutated  # noqa: E402
from .test_forms import wide  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _float64() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.mark.parametrize("seed", range(8))
def test_fix_of_a_changed_program_is_the_same_function(seed: int) -> None:
    rng = random.Random(seed)
    forms = catalogue(seed, more=40)
    ran = 0
    for number in range(40):
        form = rng.choice(forms)
        text = mutated(wide(form), rng)
        why = compare.wrong(form, text, compare.offered(text), number)
        assert not why, why
        ran += why is None
    assert ran > 3
