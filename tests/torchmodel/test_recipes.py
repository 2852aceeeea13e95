"""What einops does to memory and keeps for backward is what the steps of its recipes do: torch and einops are asked."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from inplace_lint.torchmodel import recipes, table

torch = pytest.importorskip("torch")
einops = pytest.importorskip("einops")

#: A pattern, the lengths that are given, and the shape that it is for.
REARRANGED: list[tuple[str, dict[str, int], tuple[int, ...]]] = [
    ("b n d -> b n d", {}, (2, 3, 4)),
    ("b n d -> b d n", {}, (2, 3, 4)),
    ("b n (h d) -> b h n d", {"h": 2}, (2, 3, 4)),
    ("b h n d -> b n (h d)", {}, (2, 2, 3, 4)),
    ("b h n d -> (b h) n d", {}, (2, 2, 3, 4)),
    ("b c h w -> b (h w) c", {}, (2, 3, 4, 5)),
    ("b (k h d) n -> k b h n d", {"k": 3, "h": 2}, (2, 12, 3)),
    ("b c (h p) (w q) -> b (h w) (p q c)", {"p": 2, "q": 2}, (2, 3, 4, 4)),
    ("b n 1 -> b n", {}, (2, 3, 1)),
    ("b n -> b 1 n 1", {}, (2, 3)),
    ("b () n -> n b", {}, (2, 1, 3)),
    ("b n d -> (b n d)", {}, (2, 3, 4)),
    ("... d -> d ...", {}, (2, 3, 4)),
    ("b ... d -> b (...) d", {}, (2, 3, 4, 5)),
    ("b ... d -> b d (...)", {}, (2, 3, 4, 5)),
    ("(b t) c -> b c t", {"t": 3}, (6, 4)),
]
REPEATED = [
    ("d -> b d", {"b": 3}, (4,)),
    ("1 1 d -> b 1 d", {"b": 3}, (1, 1, 4)),
    ("n d -> b n d", {"b": 2}, (3, 4)),
    ("n d -> n d 3", {}, (3, 4)),
    ("d -> (b d)", {"b": 3}, (4,)),
    ("b n d -> (b r) n d", {"r": 2}, (2, 3, 4)),
    ("b n d -> b (n d) r", {"r": 2}, (2, 3, 4)),
    ("b n d -> b d (n r)", {"r": 2}, (2, 3, 4)),
]
REDUCED = [
    ("b c h w -> b c", {}, (2, 3, 4, 5)),
    ("b c h w -> b c 1 1", {}, (2, 3, 4, 5)),
    ("b c (h p) (w q) -> b c h w", {"p": 2, "q": 2}, (2, 3, 4, 4)),
    ("b c (h 2) (w 2) -> b h w c", {}, (2, 3, 4, 4)),
    ("b n d -> d", {}, (2, 3, 4)),
    ("b n d -> ", {}, (2, 3, 4)),
    ("... d -> ...", {}, (2, 3, 4)),
    ("b ... -> b", {}, (2, 3, 4)),
]


def tensor(shape: tuple[int, ...], turned: bool) -> Any:
    """A tensor with a graph; `turned`, its memory is in the opposite order."""
    found = torch.rand(shape[::-1] if turned else shape, requires_grad=True) * 1
    return found.permute(*range(found.ndim)[::-1]) if turned else found


def shares(one: Any, other: Any) -> bool:
    return bool(one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr())


def kept(run: Any) -> tuple[Any, list[tuple[Any, ...]]]:
    """What a function returns, and of the tensors that autograd keeps for it the shapes and whether they are new."""
    found: list[tuple[Any, ...]] = []

    def pack(saved: Any) -> Any:
        found.append((tuple(saved.shape), saved.dtype))
        return saved

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved):
        return run(), found


def by_steps(steps: list[recipes.Step], value: Any, expected: Any) -> list[Any]:
    """What the steps make, beginning with what they are given; sizes that are not known come from torch."""
    made = [value]
    for number, step in enumerate(steps):
        if step.argument is None and number == len(steps) - 1 and step.name in ("view", "reshape"):
            step = recipes.Step(step.name, tuple(expected.shape), step.memory)
        if step.argument is None:
            return []
        argument: Any = step.argument
        if isinstance(argument, tuple):
            holes = [i for i, size in enumerate(argument) if size is None]
            if len(holes) > 1 and number < len(steps) - 1:
                return []
            if holes:
                argument = (
                    tuple(expected.shape)
                    if len(holes) > 1
                    else tuple(-1 if s is None else s for s in argument)
                )
        made.append(getattr(made[-1], step.name)(argument))
    return made


def check(
    steps: list[recipes.Step], value: Any, result: Any, saved: list[tuple[Any, ...]], whole: bool
) -> None:
    assert [step.name for step in steps if table.method(step.name) is None] == []
    if not steps:
        assert result is value
    memories = [step.memory for step in steps]
    if (
        recipes.NEW in memories
        or recipes.COPIED in memories
        or (whole and recipes.COPIED_IF_WHOLE in memories)
    ):
        assert not shares(result, value)
    elif recipes.COPIED_IF_WHOLE not in memories and (whole or recipes.SHARED_IF_WHOLE not in memories):
        assert shares(result, value)
    made, also = kept(lambda: by_steps(steps, value, result))
    if made:
        assert torch.equal(made[-1], result)
        assert shares(made[-1], value) == shares(result, value)
        assert sorted(map(str, also)) == sorted(map(str, saved))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("pattern", "lengths", "shape"), REARRANGED, ids=[p[0] for p in REARRANGED])
def test_rearranging_is_its_steps(
    pattern: str, lengths: dict[str, int], shape: tuple[int, ...], turned: bool
) -> None:
    value = tensor(shape, turned)
    result, saved = kept(lambda: einops.rearrange(value, pattern, **lengths))
    assert saved == []
    steps = recipes.recipe(pattern, lengths)
    assert steps is not None
    check(steps, value, result, saved, not turned)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("pattern", "lengths", "shape"), REPEATED, ids=[p[0] for p in REPEATED])
def test_repeating_is_its_steps(
    pattern: str, lengths: dict[str, int], shape: tuple[int, ...], turned: bool
) -> None:
    value = tensor(shape, turned)
    result, saved = kept(lambda: einops.repeat(value, pattern, **lengths))
    assert saved == []
    steps = recipes.recipe(pattern, lengths)
    assert steps is not None
    assert "expand" in [step.name for step in steps]
    check(steps, value, result, saved, not turned)


@pytest.mark.parametrize("reduction", recipes.REDUCTIONS)
@pytest.mark.parametrize(("pattern", "lengths", "shape"), REDUCED, ids=[p[0] for p in REDUCED])
def test_reducing_is_its_steps(
    pattern: str, lengths: dict[str, int], shape: tuple[int, ...], reduction: str
) -> None:
    value = tensor(shape, False)
    result, saved = kept(lambda: einops.reduce(value, pattern, reduction, **lengths))
    steps = recipes.recipe(pattern, lengths, reduction)
    assert steps is not None
    check(steps, value, result, saved, True)


def test_a_function_may_reduce() -> None:
    asked = []

    def middle(value: Any, axes: tuple[int, ...]) -> Any:
        asked.append(axes)
        return value.mean(axes)

    einops.reduce(torch.rand(2, 3, 4), "b n d -> n", middle)
    steps = recipes.recipe("b n d -> n", {}, "")
    assert steps is not None
    (axes,) = [step.argument for step in steps if not step.name]
    assert isinstance(axes, tuple)
    assert [tuple(axis % 3 for axis in axes)] == asked


@pytest.mark.parametrize(
    "pattern",
    [
        "b i d, b j d -> b i j",
        "... n d, d m -> ... n m",
        "a, b, a -> b",
        "i i -> i",
        "batch row, row -> batch",
    ],
)
def test_an_einsum_is_the_one_of_torch(pattern: str) -> None:
    sizes = dict(zip(["b", "i", "d", "j", "n", "m", "a", "batch", "row"], [2, 3, 4, 5, 3, 2, 3, 2, 3]))
    shapes = [[sizes.get(word, 2) for word in side.split()] for side in pattern.partition("->")[0].split(",")]
    values = [torch.rand(shape, requires_grad=True) for shape in shapes]
    equation = recipes.equation(pattern)
    result, saved = kept(lambda: einops.einsum(*values, pattern))
    same, also = kept(lambda: torch.einsum(equation, *values))
    assert torch.equal(result, same)
    assert saved == also


def test_packing_copies_and_unpacking_gives_slices_that_may_be_written() -> None:
    one, many = tensor((2, 4), False), tensor((2, 3, 4), False)
    (packed, shapes), saved = kept(lambda: einops.pack([one, many], "b * d"))
    assert saved == []
    assert not shares(packed, one)
    assert not shares(einops.pack([many], "b * d")[0], many)
    parts = einops.unpack(packed, shapes, "b * d")
    assert len(parts) == 2
    assert all(shares(part, packed) for part in parts)
    parts[0].mul_(2)
    parts[1].mul_(2)
    packed.sum().backward()


MIXED = [("b n d -> b n m", "d m"), ("b (h d) -> b (h m)", "h d m"), ("... d -> ... m", "d m")]


@pytest.mark.parametrize(("pattern", "shape"), MIXED, ids=[p[0] for p in MIXED])
def test_a_mixing_layer_is_an_einsum_between_two_rearrangements(pattern: str, shape: str) -> None:
    from einops.layers.torch import EinMix

    layer = EinMix(pattern, weight_shape=shape, **dict.fromkeys(shape.split(), 2))
    given = torch.rand(
        *(4 if "(" in g else 2 for g in pattern.partition("->")[0].replace("(h d)", "(hd)").split())
    )
    parts = recipes.mix(pattern, shape)
    assert parts is not None
    before, equation, after = parts
    lengths = {"h": 2, "d": 2} if "(" in pattern else {}
    value = einops.rearrange(given, before, **lengths)
    value = torch.einsum(equation, value, layer.weight)
    assert torch.allclose(einops.rearrange(value, after), layer(given))


def test_layers_do_what_the_functions_do() -> None:
    from einops.layers.torch import Rearrange, Reduce

    for turned, (pattern, lengths, shape) in product([False, True], REARRANGED):
        value = tensor(shape, turned)
        result = einops.rearrange(value, pattern, **lengths)
        layered = Rearrange(pattern, **lengths)(value)
        assert torch.equal(layered, result)
        assert shares(layered, value) == shares(result, value)
    value = tensor((2, 3, 4), False)
    by_layer = kept(lambda: Reduce("b n d -> b d", "max")(value))[1]
    assert by_layer == kept(lambda: einops.reduce(value, "b n d -> b d", "max"))[1] != []


@pytest.mark.parametrize("pattern", ["b n", "b n -> b", "b b -> b", "", "a, b -> c (d)"])
def test_what_einops_refuses_has_no_recipe_or_no_equation(pattern: str) -> None:
    assert recipes.recipe(pattern, {}) is None or recipes.equation(pattern) is None


def test_a_length_of_an_axis_that_the_pattern_does_not_name_is_refused() -> None:
    with pytest.raises(einops.EinopsError):
        einops.repeat(tensor((2, 3), False), "h w -> h w 3", c=3)
    assert recipes.recipe("h w -> h w 3", {"c": 3}) is None
    assert recipes.recipe("h w -> h w c", {"c": 3})
