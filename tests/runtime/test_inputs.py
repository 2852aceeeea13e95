"""Inputs from a comment, a factory, annotations, a capture, a parent and trial, and why there are none."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from inplace_lint.runtime.inputs import Call, InputError, NoInputs, build, given
from inplace_lint.runtime.inputs.capture import capturing
from inplace_lint.runtime.inputs.locate import load as located
from inplace_lint.runtime.inputs.trial import attempt
from inplace_lint.runtime.inputs.values import Spec, parse_arguments, parse_spec
from inplace_lint.runtime.uses import read, write

from . import models


def found(target: Any, **how: Any) -> Call:
    """The call that is built, having run forward and backward once more."""
    call = build(target, **how)
    assert isinstance(call, Call), call
    args, kwargs = call.inputs()
    result = call.function()(*args, **kwargs)
    for one in result if isinstance(result, tuple) else (result,):
        if one.requires_grad:
            one.sum().backward(retain_graph=True)
    return call


# --- written down


@pytest.mark.parametrize("text", ["f32[2,64,768]", "bool[B,S]", "i64[B,S+1]<1000", "bf16[2*S]", "f64[]"])
def test_a_spec_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_spec(text)) == text


@pytest.mark.parametrize("text", ["f33[2]", "f32[2,?]", "f32 2", "tensor[2]", "f32[-1]"])
def test_what_is_no_tensor_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match=r"f32\[2,64,768\]|no size"):
        parse_spec(text)


def test_arguments_are_parted_outside_of_brackets_and_quotes() -> None:
    values = parse_arguments("x=f32[2, 3] size=(7, 7), mode='a, b' flag=True")
    assert values == {"x": Spec("f32", (2, 3)), "size": (7, 7), "mode": "a, b", "flag": True}


def test_a_size_without_a_value_is_named() -> None:
    with pytest.raises(InputError, match="`N` has no value"):
        parse_spec("f32[N]").shape({"B": 2})


def test_tensors_need_a_gradient_and_may_be_written_in_place() -> None:
    (x,), _ = found(models.Block).inputs()
    assert x.requires_grad
    assert not x.is_leaf
    x.add_(1)


def commented(q: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    # inplace-lint: inputs q=f32[3,S,5], scale=2.0
    return q * scale


# inplace-lint: inputs width=12, x=f32[B,12]
class Commented(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def test_a_comment_comes_first() -> None:
    call = found(commented, factories={f"{__name__}:commented": "nowhere:nothing"})
    assert call.source == "comment"
    assert call.description == {"q": "f32[3,64,5]", "scale": "2.0"}
    assert call.at(S=7).description["q"] == "f32[3,7,5]"


def test_a_comment_above_a_class_reaches_its_constructor() -> None:
    call = found(Commented)
    assert (call.source, dict(call.constructor)) == ("comment", {"width": 12})


class Half(nn.Module):
    # inplace-lint: inputs x=f32[B,S,40]
    def __init__(self, dim: int, num_heads: int) -> None:
        super().__init__()
        self.attention = models.Naive(dim, num_heads)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x)


def test_a_comment_that_speaks_of_the_call_alone_is_completed() -> None:
    call = found(Half)
    assert call.source == "comment"
    assert call.template == {"x": "f32[B,S,40]"}
    assert call.constructor["dim"] == 40


@pytest.mark.parametrize(
    ("text", "message"), [("y=f32[2]", "no parameter"), ("x=f99[2]", "no tensor"), ("x", "write it as name=")]
)
def test_a_comment_that_cannot_be_read_is_a_reason(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        given(Commented, text)


@pytest.fixture
def factories(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    module = types.ModuleType("the_factories")
    monkeypatch.setitem(sys.modules, "the_factories", module)
    return module


def test_a_factory_makes_the_module_and_its_arguments(factories: types.ModuleType) -> None:
    def make(S: int = 32) -> Any:
        return models.Naive(24, heads=2), (torch.randn(1, S, 24),)

    factories.make = make
    name = f"{models.Naive.__module__}:Naive"
    call = build(models.Naive, factories={name: "the_factories:make"})
    assert isinstance(call, Call)
    assert call.description == {"x": "f32[1,32,24]"}
    assert call.at(S=8).description == {"x": "f32[1,8,24]"}
    (x,), _ = call.inputs("meta", torch.bfloat16)
    assert (x.device.type, x.dtype) == ("meta", torch.bfloat16)


def test_a_factory_may_give_arguments_by_name(factories: types.ModuleType) -> None:
    factories.make = lambda: {"dim": 24, "heads": 2, "x": torch.randn(1, 8, 24)}
    call = build(models.Naive, factories={f"{models.Naive.__module__}:Naive": "the_factories:make"})
    assert isinstance(call, Call)
    args, kwargs = call.inputs()
    assert (args, set(kwargs)) == ((), {"x"})
    assert call.function()(*args, **kwargs).shape == (1, 8, 24)


def of_a_batch(batch: Any) -> torch.Tensor:
    return batch["x"] * 2


def test_a_dict_that_is_the_one_argument_of_a_function_stays_one(factories: types.ModuleType) -> None:
    factories.make = lambda: {"x": torch.ones(3)}
    call = build(of_a_batch, factories={f"{__name__}:of_a_batch": "the_factories:make"})
    assert isinstance(call, Call)
    args, kwargs = call.inputs()
    assert (len(args), kwargs) == (1, {})


def test_a_factory_that_makes_no_module_is_told_what_to_return(factories: types.ModuleType) -> None:
    factories.make = lambda: torch.ones(3)
    call = build(models.Naive, factories={f"{models.Naive.__module__}:Naive": "the_factories:make"})
    assert isinstance(call, Call)
    with pytest.raises(InputError, match=r"must return \(module, args\), or a dict"):
        call.inputs()


def test_a_factory_that_is_not_there_is_a_reason() -> None:
    name = f"{models.Naive.__module__}:Naive"
    call = build(models.Naive, factories={name: "no_such_module:make"})
    assert isinstance(call, NoInputs)
    assert "no_such_module:make" in call.reason


class Float:
    """As jaxtyping's annotations present themselves: the axes as text, the kinds by name."""

    def __init__(self, axes: str, kinds: list[str]) -> None:
        self.dim_str, self.dtypes = axes, kinds


