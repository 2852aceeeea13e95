"""Maps the public spellings of a torch name to the one in the op table, and lists the grad-mode managers."""

from __future__ import annotations

#: Context managers and decorators that set a mode.
MODES = {
    "torch.no_grad": "off",
    "torch.inference_mode": "inference",
    "torch.enable_grad": "on",
    "torch.set_grad_enabled": "flag",
    "torch.autograd.no_grad": "off",
    "torch.autograd.enable_grad": "on",
    "torch.autograd.set_grad_enabled": "flag",
    "torch.autograd.inference_mode": "inference",
    "torch.autocast": "autocast",
    "torch.amp.autocast": "autocast",
    "torch.cuda.amp.autocast": "autocast",
    "torch.cpu.amp.autocast": "autocast",
}

#: Methods of distributions whose results carry no graph.
DRAWN = ("sample", "sample_n", "enumerate_support")
#: ... and those whose results hang on all that the distribution was made of.
COMPUTED = ("entropy", "log_prob", "rsample")

#: What makes a layer compute its weight in each call, of other parameters that it saves; it gives that layer back.
NORMED = frozenset(
    f"torch.nn.utils.{name}"
    for kind in ("spectral_norm", "weight_norm")
    for name in (kind, f"{kind}.{kind}", f"parametrizations.{kind}")
)

#: What makes an operator of a function.
MAKERS = frozenset(("torch.library.custom_op", "torch.library.triton_op"))

#: Functions of the op table that mean something else all the same: they share memory, or ask something (`intrinsics`).
INTRINSIC_OPS = frozenset(
    f"torch.{name}"
    for name in "from_numpy from_dlpack to_dlpack as_tensor asarray is_grad_enabled is_tensor".split()
)

#: Classes that an annotation names for a tensor, and what kind of numbers it holds where that says it.
TENSOR_TYPES = {
    "Tensor": "",
    **dict.fromkeys(("FloatTensor", "HalfTensor", "DoubleTensor", "BFloat16Tensor"), ""),
    **dict.fromkeys(("LongTensor", "IntTensor", "ShortTensor", "CharTensor", "ByteTensor"), "int"),
    "BoolTensor": "bool",
}

#: Longer public spellings of a namespace, and the one under which the table knows it.
_SPELLINGS = (
    ("torch.functional.F", "torch.nn.functional"),
    ("torch.nn.functional.F", "torch.nn.functional"),
    ("torch.autograd.grad_mode.", "torch."),
    ("torch.nn.parameter.", "torch.nn."),
    ("einops.einops.", "einops."),
)
#: How everything begins that has more than one name.
_SPELLED_LONG = (*(long for long, _ in _SPELLINGS), "torch.nn.modules.", "torch.optim.")


def above(dotted: str) -> tuple[str, ...]:
    """What a class of torch derives from, as far as it matters in which order attributes are looked up."""
    return ("torch.nn.Module",) if dotted.startswith("torch.nn.") and dotted != "torch.nn.Module" else ()


def canonical(dotted: str) -> str:
    """One name for what can be imported by several."""
    if not dotted.startswith(_SPELLED_LONG):
        return dotted
    for long, short in _SPELLINGS:
        if dotted.startswith(long):
            return short + dotted[len(long) :]
    if dotted.startswith("torch.nn.modules."):
        return "torch.nn." + dotted.rpartition(".")[2]
    if dotted.startswith("torch.optim.") and dotted.count(".") == 3:
        head, _, last = dotted.rpartition(".")
        return f"torch.optim.{last}" if head != "torch.optim.lr_scheduler" else dotted
    return dotted
