"""Lists, for the prefilter, names that write tensors without a trailing `_` or an `inplace` flag."""

from __future__ import annotations

#: Functions of torch and NumPy, by the last part of their name. (What others of NumPy write is seldom a tensor's.)
FUNCTIONS = frozenset(["batch_norm", "copyto", "instance_norm", "vector_to_parameters"])
#: Methods of arrays and storage objects.
METHODS = frozenset(["fill"])
#: Methods of modules and optimizers that write parameters.
STEPS = frozenset(["load_state_dict", "step"])
#: ... and that say which buffers a forward writes from then on.
MODES = frozenset(["train"])
#: Optimizers that write parameters, and then call the closure that they were given again.
SEARCHING = frozenset(["LBFGS"])
#: Functions of torch that write parameters.
_OF_PARAMETERS = frozenset(
    f"torch.nn.utils.{module}vector_to_parameters" for module in ("", "convert_parameters.")
)


def writes_parameters(dotted: str) -> bool:
    """Whether a function of this dotted name writes the parameters that it is given."""
    return dotted in _OF_PARAMETERS
