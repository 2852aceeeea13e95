"""A fix is safe only where the memory of the tensor went nowhere that the analysis does not follow.

Torch says what shares memory: each expression of `h` is computed, and `h` is written behind it.
"""

from __future__ import annotations

import builtins
import importlib
import warnings

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.interp.holding import _FOLLOWED, _TOLD
from inplace_lint.project import Settings

torch = pytest.importorskip("torch")

PROGRAM = """import copy, ctypes, functools, heapq, itertools, math, operator, pickle, random, weakref
from collections import deque
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Sub(torch.Tensor):
    pass


class Box:
    pass


def f(x):
    h = torch.sigmoid(x)
    seen = {form}
    h += 1
    return h, seen


x = torch.linspace(-1, 2, 4, requires_grad=True)
"""

#: Share the memory of `h`, by ways that no run follows.
SHARED = (
    "torch.Tensor(h.detach())",
    "torch.FloatTensor(h.data)",
    "torch.Tensor(h.detach().numpy())",
    "h.new(h.data)",
    "torch.zeros(4).set_(h.detach())",
    "torch.Tensor.set_(torch.zeros(4), h.detach())",
    "torch.Tensor._make_subclass(Sub, h.detach())",
    "torch.frombuffer(memoryview(h.detach().numpy()), dtype=torch.float32)",
    "np.frombuffer(h.detach().numpy(), dtype=np.float32)",
    "np.ndarray((4,), buffer=h.detach().numpy(), dtype=np.float32)",
    "np.lib.stride_tricks.as_strided(h.detach().numpy(), (4,), (4,))",
    "np.asarray(memoryview(h.detach().numpy()))",
    "nn.Parameter(h.detach())",
    "nn.utils.vector_to_parameters(h, [layer := nn.Parameter(torch.zeros(4))]) or layer.data",
    "nn.Linear(1, 1, bias=False).load_state_dict({'weight': h.detach()[:1, None]}, assign=True)",
    "setattr(torch.zeros(4), 'data', h.detach())",
    "torch.utils.data.TensorDataset(h.detach())",
    "torch.distributions.Categorical(logits=h)",
    "torch.sparse_coo_tensor(torch.tensor([[0, 1, 2, 3]]), h)",
    "torch.func.functional_call(nn.ReLU(), {}, (h,))",
    "functools.lru_cache(maxsize=None)(lambda: h)()",
    "weakref.ref(h)",
    "id(h)",
    "hash(h)",
    "h.data_ptr()",
    "h.untyped_storage()",
    "h._version",
    "copy.copy(h.detach())",
    "copy.copy([h])[0]",
    "random.choice([h, x])",
    "heapq.nlargest(1, [h], key=torch.sum)[0]",
    "dict(a=h).popitem()",
    "next(iter([h]))",
    "[*map(lambda t: t, [h])][0]",
    "(lambda t=h: t)()",
    "max([h, h - 1], key=torch.sum)",
    "list(zip([h], [x]))[0]",
    "sum([[h]], [])",
    "h[...]",
    "h.contiguous()",
    "h.requires_grad_()",
    "torch.atleast_1d(h)",
    "torch.broadcast_tensors(h, x)[0]",
    "torch.nn.Identity()(h)",
    "torch.nn.Dropout(0.0)(h)",
    "torch.nn.functional.dropout(h, 0.5, training=False)",
    "torch.nn.utils.rnn.pad_sequence([h]).view(4)[None][0] is not None and h",
    "h.real",
    "h.to('cpu')",
    "h.float()",
    "torch.as_tensor(h)",
    "torch.func.vmap(lambda t: t)(h[None])[0]",
    "torch.utils._pytree.tree_map(lambda t: t, [h])[0]",
    "operator.itemgetter(0)([h])",
    "functools.reduce(lambda a, b: b, [x, h])",
    "itertools.chain([h]).__next__()",
    "deque([h], maxlen=1)[0]",
    "torch.where(x > 0, x, h) is None or h",
    "h.grad_fn._saved_result",
    "h.retain_grad()",
    "h.register_hook(print)",
    "{h: 1}",
    "Exception(h)",
)

#: Read `h`, copy it, or are followed.
READ = (
    "None",
    "h.shape",
    "len(h)",
    "isinstance(h, torch.Tensor)",
    "str(h)",
    "f'{h.mean():.3f}'",
    "float(h.sum())",
    "h.sum().item()",
    "h.detach().clone()",
    "h.tolist()",
    "h.detach().numpy().copy()",
    "np.array(h.detach().numpy())",
    "np.sum(h.detach().numpy())",
    "torch.tensor(h.tolist())",
    "torch.stack([h, h])",
    "torch.cat([h] * 2)",
    "copy.deepcopy(h.detach())",
    "print(h.shape, h.dtype)",
    "math.sqrt(h.sum().item())",
    "F.one_hot(h.argmax(), 4)",
    "sum(list(h))",
    "max(float(v) for v in h)",
    "operator.add(h, 1)",
    "h.requires_grad",
    "(h > 0).any()",
    "torch.equal(h, h)",
)


def is_safe(form: str) -> bool:
    text = PROGRAM.replace("{form}", form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            names: dict[str, object] = {}
            exec(text + "f(x)\n", names)  # the program is right, all but for its backward
        except RuntimeError:
            assert "load_state_dict" in form
    found = [
        one for one in everything("program.py", text.encode(), Settings()) if one.code.startswith("IPL1")
    ]
    assert found
    return any(one.plan is not None and one.plan.applicability == "safe" for one in found)


@pytest.mark.parametrize("form", SHARED)
def test_no_fix_is_safe_where_something_may_keep_the_tensor(form: str) -> None:
    assert not is_safe(form)


@pytest.mark.parametrize("form", READ)
def test_a_fix_is_safe_where_the_tensor_is_only_read(form: str) -> None:
    assert is_safe(form)


@pytest.mark.parametrize("name", sorted(_TOLD))
def test_what_tells_of_a_tensor_is_named_so_in_torch(name: str) -> None:
    assert hasattr(torch.Tensor, name) or hasattr(torch, name)


@pytest.mark.parametrize("module", sorted(set(_FOLLOWED) - {"einops"}))
def test_what_is_followed_exists(module: str) -> None:
    owner = builtins if module == "builtins" else importlib.import_module(module)
    for name in _FOLLOWED[module].split():
        found: object = owner
        for part in name.split("."):
            if not hasattr(found, part):
                found = importlib.import_module(f"{getattr(found, '__name__', module)}.{part}")
            else:
                found = getattr(found, part)
