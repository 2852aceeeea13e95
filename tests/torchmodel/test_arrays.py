"""What NumPy and storage objects do to memory, asked of both."""

from __future__ import annotations

import pytest

from inplace_lint.torchmodel import arrays, layout, table

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")

WRITES = {
    "fill": lambda a: a.fill(7),
    "sort": lambda a: a.sort(),
    "partition": lambda a: a.partition(1),
    "put": lambda a: a.put([0], [7]),
    "setfield": lambda a: a.setfield(7, a.dtype),
}
FUNCTIONS_WRITE = {
    "copyto": lambda a: numpy.copyto(a, 7),
    "put": lambda a: numpy.put(a, [0], [7]),
    "place": lambda a: numpy.place(a, a > 0, [7]),
    "putmask": lambda a: numpy.putmask(a, a > 0, [7]),
    "fill_diagonal": lambda a: numpy.fill_diagonal(a.reshape(3, 1), 7),
    "put_along_axis": lambda a: numpy.put_along_axis(a, numpy.array([0]), 7, 0),
    "add.at": lambda a: numpy.add.at(a, [0], 7),
    "subtract.at": lambda a: numpy.subtract.at(a, [0], 7),
}
LOOKS = {"reshape": (-1,), "view": (), "swapaxes": (0, 0), "diagonal": ()}


def array():
    return numpy.array([3.0, 2.0, 1.0], dtype=numpy.float32)


@pytest.mark.parametrize("name", WRITES)
def test_method_writes_the_array_and_what_shares_its_memory(name):
    written = array()
    tensor = torch.from_numpy(written)
    WRITES[name](written)
    assert arrays.writes(name)
    assert tensor.tolist() != array().tolist()
    assert tensor._version == 0


@pytest.mark.parametrize("name", FUNCTIONS_WRITE)
def test_function_writes_its_first_argument(name):
    written = array()
    FUNCTIONS_WRITE[name](written)
    assert arrays.function_writes(name) == 1
    assert written.tolist() != array().tolist()


def test_functions_that_look_share_memory_and_those_that_make_do_not():
    for name in arrays._FUNCTIONS_LOOK:
        if name in ("broadcast_to", "swapaxes", "moveaxis", "rollaxis", "reshape", "expand_dims"):
            continue  # they need more arguments, and are views by NumPy's own words
        given = array()
        result = torch.rand(3) if name == "from_dlpack" else getattr(numpy, name)(given)
        assert name == "from_dlpack" or numpy.shares_memory(result, given), name
    for name in ("array", "copy", "zeros_like", "ones_like", "empty_like"):
        given = array()
        assert not numpy.shares_memory(getattr(numpy, name)(given), given)
        assert arrays.function_makes(name)


@pytest.mark.parametrize("name", sorted(arrays._LOOKS))
def test_method_that_looks_shares_memory(name):
    given = array().reshape(1, 3) if name == "diagonal" else array()
    assert numpy.shares_memory(getattr(given, name)(*LOOKS.get(name, ())), given)


def test_sum_and_plain_numbers_look_at_nothing():
    assert not arrays.looks("sum")
    assert not arrays.writes("sum")
    assert not arrays.is_part("size")


@pytest.mark.filterwarnings("ignore:TypedStorage")
@pytest.mark.parametrize("name", sorted(layout.EXPOSES))
def test_what_exposes_memory_writes_past_the_counter(name):
    x = torch.rand(3)
    exposed = getattr(x, name)()
    op = table.method(name)
    assert op is None or layout.layout_of(op.rows[0].key).exposes_memory == layout.EXPOSES[name]
    if name == "__dlpack__":
        torch.from_dlpack(exposed).zero_()
    elif name in ("numpy", "__array__"):
        exposed[:] = 0
    else:
        exposed.fill_(0)
    assert not x.any()
    assert x._version == 0


@pytest.mark.parametrize("name", ["BatchNorm1d", "BatchNorm2d", "SyncBatchNorm", "LayerNorm", "GroupNorm"])
def test_statistics_are_written_uncounted_by_the_modules_that_keep_some(name):
    module = getattr(torch.nn, name)(*((2, 4) if name == "GroupNorm" else (4,)))
    keeps = getattr(module, "running_mean", None) is not None
    assert layout.keeps_statistics(f"torch.nn.{name}") == keeps
    if keeps and name != "SyncBatchNorm":
        before, version = module.running_mean.clone(), module.running_mean._version
        module(torch.rand(8, 4, 2, 2) if name == "BatchNorm2d" else torch.rand(8, 4))
        assert not torch.equal(module.running_mean, before)
        assert module.running_mean._version == version
