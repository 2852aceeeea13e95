"""Takes a second look at likely findings, and lowers those for which nothing in the file shows a gradient.

A plain argument may require grad, so a finding on it is likely at first. It becomes possible where a run that enters
every call sees the graph cut (by `numpy()`, say), or where all calls in the file pass only what never requires grad:
that is the best evidence of what the function is for. The same holds for what an `__init__` computes once, such as
the first value of a buffer, and for the batches that the training in the file hands to the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hazards.arguments import is_passed_on
from ..hazards.finding import LIKELY, POSSIBLE, REFUSED
from ..prefilter import grad_mode
from ..prefilter.callers import callers
from ..prefilter.outside_callers import asks_another
from ..prefilter.source_words import mentions, runs_backward
from ..torchmodel import table
from .callers import as_own
from .recomputed import is_recomputed
from .second_look import SecondLooks
from .training import Training

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..interp.program import Program
    from ..syntax.module import ClassSource, FunctionSource, Module

#: Methods that are called without their names: by building an object, or by calling it.
_PROTOCOL = ("__init__", "__call__", "forward")
#: Largest number of callers that are asked how they reach a finding: each costs a run.
_ASKED = 16
#: How many levels of callers are followed to the origin of an argument.
_CALLERS = 4


def refine(module: Module, program: Program, findings: list[tuple[Finding, FunctionSource | None]]) -> None:
    """Lower findings to POSSIBLE for which the second look sees no gradient, and set `overruled` to the reason."""
    looks = SecondLooks(module, program)
    training = Training(looks)
    for finding, root in findings:
        if finding.confidence < LIKELY or finding.kind not in ("write", *REFUSED):
            continue
        if looks.stands(root, finding, needed=True) is False:
            finding.overruled = (
                "with every call entered, nothing is left that says that gradients are recorded here"
            )
        elif (
            root is not None
            and (finding.given or finding.kind in REFUSED)
            and (
                (finding.bare and _plain_from_the_top(looks, finding, root))
                or _is_given_data(looks, training, finding, root)
            )
        ):
            finding.overruled = (
                "every call in this file is an `__init__`, or gives it only what never requires grad"
            )
        elif root is not None and finding.kind == "write" and is_recomputed(program.names, module, root):
            finding.overruled = "this only runs under a checkpoint that computes anew what backward needs"
        elif root is not None and (reason := _left_to_others(looks, training, finding, root)):
            finding.overruled = reason
        else:
            continue
        finding.confidence = POSSIBLE
        for saved in finding.saves:
            saved.confidence = POSSIBLE


def _left_to_others(looks: SecondLooks, training: Training, finding: Finding, root: FunctionSource) -> str:
    """Why no call in this file makes a finding come true, in words; empty if one may.

    So it is if all chains of callers in the file either record no gradients, make nothing differentiable of it, do not
    lead to the write, or are asked for by a flag; if they begin in a function that other files call only where none are
    recorded; or in one for other code, which decides whether they are. Code that makes tensors with
    `requires_grad=True` has decided.
    """
    if finding.asked_for:
        return ""
    seen, pending = {root}, [root]
    #: callers of which it is not shown that they reach the finding: they may call another function of this name
    unsure: set[FunctionSource] = set()
    reasons: dict[str, None] = {}
    while pending:
        function = pending.pop()
        if function.name in ("forward", "__call__") and looks.is_quiet_elsewhere(function):
            reasons[_QUIET_ELSEWHERE] = None
            continue
        if (
            function.name in _PROTOCOL
            or function in training.trainers
            or is_passed_on(looks.module, function)
        ):
            return ""
        calling, from_the_top = _callers(looks, training, function)
        if from_the_top and looks.stands(None, finding) is not False:
            return ""
        if not calling and not from_the_top:
            reason = _nobody_here(looks, finding, root, function, function in unsure)
            if not reason:
                return ""
            reasons[reason] = None
        for caller in sorted((f for f in calling if f not in seen), key=lambda f: f.node.lineno):
            seen.add(caller)
            if len(seen) > _ASKED:
                return ""
            prefilter = looks.program.prefilter
            if grad_mode.records_nothing(prefilter, caller) or grad_mode.calls_quietly(
                prefilter, caller, function.name
            ):
                continue
            if function in unsure or root not in looks.at(caller).entering.entered:
                if not _asks(caller, function.name):
                    unsure.add(caller)
                    pending.append(caller)
            elif looks.leaves_out(caller, finding):
                continue  # it calls the function with what does not lead to the write
            elif looks.stands(caller, finding, needed=True) is not False and not looks.is_data_of_a_loss(
                caller, finding
            ):
                pending.append(caller)
    return next(iter(reasons), _QUIET)


#: Why what other files do leaves a finding open.
_QUIET_ELSEWHERE = "other files call this only where no gradients are recorded"
#: Why all calls in a file leave a finding open.
_QUIET = (
    "every call in this file is one that records no gradients, has to be asked for by a flag, "
    "does not lead here, or makes nothing of it that has any"
)


def _nobody_here(
    looks: SecondLooks, finding: Finding, root: FunctionSource, function: FunctionSource, unsure: bool
) -> str:
    """Why a function that its file does not call leaves a finding open, in words; empty if it does not."""
    if looks.is_quiet_elsewhere(function):
        return _QUIET_ELSEWHERE
    if unsure:
        return ""
    recorded = looks.at(function).steps.differentiates
    of_weights = finding.kind == "leaf" and not recorded and not _is_local(looks, finding, root)
    if of_weights or _is_for_others(looks, finding, root, function):
        return "nothing in the file calls this: who does says whether gradients are recorded"
    return ""


def _asks(caller: FunctionSource, name: str) -> bool:
    """Whether a caller uses a function only if its own caller changes a flag from its default."""
    from ..syntax.optional_statements import only_when_asked  # imported late: rarely needed

    return only_when_asked(caller, name)


def _is_for_others(
    looks: SecondLooks, finding: Finding, root: FunctionSource, function: FunctionSource
) -> bool:
    """Whether the first caller on the way to a finding is a method for other code, not for training.

    Of a module: a method beside `forward` that samples or decodes into a tensor it made. Of another class: a method
    whose argument would have to require grad. A method that returns a 0-dim tensor is excluded: most likely a loss.
    """
    cls = function.owner
    if cls is None or finding.kind != "write" or _called_by_its_base(looks.program, function):
        return False
    known = looks.program.class_value(cls)
    if known.is_module():
        forward = any("forward" in base.source.methods for base in known.order())
        beside = forward and looks.fills_what_it_made(root, finding)
    else:
        beside = finding.given
    return beside and all(tensor.sizes != () for _, tensor in looks.at(function).root.returned)


def _is_local(looks: SecondLooks, finding: Finding, root: FunctionSource) -> bool:
    """Whether `root` is a plain function that overwrites weights other than those of a module passed to it."""
    return root.owner is None and not looks.moves_weights_given(root, finding)


def _plain_from_the_top(looks: SecondLooks, finding: Finding, root: FunctionSource) -> bool:
    """Whether the top level of the file trains and reaches the function, and the finding does not hold in its run."""
    if not runs_backward(looks.module):
        return False
    run = looks.at(None)
    return run.steps.trains and root in run.entering.entered and looks.stands(None, finding) is False


def _is_given_data(looks: SecondLooks, training: Training, finding: Finding, root: FunctionSource) -> bool:
    """Whether no call in the file passes the function anything that may require grad.

    If callers pass on their own arguments, their callers are asked in turn, up to the training in the file.
    """
    module, program = looks.module, looks.program
    seen = {root}
    pending = [root]
    for _ in range(_CALLERS):
        if not pending:
            return True
        asked: list[FunctionSource] = []
        for function in pending:
            if is_passed_on(module, function):
                return False
            calling, from_the_top = _callers(looks, training, function)
            if _called_by_its_base(program, function) and all(f.name != "__init__" for f in calling):
                return False  # what an `__init__` calls is for it, and not for the base
            if from_the_top and (
                root not in looks.at(None).entering.entered or looks.stands(None, finding) is not False
            ):
                return False
            alone = not calling and not from_the_top
            if alone and not (training.takes_data(function) and looks.hangs_on_arguments(function, finding)):
                return False
            for caller in sorted((f for f in calling if f not in seen), key=lambda f: f.node.lineno):
                seen.add(caller)
                if caller.name == "__init__" and finding.kind not in REFUSED:
                    continue  # an `__init__` computes once: no backward goes through it
                if root not in looks.at(caller).entering.entered:
                    return False
                if looks.stands(caller, finding) is not False:
                    if not looks.hangs_on_arguments(caller, finding):
                        return False
                    asked.append(caller)
        pending = asked
    return False


def _callers(
    looks: SecondLooks, training: Training, function: FunctionSource
) -> tuple[dict[FunctionSource, None], bool]:
    """The functions of the file that call a function, in the order of the text, and whether the top level does."""
    calling, rows = callers(looks.module, {function})
    around = [looks.module.functions_at(row) for row in rows]
    found = dict.fromkeys(training.entering.get(function, ()))
    if function.name in ("forward", "__call__") and function.owner is not None:
        # An `__init__` builds the object, but does not call it.
        found.update(dict.fromkeys(f for f in calling if f.name != "__init__"))
        if not calling and not found:
            found = _handing_on(looks, function, function.owner)
    else:
        own = dict.fromkeys(as_own(looks.program, f, function) for functions in around for f in functions)
        few = len(own) <= _ASKED
        own = dict.fromkeys(f for f in own if not asks_another(looks.program.prefilter, f, function))
        found.update(dict.fromkeys(f for f in own if not (few and _calls_another(looks, f, function))))
    supposed = any(way.trains and function in way.functions for way in looks.program.drivers)
    found.pop(function, None)
    return found, supposed or not all(around)


def _calls_another(looks: SecondLooks, caller: FunctionSource, function: FunctionSource) -> bool:
    """Whether the run of a caller shows that it calls only other functions of the same name."""
    run = looks.at(caller)
    if (
        function in run.entering.entered
        or function.name in run.handed.unresolved
        or run.budget.is_cut_short()
    ):
        return False
    return any(other.name == function.name for other in run.entering.entered)


def _handing_on(looks: SecondLooks, forward: FunctionSource, cls: ClassSource) -> dict[FunctionSource, None]:
    """The functions that build objects of a class and whose runs reach `forward`, if the class has no other use."""
    own = range(cls.node.lineno, (cls.node.end_lineno or 0) + 1)
    around = [looks.module.functions_at(row) for row in mentions(looks.module, {cls.name}) if row not in own]
    if not all(around):
        return {}
    found = dict.fromkeys(functions[0] for functions in around)
    if all(f.name != "__init__" and forward in looks.at(f).entering.entered for f in found):
        return found
    return {}


def _called_by_its_base(program: Program, root: FunctionSource) -> bool:
    """Whether a base outside the project may call the method."""
    if root.owner is None:
        return False
    known: tuple[str, ...] = ("builtins.", "typing.", "abc.")
    cls = program.class_value(root.owner)
    if cls.is_module() and root.name == "forward":
        return False
    if cls.is_module() and not table.has_module(root.name):
        known += ("torch.nn.",)
    return any(not base.startswith(known) for base in cls.external_bases())
