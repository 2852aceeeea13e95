"""Elements of containers of which it is not known what stands where, told apart by the keys they are taken under."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .joins import join
from .optimizers import Optimizer
from .storage import Taken
from .values import Constant, Instance, Phi, Sequence_, Tensor, Unknown, alternatives

if TYPE_CHECKING:
    from .frames import Loop
    from .run import Run
    from .values import Mapping_, Value


def taken(run: Run, container: Sequence_ | Mapping_, found: Value, key: Value) -> Value:
    """What stands for any element, as the one under this key: where it can be, told apart from those under others."""
    name: object = (type(key.value), key.value) if isinstance(key, Constant) else key
    loop = run.within[-1] if run.within else None
    each = alternatives(found)
    if len(each) > 1 and all(isinstance(atom, (Instance, Optimizer)) for _, atom in each):
        asked = run.several.asked_for.setdefault((container, loop), [])
        if name not in asked:
            asked.append(name)
        number = asked.index(name)
        return each[number][1] if number < len(each) else Unknown()
    if not any(isinstance(atom, Tensor) for _, atom in each):
        return found
    return join([(g, _taken_tensor(run, a, name, loop) if isinstance(a, Tensor) else a) for g, a in each])


def of_rounds(atoms: list[Value]) -> bool:
    """Whether several values are what the rounds of a loop made, one each, and not what one element was over time."""
    if all(isinstance(atom, Tensor) for atom in atoms):
        made = [atom.storage.made for atom in atoms if isinstance(atom, Tensor)]
        return all(place is not None and made[0] is not None and place.at is made[0].at for place in made)
    return all(isinstance(atom, (Instance, Optimizer, Sequence_)) for atom in atoms)


def put_back(run: Run, value: Value) -> Value:
    """What is stored in a container: what was taken from one stands for any element there again."""
    if not run.several.taken_for:
        return value
    if isinstance(value, Phi):
        return join([(guard, run.several.taken_for.get(atom, atom)) for guard, atom in value.alternatives])
    return run.several.taken_for.get(value, value)


def _taken_tensor(run: Run, tensor: Tensor, name: object, loop: Loop | None) -> Tensor:
    known = run.several.taken.get((tensor, name, loop))
    if known is None:
        known = run.several.taken[tensor, name, loop] = tensor.alias()
        known.taken = Taken(name, loop)
        run.several.taken_for[known] = tensor
        run.several.many.add(known)
    return known
