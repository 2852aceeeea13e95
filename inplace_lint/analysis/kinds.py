"""What a second look takes for evidence of what a value is: the values that stand under the same name otherwise."""

from __future__ import annotations

from .values import Phi, Tensor, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .run import Run
    from .values import Value


def of_one_kind(run: Run, joined: Phi) -> Value:
    """That integers take its place where it is not given says that a value is of their kind: no evidence."""
    made = [atom.storage for _, atom in joined.alternatives if isinstance(atom, Tensor)]
    others = [atom for _, atom in joined.alternatives if not isinstance(atom, Tensor)]
    given = others[0] if len(others) == 1 else None
    if not isinstance(given, Unknown) or given.of_module:
        return joined
    if any(s.grad for s in made) or all(s.dtype not in ("int", "bool") for s in made):
        return joined
    tensor = run.as_tensor(given)
    if tensor is None:
        return joined
    tensor.storage.integral = True
    return given
