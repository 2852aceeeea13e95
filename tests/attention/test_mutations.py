"""Whatever is changed in a program, a fix that is offered on it is the same function, or says in what it differs."""

from __future__ import annotations

import random

import pytest

from . import compare
from .forms import catalogue
from .mutations import mutated
from .test_forms import wide

pytestmark = pytest.mark.usefixtures("float64")


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
