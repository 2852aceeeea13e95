"""Hazards of modules that a registry, a factory or a computed name has chosen (see `forms`)."""

_NET = """
    class Net(nn.Module):
        def __init__(self, {parameters}):
            super().__init__()
            self.fc = nn.Linear(4, 4)
            {build}

        def forward(self, x):
            x = {call}
            x += 1  # bad: IPL101
            x = x + 1  # good
            return x

    {registry}

    {make}(a).sum().backward()
"""


def _program(
    build: str, call: str = "self.act(self.fc(x))", parameters: str = "act='ReLU'", **more: str
) -> str:
    given = {"registry": "", "make": "Net()", **more}
    return _NET.format(build=build, call=call, parameters=parameters, **given)


PROGRAMS = {
    "a module of a name that is an argument": _program("self.act = getattr(nn, act)()"),
    "a function of a name that is an argument": _program(
        "self.act = getattr(F, act.lower())", parameters="act='Sigmoid'"
    ),
    "a dict of modules": _program("self.act = dict(ReLU=nn.ReLU(), Tanh=nn.Tanh(), Id=nn.Identity())[act]"),
    "a registry of more names than are told apart": _program(
        "self.act = LAYERS[act]()",
        registry="LAYERS = dict(ReLU=nn.ReLU, b=nn.GELU, c=nn.SiLU, d=nn.ELU, e=nn.CELU, f=nn.Mish, "
        "g=nn.Softplus, h=nn.Softsign, i=nn.Identity)",
    ),
    "a class that is an argument, given by default": _program(
        "self.act = act()", parameters="act: type[nn.Module] = nn.Tanh"
    ),
    "a class among several that are built where none are given": _program(
        "if layers is None:\n                layers = [nn.Sigmoid, nn.GELU]\n            act = layers[0]\n"
        "            self.act = act()",
        parameters="layers: list | None = None",
    ),
    "a function that returns the class": _program(
        "self.act = layer_of(act)()",
        registry="""
    def layer_of(name):
        if name is None:
            return nn.Identity
        if not isinstance(name, str):
            return name
        return getattr(nn, name)
        """,
    ),
    "layers that are registered under computed names": _program(
        "for i in range(3):\n                self.add_module(f'act{i}', nn.Sigmoid())",
        call="self.act1(self.fc(x))",
        parameters="depth=3",
    ),
    "layers that are set and taken under computed names": _program(
        "for i in range(3):\n                setattr(self, f'act{i}', nn.Sigmoid())",
        call="getattr(self, f'act{len(x.shape)}')(self.fc(x))",
        parameters="depth=3",
    ),
    "options that a factory takes out of its keywords": """
        class Same(nn.Linear):
            pass

        def layer_of(size, **options):
            wide = options.pop("wide", False)
            size = 2 * size if wide else options.pop("out", size)
            if "experts" in options and options["experts"] > 1:
                return nn.Identity()
            same = options.pop("same", False)
            return Same(4, size, **options) if same else nn.Linear(4, size, **options)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.LayerNorm(4)
                self.fc = layer_of(4, out=3, bias=False)

            def forward(self, x):
                x = self.norm(x)
                y = self.fc(x)
                x += 1  # bad: IPL102
                x = x + 1  # good
                return y.sum() + x.sum()

        Net()(a).backward()
    """,
}
