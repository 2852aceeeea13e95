"""Whole programs that others wrote: their attentions are found, and what a fix makes of them computes the same."""

from __future__ import annotations

import pytest

from .written import SETS, TOLERANCE, Program, difference, programs

EVERY = [one for name in SETS for one in programs(name)]
#: Attentions that are notes: their weights are handed out whatever the flags say.
HANDED_OUT = frozenset(
    {
        "first/008_annotated",
        "first/011_seq_first_mha",
        "first/018_sagan",
        "first/040_valid_lens",
        "first/046_dot_decoder",
        "third/010_annotated",
        "third/024_mixin_last_attn",
        "fourth/017_maskhelper",
    }
)
#: Attentions that are missed: one takes its log-sum-exp by hand, one its scores from functions that are registered.
MISSED = frozenset({"third/017_generator_heads_lse", "third/019_dispatch_match"})
#: Attentions that are reported without a fix: their scores or weights are changed as no fused kernel does.
CHANGED = frozenset(
    {
        "first/032_head_mixing",
        "first/037_topk_lookup",
        "first/041_soft_weights",
        "first/047_edited_scores",
        "first/049_capped_logits",
        "second/031_cait_style",
        *(
            f"fourth/{name}"
            for name in ("006_softcap", "009_predrop", "011_quant", "013_topk", "020_fullmask")
        ),
        *(f"fourth/{name}" for name in ("028_hook", "033_maskafter", "044_editweights", "046_pairtemp")),
        *(f"fourth/{name}" for name in ("047_talking", "053_siggate", "055_mcdrop")),
    }
)
#: The numbers of the programs that are rewritten.
REWRITTEN = {
    "first": "001 002 003 006 007 009 012 013 017 020 021 022 028 030 031 042 048",
    "second": "001 003 007 008 010 022 025 026 030 035 036 038 039 042 044 048",
    "third": "001 005 009 011 012 015 016 022 023 027",
    "fourth": "001 003 007 012 018 021 022 027 029 030 032 039 040 042 043 048 051 052 054 057 060",
}
#: A mask has more axes than the scores. The fix takes it to have no more, and says so.
WIDER = "fourth/002_broadcast"
#: It asks for second derivatives, which the kernel lacks: the fix says so.
TWICE = "first/012_functional_weights"


def _name(program: Program) -> str:
    return program.name


@pytest.mark.parametrize("program", EVERY, ids=_name)
def test_attentions_are_found_and_nothing_else(program: Program) -> None:
    found = program.found(library=True)
    if program.name in MISSED:
        assert found is None
    elif program.is_attention:
        assert found is not None
        assert (found.severity == "note") is (program.name in HANDED_OUT)
    elif program.name == WIDER:
        assert found is not None and found.plan is not None
        assert any("no more than the scores" in one for one in found.plan.differences)
    elif program.name in CHANGED:
        assert found is not None and found.plan is None
    else:
        assert found is None or found.severity == "note"


@pytest.mark.parametrize("program", [one for one in EVERY if one.is_attention], ids=_name)
def test_a_fix_is_offered_and_computes_the_same(program: Program) -> None:
    found = program.found()
    text = None if found is None else program.rewritten(found)
    assert (text is not None) is (program.path.name[:3] in REWRITTEN[program.path.parent.name].split())
    if text is None:
        return
    if program.name == TWICE:
        assert found is not None and found.plan is not None
        assert any("second or forward-mode derivatives" in one for one in found.plan.differences)
        return
    assert difference(program.text, text) <= TOLERANCE
