"""Programs of the catalogue with random changes that nobody would foresee: a fix must still be the same function.

A change may be anything that leaves a program: a name bound anew, a write in place, a statement moved, repeated or
put under a condition, another constant, operator, operand or axis, an attribute set between two products. Most then
compute something else than attention, or fail, which is left out; of the others each fix is run beside the original.
"""

from __future__ import annotations

import ast
import contextlib
import random

_STATEMENTS = (
    "{t} = {t} * 2",
    "{t} = {t} + 1",
    "{t} *= 2",
    "{t} /= 2",
    "{t} += 1",
    "{t} += {u}",
    "{t} = {t} + {u}",
    "{t}.mul_(0.5)",
    "{t}.add_(0.1)",
    "{t}.sub_({u})",
    "{t}.copy_({u})",
    "{t}.logical_not_()",
    "{t} = ~{t}",
    "{t} = -{t}",
    "{t} = {t}.clone()",
    "{t} = {t}.detach()",
    "{t} = {t}.contiguous()",
    "{t} = {t}.flip(-1)",
    "{t} = {t}.flip(-2)",
    "{t} = {t}.transpose(-2, -1)",
    "{t} = {t}.transpose(1, 2)",
    "{t} = {t}.unsqueeze(0)",
    "{t} = {t}[..., :1]",
    "{t} = {t}[:, :1]",
    "{t} = {t}[:1]",
    "{t} = {t}.mean(1, keepdim=True)",
    "{t} = {t}.mean(0)",
    "{t} = {t}.float().double()",
    "{t}[..., 0] = 0",
    "{t}[:, :1] = 0.5",
    "{t}[0].zero_()",
    "{t}.view(-1)[0] = 3",
    "{t}.squeeze_()",
    "{t}.transpose_(-2, -1)",
    "{t}.t_()",
    "{t}.data.mul_(2)",
    "{t}.requires_grad_(False)",
    "{t} = {u}",
    "{u} = {t}",
    "{t}, {u} = {u}, {t}",
    "other = {t}\nother.mul_(2)",
    "other = {t}.view(-1)\nother.add_(1)",
    "self.last = {t}",
    "self.last = {t}.detach()",
    "self.{a} = {t}",
    "self.scale = 0.7",
    "self.scale *= 2",
    "self.scale = self.scale + 0.1",
    "self.rate = 0.5",
    "self.drop.p = 0.5",
    "self.drop.eval()",
    "self.eval()",
    "self.drop = nn.Dropout(0.9)",
    "self.attend.dim = -2",
    "self.attend = nn.Softmax(-2)",
    "setattr(self, 'scale', 0.9)",
    "print({t}.shape)",
    "print({t}.sum())",
    "assert {t}.ndim",
    "x = x + {t}.mean()",
    "x = x * 2",
    "y = x",
    "n = n + 0",
    "n = 3",
    "c = 24",
    "b, n = n, b",
    "mask = None",
    "mask = mask.clone()",
    "mask = mask & (mask.cumsum(-1) < 4)",
    "mask = mask[:, 0]",
    "mask = mask[0, 0]",
    "mask = mask.to(x.dtype)",
    "mask = mask.expand(b, 3, -1, -1)",
    "global F",
    "torch.manual_seed(0)",
    "torch.rand(3)",
    "if n > 100:\n    return x",
    "if n > 3:\n    {t} = {t} * 2",
    "if self.training:\n    {t} = {t} * 2",
    "if mask is not None:\n    {t} = {t} + 1",
    "for {t} in ({t}, {u}):\n    pass",
    "for _ in range(2):\n    {t} = {t} * 1.5",
    "with torch.no_grad():\n    {t}.mul_(2)",
    "with torch.no_grad():\n    {t} = {t} * 2",
    "def inner():\n    {t}.mul_(2)\ninner()",
    "def inner():\n    nonlocal {t}\n    {t} = {t} * 2\ninner()",
    "{t} = (lambda a: a * 2)({t})",
    "[{t} := {t} * 2]",
    "del {t}",
    "{t} = [{t}, {u}][0]",
    "{t} = max([{t}, {u}], key=lambda a: a.numel())",
    "locals()['{t}'].mul_(2)",
    "{t} = F.dropout({t}, 0.5, self.training)",
    "{t} = {t}.masked_fill({t} < 0, 0.0)",
    "{t}.masked_fill_({t} < -1, -5.0)",
    "{t}.clamp_(min=-1)",
    "torch.mul({t}, 2, out={t})",
    "F.relu({t}, inplace=True)",
    "{t}.set_({u})",
    "{t} = torch.softmax({t}, -1)",
    "out = {t}",
)
_WRAPS = (
    "if self.training:\n    pass",
    "if n > 3:\n    pass",
    "if n > 100:\n    pass",
    "if mask is not None:\n    pass",
    "if mask is None:\n    pass",
    "if not self.training:\n    pass\nelse:\n    pass",
    "for _ in range(2):\n    pass",
    "for n in (n, n):\n    pass",
    "while True:\n    pass\n    break",
    "with torch.no_grad():\n    pass",
    "with torch.enable_grad():\n    pass",
    "try:\n    pass\nfinally:\n    b = b",
    "try:\n    pass\nexcept ValueError:\n    raise",
)
_IN_INIT = (
    "if rate > 0.1:\n    self.scale = 3.0",
    "if rate > 0.1:\n    self.drop = nn.Identity()",
    "self.scale = nn.Parameter(torch.tensor(0.5))",
    "self.scale = torch.full((3, 1, 1), 0.5)",
    "self.scale = -0.3",
    "self.scale = 0",
    "self.scale = True",
    "self.scale = lambda: 0",
    "self.attend = nn.Softmax(dim=-2)",
    "self.attend = nn.Softmax(dim=1)",
    "self.attend = nn.Softplus()",
    "self.drop = nn.Dropout(0.0)",
    "self.drop = nn.Dropout2d(0.3)",
    "self.drop = nn.AlphaDropout(0.3)",
    "self.drop = nn.Identity()",
    "self.rate = 0",
    "self.seen = self.seen.flip(-1)",
    "self.seen[..., 0] = 0",
    "self.seen = torch.ones(1, 1, 16, 16)",
    "self.register_buffer('seen', torch.triu(torch.ones(16, 16)).view(1, 1, 16, 16))",
    "self.bias = nn.Parameter(torch.randn(1, 1, 16, 16))",
    "self.temperature = nn.Parameter(torch.ones(3, 6, 1))",
    "self.temperature = nn.Parameter(torch.ones(1))",
    "self.gain = nn.Parameter(torch.rand(6))",
    "self.gain = 0.4",
    "self._split = lambda t: t.view(2, -1, 3, 8).transpose(1, 2)",
    "self.k = self.q",
    "self.q = nn.Sequential(nn.Linear(24, 24), nn.Dropout(0.2))",
    "self.v = nn.Identity()",
)
_ATTRIBUTES = ("scale", "rate", "gain", "temperature", "bias", "seen", "drop")


