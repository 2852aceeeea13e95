"""Maps the public spellings of a torch name to the one in the op table, and lists the grad-mode managers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Context managers and decorators that set a grad mode, or autocast.
MODES = {
    "torch.no_grad": "off",
    "torch.inference_mode": "inference",
    "torch.enable_grad": "on",
    "torch.set_grad_enabled": "flag",
    "torch.autograd.no_grad": "off",
    "torch.autograd.enable_grad": "on",
    "torch.autograd.set_grad_enabled": "flag",
    "torch.autograd.inference_mode": "inference",
    "torch.autograd.grad_mode.no_grad": "off",
    "torch.autograd.grad_mode.enable_grad": "on",
    "torch.autograd.grad_mode.set_grad_enabled": "flag",
    "torch.autograd.grad_mode.inference_mode": "inference",
    "torch._C._set_grad_enabled": "flag",
    "torch.autocast": "autocast",
    "torch.amp.autocast": "autocast",
    "torch.cuda.amp.autocast": "autocast",
    "torch.cpu.amp.autocast": "autocast",
}

#: Methods of distributions whose results are detached from the graph.
DRAWN = ("sample", "sample_n", "enumerate_support")
#: ... and those whose results depend on the distribution's parameters through the graph.
COMPUTED = ("entropy", "log_prob", "rsample")

#: Functions that make a layer compute its weight, in each call, from other parameters that it saves; they return it.
NORMED = frozenset(
    f"torch.nn.utils.{name}"
    for kind in ("spectral_norm", "weight_norm")
    for name in (kind, f"{kind}.{kind}", f"parametrizations.{kind}")
)

#: The dicts in which an `nn.Module` keeps, by name, what is assigned to its attributes.
MODULE_DICTS = frozenset(("_buffers", "_modules", "_parameters"))

#: Methods by which a tensor tells of itself what does not change with its elements.
OF_SHAPES = frozenset("dim ndimension numel nelement size is_floating_point is_complex".split())
#: Functions that answer the same whenever they are asked: about a tensor's type, the machine and the process group.
QUESTIONS = frozenset(
    f"torch.{name}"
    for name in "is_tensor is_floating_point cuda.is_available cuda.device_count backends.mps.is_available "
    "distributed.is_available distributed.is_initialized distributed.get_rank distributed.get_world_size".split()
)

#: Decorators that make an operator of a function.
MAKERS = frozenset(("torch.library.custom_op", "torch.library.triton_op"))

#: Functions of `torch.library` that make a function the implementation of an operator: most record no gradients.
KERNELS = frozenset(
    "impl impl_abstract register_fake register_kernel register_vmap register_torch_dispatch".split()
)

#: Ops that the table lists but `intrinsics` models instead: they alias memory, or ask a question.
INTRINSIC_OPS = frozenset(
    f"torch.{name}"
    for name in "from_numpy from_dlpack to_dlpack as_tensor asarray is_grad_enabled is_tensor".split()
)

#: Annotations that mean a tensor, with the kind of its elements ("int", "bool") where the name tells.
TENSOR_TYPES = {
    "Tensor": "",
    **dict.fromkeys(("FloatTensor", "HalfTensor", "DoubleTensor", "BFloat16Tensor"), ""),
    **dict.fromkeys(("LongTensor", "IntTensor", "ShortTensor", "CharTensor", "ByteTensor"), "int"),
    "BoolTensor": "bool",
}

#: Longer public spellings of a namespace, each with the canonical one.
_SPELLINGS = (
    ("torch.functional.F", "torch.nn.functional"),
    ("torch.nn.functional.F", "torch.nn.functional"),
    ("torch.autograd.grad_mode.", "torch."),
    ("torch.nn.parameter.", "torch.nn."),
    ("einops.einops.", "einops."),
)
#: Prefixes of every name that has more than one spelling.
_SPELLED_LONG = (*(long for long, _ in _SPELLINGS), "torch.nn.modules.", "torch.optim.")


def above(dotted: str) -> tuple[str, ...]:
    """The bases of a torch class, as far as they matter for attribute look-up."""
    return ("torch.nn.Module",) if dotted.startswith("torch.nn.") and dotted != "torch.nn.Module" else ()


def are_of_data(bases: Iterable[str]) -> bool:
    """Whether a class with these bases, given as dotted names, is a data set."""
    return any(base.startswith("torch.utils.data.") for base in bases)


def are_optimizers(bases: Iterable[str]) -> bool:
    """Whether a class with these bases, given as dotted names, is an optimizer."""
    return any(base.startswith("torch.optim.") for base in bases)


def canonical(dotted: str) -> str:
    """The canonical one of the names under which something can be imported."""
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
