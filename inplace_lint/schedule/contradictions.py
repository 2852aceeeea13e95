"""Compares the declaration of a function with its body: writes, saves and results that the declaration omits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp.values import Tensor, Unknown, flatten
from ..syntax.annotations import annotated
from ..torchmodel.spelling import TENSOR_TYPES
from . import analyze

if TYPE_CHECKING:
    from ..interp.frames import Place
    from ..interp.program import Program
    from ..interp.storage import Storage
    from ..interp.values import Value
    from ..project.declarations import Declaration
    from ..syntax.module import FunctionSource


class Contradiction:
    """A deed of a function that its declaration omits: in words, as a declaration, and its place."""

    __slots__ = ("caption", "deed", "place", "words")

    def __init__(self, deed: str, words: str, caption: str = "", place: Place | None = None) -> None:
        self.deed, self.words, self.caption, self.place = deed, words, caption, place


def of(program: Program, source: FunctionSource, said: Declaration) -> list[Contradiction]:
    """What the body of a function does beyond its declaration. A declared deed that is not seen is no contradiction."""
    run = analyze.deepened(program, source.module, source)
    given = {storage: name for name, value in run.root.args.items() for storage in _storages(value)}
    returned = {tensor.storage for _, tensor in run.root.returned}
    found: dict[str, Contradiction] = {}

    def tell(deed: str, words: str, caption: str = "", place: Place | None = None) -> None:
        found.setdefault(words, Contradiction(deed, words, caption, place))

    for write in run.found.writes:
        name = given.get(write.storage, "")
        if name and name not in said.written() and write.is_of_a_tensor():
            tell(f"changes `{name}` in place", f"writes({name})", f"{write.op} changes it", write.place)
    sure = {*said.named(), *_tensors(source)}
    aliased = {of for _, of in said.returns if of}
    for storage in [*given, *returned]:
        name = given.get(storage, "")
        told = {name or "result", "result" if name in aliased else ""}
        if not told.isdisjoint(said.saves) or (name and name not in sure):
            continue
        for saved in run.heap.record(storage).saves:
            if saved.certain and not saved.only and all(s.is_tensor() for s in (storage, *saved.unproved)):
                deed = f"has autograd keep {f'`{name}`' if name else 'its result'} for backward"
                who = saved.node_name or saved.op
                tell(deed, f"saves({name or 'result'})", f"{who} saves it", saved.place)
    for storage in returned if ("unknown", "") not in said.returns else ():
        name = given.get(storage, "")
        if name and name not in aliased and storage.is_tensor():
            tell(f"may return the memory of `{name}`", f"returns(maybe({name}))")
    return list(found.values())


def _tensors(source: FunctionSource) -> list[str]:
    """The parameters that are annotated as tensors; others may be numbers."""
    taken = (*source.parameters, *source.node.args.kwonlyargs)
    return [one.arg for one in taken if annotated(one.annotation) in TENSOR_TYPES]


def _storages(value: Value) -> list[Storage]:
    tensors = (atom.tensor if isinstance(atom, Unknown) else atom for atom in flatten(value))
    return [tensor.storage for tensor in tensors if isinstance(tensor, Tensor)]
