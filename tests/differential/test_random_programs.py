"""The static analysis against torch on random programs, and the oracle on programs whose truth is known."""

from __future__ import annotations

import textwrap

import pytest

from .compare import Comparison, Finding, Tally, sample
from .generator import Program, generate
from .oracle import Discard, Truth, judge


def truth_of(body: str, flags: int = 0) -> Truth:
    parameters = ", ".join(f"flag{index}" for index in range(flags))
    header = f"import torch\nimport torch.nn.functional as F\ndef program({parameters}):\n"
    return judge(Program(header + textwrap.indent(textwrap.dedent(body), "    "), "local", "program", flags))


def test_clean_program_has_no_truth() -> None:
    truth = truth_of("""\
        a = torch.rand(4, requires_grad=True)
        y = a * 2.0
        y.exp_()
        y.sum().backward()
        y.zero_()
        """)
    assert not truth.hazardous


def test_overwritten_result_is_seen_with_both_lines() -> None:
    truth = truth_of("""\
        a = torch.rand(4, requires_grad=True)
        y = torch.sigmoid(a)
        y += 1
        y.sum().backward()
        """)
    (write,) = truth.hazards.values()
    assert (write.stack, write.saves) == ((6,), {("result", "SigmoidBackward0", (5,))})


def test_overwritten_input_is_told_from_an_overwritten_result() -> None:
    truth = truth_of("""\
        a = torch.rand(4, requires_grad=True)
        b = a + 1
        c = b**2
        b += 1
        c.sum().backward()
        """)
    assert [write.kinds for write in truth.hazards.values()] == [{"input"}]


def test_save_that_no_backward_reaches_is_no_truth() -> None:
    truth = truth_of("""\
        a = torch.rand(4, requires_grad=True)
        dead = a.exp()
        dead.add_(1)
        a.sum().backward()
        """)
    assert not truth.hazardous


def test_truth_is_the_union_over_the_outcomes_of_the_flags() -> None:
    truth = truth_of(
        """\
        a = torch.rand(4, requires_grad=True)
        y = a.exp() if flag0 else a * 2.0
        if flag1:
            y.add_(1)
        y.mul_(2.0)
        y.sum().backward()
        """,
        flags=2,
    )
    assert sorted(truth.hazards) == [(7,), (8,)]


def test_correlated_branches_do_not_meet() -> None:
    truth = truth_of(
        """\
        a = torch.rand(4, requires_grad=True)
        y = a.exp() if flag0 else a * 2.0
        if not flag0:
            y.add_(1)
        y.sum().backward()
        """,
        flags=1,
    )
    assert not truth.hazardous


def test_write_in_a_helper_has_the_whole_call_stack() -> None:
    truth = truth_of("""\
        def bump(t):
            t.add_(1)
        a = torch.rand(4, requires_grad=True)
        y = a.exp()
        bump(y)
        y.sum().backward()
        """)
    assert list(truth.hazards) == [(5, 8)]


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("a.add_(1)", "IPL103"),
        ("a[0] = 1.0", "IPL103"),
        ("(a * 1.0).chunk(2)[0].add_(1)", "IPL104"),
        ("(a * 1.0).expand(2, 4).add_(1)", "IPL105"),
        ("torch.exp(a, out=torch.zeros(4))", "IPL107"),
    ],
)
def test_error_at_once_is_truth_with_its_rule(statement: str, code: str) -> None:
    truth = truth_of(f"a = torch.rand(4, requires_grad=True)\n{statement}\na.sum().backward()\n")
    assert list(truth.immediate.items()) == [((5,), code)]


def test_other_errors_have_no_truth() -> None:
    with pytest.raises(Discard):
        truth_of("torch.rand(4) @ torch.rand(3)\n")


def test_graph_that_only_an_argument_keeps_is_an_escape() -> None:
    source = textwrap.dedent("""\
        import torch
        def program(a, b):
            y = a.exp()
            b.copy_(y)
            y.add_(1)
            return a.sum()
        def main():
            a = torch.rand(4, requires_grad=True)
            b = torch.rand(4)
            program(a, b).backward()
        """)
    truth = judge(Program(source, "driver", "main", 0))
    assert not truth.hazards
    assert list(truth.escapes) == [(5, 10)]


def test_public_helper_may_be_called_by_others() -> None:
    source = textwrap.dedent("""\
        import torch
        def {name}(t):
            u = t.exp()
            u.add_(1)
            return u
        def program():
            a = torch.rand(4, requires_grad=True)
            with torch.no_grad():
                {name}(a)
            a.sum().backward()
        """)
    public = judge(Program(source.format(name="shift"), "local", "program", 0))
    private = judge(Program(source.format(name="_shift"), "local", "program", 0))
    assert not public.hazards
    assert [stack[0] for stack in public.escapes] == [4]
    assert not (private.hazards or private.escapes)


def test_comparison_counts_hits_misses_and_false_alarms() -> None:
    truth = truth_of("a = torch.rand(4, requires_grad=True)\ny = a.exp()\ny += 1\ny.sum().backward()\n")
    program = Program("\n" * 6, "local", "program", 0)

    def finding(row: int, code: str = "IPL101", confidence: str = "certain") -> Finding:
        return Finding(row, code, confidence, (), "")

    hit = Comparison(program, truth, [finding(6)])
    assert (len(hit.true), hit.false, hit.missed, hit.codes) == (1, [], [], [])
    wrong_place = Comparison(program, truth, [finding(5)])
    assert (len(wrong_place.false), wrong_place.missed) == (1, [(6,)])
    wrong_code = Comparison(program, truth, [finding(6, "IPL102")])
    assert [code for _, code in wrong_code.codes] == ["IPL101"]
    weak = Comparison(program, truth, [finding(6, confidence="possible")])
    assert (weak.true, weak.missed) == ([], [(6,)])


def test_equal_seeds_give_equal_programs_and_they_are_diverse() -> None:
    programs = [generate(("diversity", index)) for index in range(200)]
    assert [program.source for program in programs] == [
        generate(("diversity", index)).source for index in range(200)
    ]
    assert {program.form for program in programs} == {"local", "driver", "module", "script"}
    assert len(set().union(*(program.uses for program in programs))) > 300


@pytest.mark.parametrize(("deep", "programs"), [(False, 300), (True, 120)])
def test_analysis_agrees_with_torch_on_random_programs(deep: bool, programs: int) -> None:
    tally = Tally()
    for index in range(programs):
        sample(1, index, tally, deep)
    report = "\n\n".join(map(str, tally.disagreements)) + f"\n{tally}"
    assert 0.3 < tally.hazardous / tally.programs < 0.6
    # Floors under what is measured over thousands of programs: README.md has the figures.
    assert tally.precision >= 0.99, report
    assert tally.recall >= 0.98, report