def mutated(source: str, rng: random.Random, most: int = 3) -> str:
    """The program with one to `most` changes; it may not run."""
    tree = ast.parse(source)
    cls = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    methods = [node for node in cls.body if isinstance(node, ast.FunctionDef)]
    for _ in range(rng.randint(1, most)):
        change = rng.choice(_CHANGES)
        change(cls, methods, rng)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _bodies(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    return [
        body
        for node in ast.walk(function)
        for field in ("body", "orelse", "finalbody")
        if isinstance(body := getattr(node, field, None), list) and body
    ]


def _place(methods: list[ast.FunctionDef], rng: random.Random) -> tuple[list[ast.stmt], int, list[str]]:
    """A block, a place in it, and names of the function around it."""
    function = rng.choice([m for m in methods if m.name != "__init__"])
    body = rng.choice(_bodies(function))
    names = sorted(
        {
            n.id
            for n in ast.walk(function)
            if isinstance(n, ast.Name) and n.id not in ("self", "torch", "F", "math")
        }
        | {a.arg for a in function.args.args if a.arg != "self"}
    )
    return body, rng.randrange(len(body)), names or ["x"]


def _insert(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    body, place, names = _place(methods, rng)
    text = rng.choice(_STATEMENTS).format(t=rng.choice(names), u=rng.choice(names), a=rng.choice(_ATTRIBUTES))
    with contextlib.suppress(SyntaxError):
        body[place:place] = ast.parse(text).body


def _in_init(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    methods[0].body += ast.parse(rng.choice(_IN_INIT)).body


def _wrap(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    body, place, _ = _place(methods, rng)
    outer = ast.parse(rng.choice(_WRAPS)).body[0]
    end = min(len(body), place + rng.randint(1, 3))
    inner = outer.orelse if getattr(outer, "orelse", None) else outer.body
    inner[:1] = body[place:end]
    body[place:end] = [outer]


def _swap(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    body, place, _ = _place(methods, rng)
    other = rng.randrange(len(body))
    body[place], body[other] = body[other], body[place]


def _drop(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    body, place, _ = _place(methods, rng)
    if len(body) > 1:
        del body[place]


def _repeat(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    body, place, _ = _place(methods, rng)
    body.insert(rng.randrange(len(body)), ast.parse(ast.unparse(body[place])).body[0])


def _constant(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    nodes = [n for m in methods for n in ast.walk(m) if isinstance(n, ast.Constant) and n.value is not None]
    node = rng.choice(nodes)
    value = node.value
    if isinstance(value, bool):
        node.value = not value
    elif isinstance(value, int):
        node.value = rng.choice([-3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 24])
    elif isinstance(value, float):
        node.value = value * rng.choice([-1, 0, 0.5, 2])
    elif isinstance(value, str) and "," in value:
        letters = [i for i, one in enumerate(value) if one.isalpha()]
        i, j = rng.choice(letters), rng.choice(letters)
        made = list(value)
        made[i], made[j] = made[j], made[i]
        node.value = "".join(made)
    elif value == "-inf":
        node.value = rng.choice(["inf", "-inf", "-1e9", "-1e4", "-10", "nan"])


def _operand(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    function = rng.choice([m for m in methods if m.name != "__init__"])
    loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    names = [n.id for n in loads if n.id not in ("torch", "F", "math")]
    if names:
        rng.choice(loads).id = rng.choice(names)


def _operator(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    nodes = [
        n
        for m in methods
        for n in ast.walk(m)
        if isinstance(n, (ast.BinOp, ast.AugAssign, ast.Compare, ast.UnaryOp, ast.Call))
    ]
    node = rng.choice(nodes)
    if isinstance(node, ast.BinOp) and rng.random() < 0.3:
        node.left, node.right = node.right, node.left
    elif isinstance(node, (ast.BinOp, ast.AugAssign)):
        node.op = rng.choice([ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult])()
    elif isinstance(node, ast.Compare):
        node.ops = [rng.choice([ast.Eq, ast.NotEq, ast.Lt, ast.Gt])()]
    elif isinstance(node, ast.UnaryOp):
        node.op = rng.choice([ast.USub, ast.UAdd, ast.Invert])()
    elif isinstance(node, ast.Call) and (node.args or node.keywords):
        which = rng.randrange(3)
        if which == 0 and node.keywords:
            del node.keywords[rng.randrange(len(node.keywords))]
        elif which == 1 and len(node.args) > 1:
            rng.shuffle(node.args)
        elif isinstance(node.func, ast.Attribute):
            node.func.attr = rng.choice(
                "transpose reshape view softmax masked_fill masked_fill_ flatten clone matmul bmm sum amax exp max "
                "mul add mT t squeeze permute log_softmax sigmoid mul_ tril triu".split()
            )


def _default(cls: ast.ClassDef, methods: list[ast.FunctionDef], rng: random.Random) -> None:
    """A method becomes a static or class method, a property, or decorated."""
    function = rng.choice([m for m in methods if m.name != "__init__"])
    function.decorator_list.append(
        ast.parse(rng.choice(["torch.no_grad()", "torch.jit.ignore", "staticmethod", "torch.enable_grad()"]))
        .body[0]
        .value
    )


_CHANGES = [
    *([_insert] * 8), *([_wrap] * 3), _swap, _swap, _drop, _repeat, *([_constant] * 3), *([_operand] * 3),
    *([_operator] * 4), *([_in_init] * 2), _default,
]  # fmt: skip
