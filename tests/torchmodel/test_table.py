"""What the analysis asks of the table: overloads chosen by what is known of the arguments, bindings, flags."""

from __future__ import annotations

import pytest

from inplace_lint.torchmodel import WEIGHT, Const, table


def facts(op, *args, **kwargs):
    found = op.facts(args, kwargs)
    assert found is not None
    return found[0]


def saved(result):
    """Target -> needs, both by name, of the saves that always happen."""
    names = {i: p.name for i, p in enumerate(result.params)} | {WEIGHT: "weights"}
    return {
        names.get(s.target, f"r{-1 - s.target}"): {names[n] for n in s.needs}
        for s in result.saves
        if s.certainty == "always"
    }


def test_a_call_with_too_many_arguments_is_not_known():
    assert table.method("sigmoid_").facts(["T", "T"], {}) is None


def test_an_unknown_keyword_is_not_known():
    assert table.function("torch.sigmoid").facts(["T"], {"colour": "N"}) is None


@pytest.mark.parametrize("name", ["mul", "matmul", "bmm"])
def test_products_save_each_operand_for_the_other(name):
    result = facts(table.function(f"torch.{name}"), "T", "T")
    assert list(saved(result).values()) == [{result.params[1 - s.target].name} for s in result.saves]
    assert len(result.saves) == 2


def test_linear_saves_the_input_for_the_weight_and_the_weight_for_the_input():
    result = facts(table.function("torch.nn.functional.linear"), "T", "T", "T")
    assert saved(result) == {"input": {"weight"}, "weight": {"input"}}


def test_division_always_saves_the_divisor():
    assert saved(facts(table.operator("/"), "T", "T")) == {"other": {"self", "other"}, "self": {"other"}}


def test_a_number_divided_by_a_tensor_saves_nothing_of_the_callers():
    assert not facts(table.operator("/"), "N", "T").saves


def test_power_by_a_number_saves_the_base_and_by_a_tensor_all_three():
    assert saved(facts(table.operator("**"), "T", Const(2))) == {"self": {"self"}}
    assert set(saved(facts(table.operator("**"), "T", "T"))) == {"self", "exponent", "r0"}


def test_power_by_something_unknown_surely_saves_the_base():
    result = facts(table.operator("**"), "T", "?")
    assert saved(result) == {"self": {"self"}}
    assert {s.target for s in result.saves if s.certainty == "may"} >= {1, -1}


def test_where_saves_only_the_condition():
    assert set(saved(facts(table.function("torch.where"), "T", "T", "T"))) == {"condition"}


def test_in_place_leaky_relu_saves_the_result_and_out_of_place_the_input():
    assert set(saved(facts(table.function("torch.nn.functional.leaky_relu"), "T"))) == {"input"}
    assert set(saved(facts(table.function("torch.nn.functional.leaky_relu_"), "T"))) == {"r0"}


@pytest.mark.parametrize("name", ["clamp_", "abs_", "sin_", "log_", "square_"])
def test_what_is_cloned_in_place_is_not_a_save(name):
    result = facts(table.method(name), "T", *([Const(0.0)] if name == "clamp_" else []))
    assert not result.saves
    assert result.clones == (0,)


def test_mul_in_place_clones_only_for_the_other_operand():
    result = facts(table.method("mul_"), "T", "T")
    assert result.clones == (1,)
    assert saved(result) == {"other": {"self"}}


def test_sizes_given_one_by_one_bind():
    result, binding = table.method("view").facts(["T", Const(2), "N", Const(-1)], {})
    assert binding == (0, 1)
    assert result.returns[0].kind == "view"


def test_out_is_written_and_nothing_is_saved():
    result, binding = table.function("torch.exp").facts(["T"], {"out": "T"})
    assert not result.saves
    assert [binding[w] for w in result.writes] == ["out"]
    assert result.returns[0].kind == "same"


@pytest.mark.parametrize("name", ["relu", "silu", "dropout", "hardtanh"])
def test_the_constant_inplace_flag_decides_the_write(name):
    op = table.function(f"torch.nn.functional.{name}")
    assert facts(op, "T", inplace=Const(True)).writes == (0,)
    assert not facts(op, "T", inplace=Const(False)).writes


