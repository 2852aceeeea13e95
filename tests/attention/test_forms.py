"""Attention is recognised however it is written, its fix is the same function, and nothing else is taken for it."""

from __future__ import annotations

import pytest

from . import compare
from .disguise import disguised
from .forms import Form, catalogue, source
from .lookalikes import sources

pytestmark = pytest.mark.usefixtures("float64")

FORMS = catalogue(seed=0, more=60)
#: Every third form runs in torch here; `python -m tests.attention` runs all of them.
SLICE = FORMS[::3]


def wide(form: Form) -> str:
    """The form's program, with float64 where it says float32: what is compared is compared in float64."""
    return source(form).replace(".float()", ".double()").replace("torch.float32", "torch.float64")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_form_is_recognised(form: Form) -> None:
    assert len(compare.plans(wide(form))) == 1


@pytest.mark.parametrize("form", FORMS[1::2], ids=lambda form: form.name)
def test_form_is_recognised_under_other_names(form: Form) -> None:
    plain, other = (compare.plans(text) for text in (wide(form), disguised(wide(form), seed=1)))
    assert len(other) == 1
    assert (other[0].refused is None) == (plain[0].refused is None)


@pytest.mark.parametrize("form", SLICE, ids=lambda form: form.name)
def test_fix_is_the_same_function_and_leaves_no_scores(form: Form) -> None:
    problem = compare.problem(form, wide(form), seed=3)
    assert problem is None, problem


@pytest.mark.parametrize("form", FORMS[2::6], ids=lambda form: form.name)
def test_fix_under_other_names_is_the_same_function(form: Form) -> None:
    problem = compare.problem(form, disguised(wide(form), seed=2), seed=4)
    assert problem is None, problem


@pytest.mark.parametrize(("name", "text"), sources(), ids=lambda one: one if "\n" not in one else "")
def test_lookalike_is_passed_over(name: str, text: str) -> None:
    compare.run(text, 0, compare.inputs(Form(layout="cross"), 0), 10**9, set(), True)
    assert compare.plans(text) == []


def test_catalogue_is_as_large_as_it_says() -> None:
    assert len(FORMS) >= 120
    assert len(sources()) >= 60
