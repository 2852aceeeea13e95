"""Lists, for the prefilter, names that write tensors without a trailing `_` or an `inplace` flag."""

from __future__ import annotations

from ..syntax.operators import IN_PLACE

_OPERATORS = frozenset(name.removeprefix("operator.") for name in IN_PLACE)
#: Functions of torch, NumPy and `operator`, by the last part of their name. (Other NumPy functions seldom write a
#: tensor.)
FUNCTIONS = _OPERATORS | {"batch_norm", "copyto", "instance_norm", "setitem", "vector_to_parameters"}
#: Methods of arrays and storage objects, and those behind `+=` and `x[i] = y`.
METHODS = frozenset({"fill", "__setitem__"} | {f"__{name}__" for name in _OPERATORS})
#: Methods of modules and optimizers that write parameters.
STEPS = frozenset(["load_state_dict", "step"])
#: Methods that switch the mode, on which it depends whether a forward writes buffers such as running statistics.
MODES = frozenset(["train"])
#: Optimizers whose `step` writes parameters and then calls the given closure again.
SEARCHING = frozenset(["LBFGS"])

#: The functions that limit the gradients of parameters, between a backward and the step.
CLIPPING = tuple(
    f"torch.nn.utils.{name}" for name in ("clip_grad_norm_", "clip_grad_norm", "clip_grad_value_")
)