def annotated(x: Any, index: Any) -> torch.Tensor:
    assert x.shape[1] == index.shape[1]
    assert x.shape[2] == 10
    return x * index[..., None]


annotated.__annotations__ = {"x": Float("b n 10", ["float32"]), "index": Float("b n", ["int64"])}


def test_annotated_axes_of_one_name_have_one_size() -> None:
    call = found(annotated)
    assert call.source == "annotations"
    assert call.description == {"x": "f32[2,64,10]", "index": "i64[2,64]"}


# --- trial


class Channels(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, groups: int = 8) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(groups, in_channels)
        self.conv = nn.Conv2d(in_channels, out_channels, 3, padding=1)

    def forward(self, img: torch.Tensor) -> torch.Tensor:
        return self.conv(self.norm(img))


class Windows(nn.Module):
    """Takes (B, H, W, C), of sides that 7 divides, and says so only by failing."""

    def __init__(self, dim: int, num_heads: int, window: int = 7) -> None:
        super().__init__()
        assert dim % num_heads == 0
        self.window, self.qkv = window, nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, h, w, c = x.shape
        side = self.window
        return self.qkv(x.view(b, h // side, side, w // side, side, c))


class Tokens(nn.Module):
    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocab, 8)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.table(ids)


class Cross(nn.Module):
    """Its memory is optional in the signature and needed all the same."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.q, self.kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)

    def forward(self, x: torch.Tensor, memory: torch.Tensor | None = None) -> torch.Tensor:
        k, v = self.kv(memory).chunk(2, dim=-1)
        return models.attend(self.q(x), k, v)


class Selfless(nn.Module):
    def __init__(this, dim: int) -> None:
        super().__init__()
        this.layer = nn.Linear(dim, dim)

    def forward(this, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return this.layer(x)


class Positions(nn.Module):
    def __init__(self, dim: int, num_patches: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(num_patches, dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.table


@pytest.mark.parametrize(
    ("target", "template"),
    [
        (models.Naive, {"x": "f32[B,S,96]"}),
        (models.Block, {"x": "f32[B,S,96]"}),
        (models.attend, {"q": "f32[B,4,S,16]", "k": "f32[B,4,S,16]", "v": "f32[B,4,S,16]"}),
        (Channels, {"img": "f32[B,96,S,S]"}),
        (Windows, {"x": "f32[B,S,S,96]"}),
        (Tokens, {"ids": "i64[B,S]<10"}),
        (Cross, {"x": "f32[B,S,96]", "memory": "f32[B,S,96]"}),
        (Selfless, {"x": "f32[B,S,96]"}),
        (Positions, {"x": "f32[B,S,96]"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_trial_finds_inputs_and_which_size_can_be_varied(target: Any, template: dict[str, str]) -> None:
    call = found(target)
    assert call.source == "synthesis"
    assert call.template == template
    assert attempt(call.at(S=2 * call.sizes["S"], B=3))[0] is None


class Stubborn(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("no inputs will do")


def product(x: torch.Tensor, w: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return (x @ w).mul(scale.sum(-1, keepdim=True))


def test_what_is_annotated_as_a_tensor_is_one_whatever_its_name() -> None:
    call = build(product)
    assert isinstance(call, Call), call
    args, kwargs = call.inputs()
    assert all(isinstance(one, torch.Tensor) for one in (*args, *kwargs.values()))


def test_where_no_trial_runs_the_reason_is_the_first_error() -> None:
    call = build(Stubborn)
    assert isinstance(call, NoInputs)
    assert "no inputs will do" in call.reason


def test_trials_are_bounded() -> None:
    runs = []

    class Counting(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            runs.append(x.shape)
            raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied (128x64 and {len(runs)}x128)")

    assert isinstance(build(Counting, trials=20), NoInputs)
    assert 0 < len(runs) <= 20


class Wrong(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.sigmoid(x)
        y += 1
        return y


def test_a_hazard_in_backward_is_no_fault_of_the_inputs() -> None:
    assert isinstance(build(Wrong), Call)


class Part(nn.Module):
    """Its constructor takes what nobody can guess."""

    def __init__(self, table: dict[str, int]) -> None:
        super().__init__()
        self.layer = nn.Linear(*table.values())

    def forward(self, x: torch.Tensor, *, scale: float) -> torch.Tensor:
        return self.layer(x) * scale


class Whole(nn.Module):
    def __init__(self, dim: int = 8) -> None:
        super().__init__()
        self.part = Part({"in": dim, "out": 3})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.part(x, scale=0.5)


def test_a_class_that_cannot_be_guessed_is_seen_inside_of_its_parent() -> None:
    call = found(Part)
    assert call.source == "parent"
    assert dict(call.constructor) == {"table": {"in": 8, "out": 3}}
    assert call.description == {"x": "f32[2,64,8]", "scale": "0.5"}


# --- capture


def test_capture_records_what_a_class_was_given_and_makes_it_again(tmp_path: Path) -> None:
    with capturing() as uses:
        Whole(5)(torch.zeros(3, 7, 5))
    write(str(tmp_path / "uses.json"), uses)
    captured = read(str(tmp_path / "uses.json"))
    assert set(captured) == {f"{__name__}:Whole", f"{__name__}:Part"}
    call = found(Part, captured=captured)
    assert (call.source, dict(call.constructor)) == ("capture", {"table": {"in": 5, "out": 3}})
    assert call.template == {"x": "f32[3,S,5]", "scale": "0.5"}
    assert call.sizes["S"] == 7


def test_capture_ends_with_its_block() -> None:
    begin = nn.Module.__init__
    with capturing() as uses:
        pass
    Whole()(torch.zeros(1, 8))
    assert not uses
    assert nn.Module.__init__ is begin


def test_a_capture_is_added_to_an_older_one(tmp_path: Path) -> None:
    filename = str(tmp_path / "uses.json")
    write(filename, {"a:A": []})
    write(filename, {"b:B": []})
    assert set(read(filename)) == {"a:A", "b:B"}


@pytest.mark.parametrize("text", ["", "[]", '{"version": 9, "classes": {}}', '{"version": 1}'])
def test_a_file_that_is_no_capture_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "uses.json").write_text(text)
    with pytest.raises(InputError, match="is no capture file"):
        read(str(tmp_path / "uses.json"))


# --- FILE::NAME


def test_a_file_of_a_package_is_imported_as_the_package_does(tmp_path: Path) -> None:
    package = tmp_path / "pkg_of_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sizes.py").write_text("WIDTH = 8\n")
    (package / "net.py").write_text("from .sizes import WIDTH\ndef net(x):\n    return x * WIDTH\n")
    target = located(str(package / "net.py"), "net")
    assert target.__module__ == "pkg_of_test.net"
    assert target(2) == 16


def test_a_changed_source_is_run_in_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "script_of_test.py").write_text("def f():\n    return 1\n")
    path = str(tmp_path / "script_of_test.py")
    assert located(path, "f")() == 1
    assert located(path, "f", "def f():\n    return 2\n")() == 2


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        ("class A: ...\n", "B", "has no `B`; it has A"),
        ("import no_such_thing\n", "A", "cannot be imported: ModuleNotFoundError"),
        ("raise SystemExit(3)\n", "A", "cannot be imported: SystemExit: 3"),
        ("A = 3\n", "A", "neither a class nor a function"),
        ("def (\n", "A", "cannot be imported: SyntaxError"),
    ],
)
def test_a_target_that_cannot_be_had_is_said_why(
    tmp_path: Path, source: str, name: str, message: str
) -> None:
    path = tmp_path / f"broken_{abs(hash(source))}.py"
    path.write_text(source)
    with pytest.raises(InputError, match=message):
        located(str(path), name)


def far(rows: Any, secret: Any) -> Any:
    total = rows.sum() * 2
    return total * secret.key.of.nobody(rows)


def test_the_reason_is_of_the_trial_that_came_furthest_and_names_what_is_unknown() -> None:
    call = build(far, trials=12)
    assert isinstance(call, NoInputs)
    assert "12 trials found none; the one that came furthest ended with " in call.reason
    assert "in `return total * secret.key.of.nobody(rows)`" in call.reason
    assert "`secret`" in call.reason


def biased(x: Any, bias: Any) -> torch.Tensor:
    scores = x @ x.transpose(-2, -1)
    scores = scores + bias
    return scores.softmax(-1) @ x


def added(x: Any, table: Any, h: Any) -> torch.Tensor:
    return torch.nn.functional.linear(h, x.new_ones(5, h.shape[-1])) + x.sum() + table.sum()


@pytest.mark.parametrize("target", [biased, added])
def test_what_is_added_to_scores_and_what_has_to_be_a_tensor_is_made_so(target: Any) -> None:
    found(target)