def test_an_unknown_flag_gives_the_union_and_its_name():
    result = facts(table.function("torch.nn.functional.dropout"), "T", training="?")
    assert result.flags == ("training",)
    assert result.returns[0].kind == "maybe"


def test_outputs_of_chunk_and_unbind_are_multi_view_and_of_tensor_split_not():
    assert facts(table.method("chunk"), "T", Const(2)).returns[0].multi_view
    assert facts(table.method("unbind"), "T").returns[0].multi_view
    assert not facts(table.method("tensor_split"), "T", Const(2)).returns[0].multi_view


def test_reshape_may_alias_and_view_does():
    assert facts(table.method("reshape"), "T", Const(-1)).returns[0].kind == "maybe"
    assert facts(table.property_("T"), "T").returns[0].kind == "view"
    assert not facts(table.property_("data"), "T").shares_version


def test_max_over_a_dimension_has_named_results_of_which_one_is_differentiable():
    result = facts(table.method("max"), "T", Const(1))
    assert result.fields == ("values", "indices")
    assert [r.differentiable for r in result.returns] == [True, False]
    assert result.returns[1].dtype == "int"


def test_indexing_by_a_tensor_copies_and_by_a_slice_views():
    assert facts(table.operator("[]"), "T", "T").returns[0].kind == "fresh"
    assert facts(table.operator("[]"), "T", "S").returns[0].kind == "view"
    assert facts(table.operator("[]="), "T", "S", "T").writes == (0,)


def test_factories_save_nothing_and_carry_no_gradient():
    for result in (
        facts(table.function("torch.zeros"), Const(2), Const(3), requires_grad=Const(True)),
        facts(table.function("torch.randn_like"), "T"),
        facts(table.function("torch.tensor"), "N"),
        facts(table.method("new_zeros"), "T", Const(3)),
    ):
        assert result.factory
        assert not result.saves


def test_initialisers_write_under_no_grad():
    result = facts(table.function("torch.nn.init.xavier_uniform_"), "T")
    assert result.no_grad
    assert result.counted
    assert result.overwrites
    assert result.writes == (0,)


def test_overwriting_ops_are_marked():
    for name in ("fill_", "copy_", "zero_", "uniform_", "normal_"):
        arguments = {"fill_": [Const(0)], "copy_": ["T"]}.get(name, [])
        assert facts(table.method(name), "T", *arguments).overwrites, name
    assert not facts(table.method("add_"), "T", "T").overwrites


def test_the_matrix_product_rebinds():
    assert not facts(table.operator("@="), "T", "T").writes
    assert facts(table.operator("+="), "T", "T").writes == (0,)


def test_fused_optimizers_write_without_the_counter():
    row = table.function("torch._fused_sgd_").rows[0]
    result = row.facts(row.params, False)
    assert result.writes
    assert not result.counted


def test_modules_know_their_weights_and_their_modes():
    linear = table.module("torch.nn.Linear")
    assert linear.has_weights({})
    result = linear.facts(linear.config((), {}), True)
    assert result.saves[0].needs == (WEIGHT,)
    assert result.weight_saves[0].needs == (0,)
    dropout = table.module("torch.nn.Dropout")
    assert dropout.facts(dropout.config((), {}), False).returns[0].kind == "same"
    assert dropout.facts(dropout.config((), {}), True).returns[0].kind == "fresh"
    norm = table.module("torch.nn.BatchNorm2d")
    assert norm.has_weights(norm.config((), {}))
    assert not norm.has_weights(norm.config((), {"affine": Const(False)}))


def test_autocast_policies_are_told():
    assert facts(table.function("torch.matmul"), "T", "T").autocast == "lower"
    assert facts(table.function("torch.softmax"), "T", Const(-1)).autocast == "fp32"


def test_methods_without_a_tensor_result():
    assert table.returns_nontensor("size")
    assert table.returns_nontensor("item")
    assert table.returns_nontensor("shape")
    assert not table.returns_nontensor("sum")


def test_the_nearest_name_stays_in_its_namespace():
    assert table.nearest("reshape_") == "reshape"
    assert table.nearest("torch.nn.functional.dropout_") == "torch.nn.functional.dropout"
