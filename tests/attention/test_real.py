"""What people write is recognised; a fix is the same function, and runs the fused kernel where it says so."""

from __future__ import annotations

import pytest

from . import real

pytestmark = [
    pytest.mark.usefixtures("float64"),
    pytest.mark.skipif(not real.has_einops(), reason="the forms use einops"),
]

#: What a fix says where its result may be another one than that of the form in this test.
_SAID = ("one dtype", "mean of the values")
#: Forms that are rewritten: what else may be refused is up to the planner.
_FIXED = frozenset(
    "less_the_maximum less_the_maximum_by_name mask_rebound_where_it_is_given mask_rebound_where_it_is_not_given "
    "bias_doubled_where_it_is_given mask_rebound_by_a_flag bias_of_a_method one_on_each_arm".split()
)
#: ... and what must be: another axis's maximum changes the softmax.
_REFUSED = frozenset({"less_the_maximum_of_columns"})


@pytest.mark.parametrize(
    ("name", "program"), real.forms("attention"), ids=lambda one: one if "\n" not in one else ""
)
def test_form_is_a_warning_and_its_fix_is_the_same_function(name: str, program: str) -> None:
    found = real.findings(program)
    assert {one.severity for one in found} == {"warning"}
    before = real.run(program)
    assert name not in _FIXED | _REFUSED or {one.plan is not None for one in found} == {name in _FIXED}
    for one in found:
        if one.plan is None:
            assert one.fix_refused
            continue
        after = real.run(real.fixed(program, one))
        if any(words in one.plan.told() for words in _SAID):
            continue
        assert real.are_same(before, after), real.fixed(program, one)
        if "keeps no scores" in one.plan.message:
            assert after.fused, real.fixed(program, one)


@pytest.mark.parametrize(
    ("name", "program"), real.forms("lookalikes"), ids=lambda one: one if "\n" not in one else ""
)
def test_lookalike_is_passed_over(name: str, program: str) -> None:
    real.run(program)
    assert [one for one in real.findings(program) if one.severity != "note"] == []
