"""What NumPy and storage objects do to memory, asked of both."""

from __future__ import annotations

import operator

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


#: What a function is given after its first argument.
MORE = {
    "broadcast_to": ((2, 3),),
    "expand_dims": (0,),
    "flip": (0,),
    "moveaxis": (0, 0),
    "reshape": ((1, 3),),
    "rollaxis": (0,),
    "swapaxes": (0, 0),
    **dict.fromkeys(arrays._FUNCTIONS_SPLIT, (3,)),
    "dsplit": (1,),
    "vsplit": (1,),
    "repeat": (2,),
    "tile": (2,),
    "pad": (1,),
    "roll": (1,),
    "full_like": (7,),
}
#: Functions that are given an array of this many axes.
AXES = {"fliplr": 2, "rot90": 2, "diagonal": 2, "vsplit": 2, "dsplit": 3}
#: ... which are given no array.
FROM_NUMBERS = {
    "zeros": (3,),
    "ones": (3,),
    "empty": (3,),
    "full": (3, 7),
    "arange": (3,),
    "linspace": (0, 1),
    "eye": (3,),
    "random.rand": (3,),
    "random.randn": (3,),
    "random.random": (3,),
    "random.normal": (0, 1, 3),
    "random.uniform": (0, 1, 3),
}


def function(name):
    return operator.attrgetter(name)(numpy)


@pytest.mark.parametrize("name", sorted(arrays._FUNCTIONS_LOOK - {"from_dlpack", "frombuffer", "imag"}))
def test_function_that_looks_shares_memory(name):
    given = array().reshape((1,) * (AXES.get(name, 1) - 1) + (3,))
    assert numpy.shares_memory(function(name)(given, *MORE.get(name, ())), given)


@pytest.mark.parametrize("name", sorted(arrays._FUNCTIONS_SPLIT))
def test_function_that_splits_gives_several_looks(name):
    given = array().reshape((1,) * (AXES.get(name, 1) - 1) + (3,))
    parts = function(name)(given, *MORE[name])
    assert isinstance(parts, list)
    assert all(numpy.shares_memory(part, given) for part in parts)


@pytest.mark.parametrize("name", sorted(arrays._FUNCTIONS_MAKE - {"load", "fromfile", "memmap"}))
def test_function_that_makes_gives_an_array_of_its_own(name):
    given = array()
    several = name.endswith("stack") or name == "concatenate"
    args = FROM_NUMBERS.get(name, ([given, given] if several else given, *MORE.get(name, ())))
    made = function(name)(*args)
    for one in made if isinstance(made, (list, tuple)) else [made]:
        assert isinstance(one, numpy.ndarray)
        assert not numpy.shares_memory(one, given)


@pytest.mark.parametrize("name", sorted(arrays._FUNCTIONS_READ))
def test_function_that_reads_shares_nothing(name):
    given = numpy.array([[1, 0], [0, 1]]) if name == "trace" else numpy.array([2, 1, 3])
    of_two = {"allclose", "array_equal", "cross", "inner", "isclose", "outer", "searchsorted"}
    more = (50,) if name == "percentile" else (0.5,) if name == "quantile" else ()
    made = function(name)(*([given, given] if name in of_two else [given]), *more)
    for one in made if isinstance(made, tuple) else [made]:
        assert not isinstance(one, numpy.ndarray) or not numpy.shares_memory(one, given)


@pytest.mark.parametrize("name", sorted(arrays._OF_ONE | arrays._OF_TWO))
def test_elementwise_function_makes_an_array_or_writes_the_one_behind_its_operands(name):
    whole = {"invert", "bitwise_and", "bitwise_or", "bitwise_xor"}
    given = array().astype(int) if name in whole else array() / 4
    place = arrays.place_of_out(name)
    made = function(name)(*[given] * place)
    assert arrays.function_maps(name)
    assert not numpy.shares_memory(made, given)
    out = numpy.zeros_like(made)
    assert function(name)(*[given] * place, out) is out
    if name == "matmul":
        return  # of two rows it makes a number
    assert isinstance(made, numpy.ndarray)
    assert type(function(name)(*[given[0]] * place)) is not numpy.ndarray


def test_clip_takes_what_it_writes_behind_its_bounds():
    out = numpy.zeros(3)
    assert numpy.clip(numpy.ones(3), 0, 2, out) is out
    assert arrays.place_of_out("clip") == 3


@pytest.mark.parametrize("name", sorted(arrays._MAKES - {"choose", "compress"}))
def test_method_that_makes_gives_an_array_of_its_own(name):
    more = {"astype": ("float64",), "repeat": (2,), "clip": (0, 1), "take": ([0],), "dot": (numpy.eye(3),)}
    more.update({f"__{sign}__": (1,) for sign in ("add", "sub", "mul", "truediv")})
    given = array()
    made = getattr(given, name)(*more.get(name, ()))
    assert isinstance(made, numpy.ndarray)
    assert not numpy.shares_memory(made, given)


@pytest.mark.parametrize("name", sorted(arrays._MOVES & (arrays._FUNCTIONS_LOOK | {"T"})))
def test_elements_that_a_look_has_moved_are_copied_to_stand_in_a_row(name):
    given = numpy.arange(12.0).reshape(3, 4)
    more = {"swapaxes": (0, 1), "moveaxis": (0, 1), "rollaxis": (1,), "broadcast_to": ((2, 3, 4),)}
    moved = given.T if name == "T" else function(name)(given, *more.get(name, ()))
    if name not in ("real", "imag"):
        assert not numpy.shares_memory(moved.ravel(), given)
    assert numpy.shares_memory(given.ravel(), given)
    assert arrays.keeps_if_ordered("ravel")


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


def test_an_array_from_a_buffer_shares_its_memory():
    given = numpy.ones(3)
    assert arrays.function_looks("frombuffer")
    assert numpy.shares_memory(numpy.frombuffer(given), given)
