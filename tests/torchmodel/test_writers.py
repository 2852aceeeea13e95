"""What writes tensors under a name that does not say so, and what every module and optimizer has, asked of torch."""

from __future__ import annotations

import operator

import pytest

from inplace_lint.torchmodel import arrays, table, writers

torch = pytest.importorskip("torch")


def test_functions_are_those_that_the_table_says_write_whatever_flags_they_are_given():
    found = set()
    known = table.get()
    for space in ("torch", "torch.nn.functional"):
        for name in known.names(space):
            if name.endswith("_") or name.startswith("_"):
                continue
            for row in known.function(f"{space}.{name}").rows:
                asked = "inplace" in row.condition or "max_norm" in row.condition
                if row.facts(row.params, False).writes and not asked:
                    found.add(name)
    assert found == {
        name for name in writers.FUNCTIONS if known.exists_function(f"torch.nn.functional.{name}")
    }


def test_the_others_are_of_numpy_or_write_parameters():
    rest = {n for n in writers.FUNCTIONS if not table.exists_function(f"torch.nn.functional.{n}")}
    own = ("setitem", *(name for name in dir(operator) if name.startswith("i")))
    assert all(arrays.function_writes(n) or hasattr(torch.nn.utils, n) or n in own for n in rest)
    assert all(arrays.writes(name) or name.strip("_") in own for name in writers.METHODS)


def test_parameters_are_written():
    layer = torch.nn.Linear(2, 2)
    before = layer.weight.detach().clone()
    flat = torch.nn.utils.parameters_to_vector(layer.parameters()).detach()
    torch.nn.utils.vector_to_parameters(flat + 1, layer.parameters())
    assert not torch.equal(before, layer.weight)
    assert torch.nn.utils.convert_parameters.vector_to_parameters is torch.nn.utils.vector_to_parameters


@pytest.mark.parametrize("name", sorted(writers.STEPS))
def test_a_step_writes_parameters(name):
    layer = torch.nn.Linear(2, 2)
    layer(torch.ones(2)).sum().backward()
    version = layer.weight._version
    if name == "step":
        torch.optim.SGD(layer.parameters(), 0.1).step()
    else:
        layer.load_state_dict(torch.nn.Linear(2, 2).state_dict())
    assert layer.weight._version > version


def test_a_mode_says_whether_a_forward_writes_buffers():
    for name in writers.MODES:
        norm = torch.nn.BatchNorm1d(2).eval()
        norm(torch.ones(3, 2))
        before = norm.running_mean.clone()
        getattr(norm, name)()
        norm(torch.ones(3, 2))
        assert not torch.equal(before, norm.running_mean)


def test_names_of_modules_and_optimizers_are_those_of_torch():
    module = torch.nn.Module()
    optimizer = torch.optim.SGD([torch.zeros(1)], 0.1)
    base = {name for name in dir(torch.optim.Optimizer([torch.zeros(1)], {})) if not name.startswith("_")}
    assert set(table.get().names("Module")) == {name for name in dir(module) if not name.startswith("_")}
    assert set(table.get().names("Optimizer")) == base
    assert base <= set(dir(optimizer))
    assert not table.has_module("step")
    assert not table.has_optimizer("parameters")


def test_methods_that_give_the_module_itself_do():
    arguments = {"to": ("cpu",), "apply": (lambda layer: None,), "type": ("torch.FloatTensor",)}
    told = {name for name in table.get().names("Module") if table.gives_itself(name)}
    assert {"to", "train", "eval", "requires_grad_", "apply", "float"} <= told
    assert not {"compile", "zero_grad", "parameters", "register_buffer"} & told
    for name in told - {"cuda", "xpu", "ipu", "mtia", "to_empty"}:
        layer = torch.nn.Linear(2, 2)
        assert getattr(layer, name)(*arguments.get(name, ())) is layer


def test_optimizers_that_call_their_closure_again_are_those_that_do():
    from inplace_lint.torchmodel.writers import SEARCHING

    found = set()
    for name, kind in vars(torch.optim).items():
        if not isinstance(kind, type) or kind is torch.optim.Optimizer:
            continue
        weights = torch.nn.Parameter(torch.ones(2, 2))
        if name == "SparseAdam":
            continue  # takes sparse gradients alone
        optimizer = kind([weights], lr=0.1)
        versions = []

        def closure(optimizer=optimizer, weights=weights, versions=versions):
            versions.append(weights._version)
            optimizer.zero_grad()
            loss = weights.square().sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        if len(versions) > 1:
            assert versions[-1] > versions[0]
            found.add(name)
    assert found == SEARCHING
