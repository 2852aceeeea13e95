"""How axes follow from axes: what the analysis says of an expression, and what torch makes of it."""

from __future__ import annotations

import pytest

from inplace_lint.interp.program import Program
from inplace_lint.interp.values import Tensor
from inplace_lint.project import Project
from inplace_lint.schedule import analyze
from inplace_lint.torchmodel import shapes

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

HEADER = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
GIVEN = {
    "v": "torch.rand(4)",
    "x": "torch.rand(2, 4)",
    "m": "torch.rand(4, 3)",
    "b": "torch.rand(5, 2, 4)",
    "c": "torch.rand(5, 4, 3)",
    "i": "torch.randint(0, 2, (3,))",
}
#: Expressions of whose values all sizes are known, or with `?` not all.
EXPRESSIONS = """
    F.hardswish(x)  F.softmax(b,-1)  F.layer_norm(x,(4,))  b.cumsum(0)  x.sort(-1).values  torch.tril(x)  x.flip(0)
    nn.GELU()(b)  nn.LayerNorm(4)(b)  torch.zeros_like(b)  x.float()  x.double()  x+v  x*b  b+2  torch.where(x>0,x,v)
    torch.maximum(x,v)  torch.max(x,v)  x.max()  torch.max(x,dim=-1)[0]  x.sum()  b.sum(-1)  b.mean((0,2))
    b.amax(1,keepdim=True)  x.norm()  x.norm(dim=-1)  x.std(-1)  torch.logsumexp(b,dim=0)  b.argmax(1)  b.any()
    F.mse_loss(x,x)  F.cross_entropy(x,i[:2])  torch.dot(v,v)  x.mm(m)
    torch.addmm(x@m,x,m)  b.bmm(c)  torch.baddbmm(b@c,b,c)  x@m  v@m  x@v  v@v  b@m  x@c  b@c  F.linear(x,m.t())
    F.linear(b,v)  nn.Linear(4,7)(b)?  F.bilinear(x,x,torch.rand(3,4,4))  torch.cdist(b,b)  torch.outer(v,v)
    torch.cat([x,x])?  torch.stack([x,x])?  torch.stack((b,b),dim=-1)?  F.embedding(i,m)?  nn.Embedding(4,2)(i)?
    torch.embedding(m,i)?  torch.einsum("ij,jk->ik",x,m)  torch.einsum("...i,ij->...j",b,m)
    b.topk(2,-1)[0]?  F.conv1d(b,torch.rand(3,2,1))?  b.transpose(0,-1)  b.mT  x.t()  x.T  b.permute(2,0,1)?  b[0]
    b[-1,0]  b[1:]  b[1:4:2,:,0]  b[...,1:]  b[None]  b[:,None]  b[...]  b[i]  x[:,i[:1]]  x[x>0]?  b[:,x>0]?
    b.select(1,0)  b.narrow(0,1,2)  b.chunk(2)[0]?  b.unbind(1)[0]  b.unsqueeze(-1)  b.unsqueeze(1)  b.diagonal()?
    b.view(10,4)  b.view(-1,4)?  b.reshape(5,8)  b.flatten()?  v.expand(3,-1)?  v.expand(3,4)  v.view_as(v)
    v.expand_as(b)  x.t_()  x.unsqueeze_(0)
""".split()


def sizes_of(expression: str) -> tuple[int | None, ...] | None:
    """What the analysis says of the shape of an expression."""
    body = "".join(f"    {name} = {value}\n" for name, value in GIVEN.items())
    project = Project()
    program = Program(project)
    module = program.files.read("shapes.py", f"{HEADER}def f():\n{body}    return {expression}\n".encode())
    run = analyze.run_function(program, module.functions["f"])
    found = {tensor.sizes for _, tensor in run.root.returned}
    assert len(found) == 1
    assert all(isinstance(tensor, Tensor) for _, tensor in run.root.returned)
    return found.pop()


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_shape_is_the_one_that_torch_gives(text):
    torch.manual_seed(0)
    expression = text.removesuffix("?")
    names = {"torch": torch, "F": F, "nn": nn}
    names |= {name: eval(value, names) for name, value in GIVEN.items()}
    shape = tuple(eval(expression, names).shape)
    found = sizes_of(expression)
    assert found is not None
    assert len(found) == len(shape)
    assert all(size in (None, length) for size, length in zip(found, shape, strict=True))
    assert text.endswith("?") == (None in found)


def test_shape_of_an_argument_is_not_known():
    program = Program(Project())
    module = program.files.read("shapes.py", b"import torch\ndef f(x):\n    return torch.exp(x)\n")
    run = analyze.run_function(program, module.functions["f"])
    assert [tensor.sizes for _, tensor in run.root.returned] == [None]


@pytest.mark.parametrize(
    "name",
    sorted(name for name in shapes.names("same") if hasattr(torch.Tensor, name) and not hasattr(nn, name)),
)
def test_op_keeps_the_shape(name):
    x, i = torch.rand(4, 4), torch.tensor([0, 1, 2, 3])
    rows = i.expand(4, 4)
    arguments = {
        "softmax": (-1,),
        "log_softmax": (-1,),
        "cumsum": (0,),
        "cumprod": (0,),
        "logcumsumexp": (0,),
        "cummax": (0,),
        "cummin": (0,),
        "flip": (0,),
        "roll": (1,),
        "index_add": (0, i, x),
        "index_fill": (0, i, 0.5),
        "index_copy": (0, i, x),
        "scatter": (1, rows, x),
        "scatter_add": (1, rows, x),
        "scatter_reduce": (1, rows, x, "sum"),
        "index_put": ((i,), x),
        "masked_scatter": (x > 0.5, x),
        "prelu": (torch.rand(1),),
        "renorm": (2, 0, 1.0),
        "to": (torch.float64,),
        "type_as": (x.double(),),
    }.get(name, ())
    if name == "cuda":
        pytest.skip("needs a GPU")
    made = getattr(x, name)(*arguments)
    assert all(each.shape == x.shape for each in (made if isinstance(made, tuple) else (made,)))
