"""Every attention of one file, with its plan: which functions are looked at, and what is said of each."""

from __future__ import annotations

import re

from ..model import Refused
from . import effects, screen, surroundings
from .calls import Unfollowed
from .evaluate import Evaluation, Spent
from .objects import assigned
from .plan import Plan, plan
from .recognise import sites
from .removal import removal
from .shapes import Shapes
from .site import Site
from .target import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.files import Files
    from ..syntax.module import FunctionSource, Module


class Seen:
    """What is found in one function: its evaluation and shapes, and its attentions with their plans."""

    __slots__ = ("evaluation", "plans", "shapes", "target")

    def __init__(self, evaluation: Evaluation, shapes: Shapes, plans: list[Plan], target: Target) -> None:
        self.evaluation, self.shapes, self.plans, self.target = evaluation, shapes, plans, target


def find(module: Module, files: Files, target: Target | None = None) -> list[Seen]:
    """What the functions of a file compute that has to do with attention."""
    target = target or Target()
    found: list[Seen] = []
    for function in screen.functions(module):
        evaluation = Evaluation(files, function)
        try:
            evaluation.run()
        except (Spent, Unfollowed, RecursionError):
            continue
        shapes = Shapes(evaluation)
        here = [plan(evaluation, shapes, site, target) for site in sites(evaluation, shapes)]
        for one in here:
            _complete(one)
        found.append(Seen(evaluation, shapes, here, target))
    _keep_one(found)
    effects.check_callers(found)
    for seen in found:
        root = seen.evaluation.root
        for one in seen.plans:
            one.dispatched = _is_handed_on(module, root) or _is_given_up(module, root)
    return found


def _is_handed_on(module: Module, function: FunctionSource) -> bool:
    """Whether a function is named without being called: handed to a dispatcher, put into a variable or table."""
    if module.functions.get(function.name) is not function:
        return False
    pattern = re.compile(rb"(?<![\w.'\"])%s\b(?!\s*[(\w'\"])" % re.escape(function.name.encode()))
    for match in pattern.finditer(module.source):
        line = module.source[module.source.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        if not line.lstrip().startswith((b"def ", b"from ", b"import ")) and b"#" not in line:
            return True
    return False


def _is_given_up(module: Module, function: FunctionSource) -> bool:
    """Whether a subclass in the same file has the kernel do what this class's method does."""
    if function.owner is None:
        return False
    for cls in module.classes.values():
        inherits = any(getattr(base, "id", "") == function.owner.name for base in cls.bases)
        if inherits and b"scaled_dot_product_attention" in cls.text:
            return True
    return False


def _complete(made: Plan) -> None:
    """Refuse where the statements cannot be taken out; name what goes with them, and what the package does besides."""
    if made.refused is not None or made.site.guarded:
        return
    try:
        gone = removal(made)
        effects.check(made, gone)
    except Refused as reason:
        made.refused = str(reason)
        return
    module = made.evaluation.root.module
    if surroundings.takes_second_derivatives(module):
        made.differences.append(
            "the package takes second or forward-mode derivatives, which the flash kernel lacks"
        )
    called = [one.args[1] for one in made.site.weights.modules if one.op == "attr"]
    read = sorted({*called, *made.attributes})
    if called and surroundings.hooks_modules(module):
        made.differences.append(
            f"a hook on `{called[0]}` is no longer called, and this package registers hooks"
        )
    for name in read:
        if _is_replaced(module, made, name):
            made.differences.append(f"a subclass in this file sets `{name}` to something of its own")
    for statement in gone.said:
        made.differences.append(f"what is printed or asserted on line {statement.lineno} goes with it")


def _is_replaced(module: Module, made: Plan, name: str) -> bool:
    """Whether a subclass in the same file assigns the module that the rewrite reads or no longer calls."""
    owner = made.evaluation.root.owner
    if owner is None:
        return False
    heirs = {owner.name}
    for _ in range(3):
        heirs |= {
            c.name for c in module.classes.values() if any(getattr(b, "id", "") in heirs for b in c.bases)
        }
    return any(
        name in assigned(method)
        for heir in heirs - {owner.name}
        for method in module.classes[heir].methods.values()
    )


def _keep_one(found: list[Seen]) -> None:
    """One plan a softmax: the one of the function that also holds the product with the values."""
    best: dict[int, Plan] = {}
    for seen in found:
        for one in seen.plans:
            key = id(one.site.softmax.at)
            known = best.get(key)
            if known is None or _worth(one) > _worth(known):
                best[key] = one
    for seen in found:
        seen.plans = [one for one in seen.plans if best.get(id(one.site.softmax.at)) is one]


def _worth(one: Plan) -> tuple[bool, bool]:
    return (_depth(one.site) == 0, one.refused is None)


def _depth(site: Site) -> int:
    return site.moment.depth
