"""What a second look takes for evidence that a value needs no gradient: its use, and what stands in its place."""

from __future__ import annotations

from .values import Phi, Tensor, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .run import Run
    from .values import ClassValue, Value


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
    tensor.storage.no_evidence = True
    return given


def mark_targets(run: Run, cls: ClassValue, arguments: list[Value]) -> None:
    """A loss of torch is given what is trained and what that is compared with: no evidence."""
    if any(base.startswith("torch.nn.") and base.endswith("Loss") for base in cls.external_bases()):
        for value in arguments[1:]:
            tensor = run.as_tensor(value)
            if tensor is not None:
                tensor.storage.no_evidence = True
