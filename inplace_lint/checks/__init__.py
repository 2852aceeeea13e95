"""One file a rule, each a question asked of the analysis; `check_source` asks all of them about one file."""

from __future__ import annotations

from ..model import Diagnostic, Location, Refused
from .places import rule_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from ..analysis.findings import Finding
    from ..analysis.program import Program
    from ..project.modules import Project
    from ..project.settings import Settings
    from ..syntax.module import Module


def check_source(filename: str, source: bytes, settings: Settings, project: Project) -> list[Diagnostic]:
    """Every finding of one file, in the order of the text, before selection and suppression.

    Never raises for what stands in the file: what cannot be read is an IPL000, a fault of the tool's own an IPL002.
    """
    from ..analysis.program import of_project
    from ..syntax.module import UnreadableFile

    program = of_project(project)
    try:
        module = program.files.read(filename, source)
    except UnreadableFile as error:
        return [_trouble("IPL000", filename, error.message, error.row, error.column)]
    except RecursionError:
        return [_trouble("IPL000", filename, "the file is nested too deeply to be read", 1, 1)]
    try:
        return _findings(module, program, settings)
    except RecursionError:
        return [_trouble("IPL000", filename, "the file is nested too deeply to be analysed", 1, 1)]
    except Exception as error:
        what = f"inplace-lint failed on this file: {type(error).__name__}: {error}"
        return [_trouble("IPL002", filename, what, 1, 1)]


def _findings(module: Module, program: Program, settings: Settings) -> list[Diagnostic]:
    diagnostics: list[Diagnostic] = []
    program.want_notes(settings.notes or settings.min_confidence == "possible")
    roots = program.roots(module)
    if roots:
        from ..analysis.analyze import gathered

        for finding in gathered(module, program, roots):
            diagnostic = _judge(module, finding)
            if diagnostic is not None:
                diagnostics.append(diagnostic)
    diagnostics += _attention(module, program, settings)
    if diagnostics:
        program.files.hold(module)
    diagnostics.sort(key=lambda d: (d.location.key(), d.code))
    return diagnostics


def _attention(module: Module, program: Program, settings: Settings) -> list[Diagnostic]:
    """The findings of the rules that ask about attention."""
    from ..attention.screen import worth_a_look

    if not worth_a_look(module.source):
        return []
    from ..attention.find import find
    from ..attention.target import Target
    from ..project.torch_version import oldest

    target = Target(lambda: oldest(settings), dict(settings.attention_sizes))
    seen = find(module, program.files, target)
    return [one for rule in _attention_rules() for place in seen for one in rule.check(module, place)]


def _attention_rules() -> tuple[ModuleType, ...]:
    from . import (
        ipl401_naive_attention,
        ipl402_attention_weights_kept,
        ipl403_causal_mask_materialised,
        ipl404_repeated_heads,
        ipl501_dropout_in_eval,
        ipl502_attention_layout,
        ipl503_mask_polarity,
        ipl504_causal_misaligned,
    )

    return (
        ipl401_naive_attention,
        ipl402_attention_weights_kept,
        ipl403_causal_mask_materialised,
        ipl404_repeated_heads,
        ipl501_dropout_in_eval,
        ipl502_attention_layout,
        ipl503_mask_polarity,
        ipl504_causal_misaligned,
    )


def _judge(module: Module, finding: Finding) -> Diagnostic | None:
    for rule in _rules():
        diagnostic: Diagnostic | None = rule.check(module, finding)
        if diagnostic is not None:
            _remedy(module, finding, diagnostic)
            return diagnostic
    return None


def _remedy(module: Module, finding: Finding, diagnostic: Diagnostic) -> None:
    from .remedies import plan

    try:
        diagnostic.plan = plan(module, finding)
    except Refused as refusal:
        diagnostic.fix_refused = str(refusal)


def _rules() -> tuple[ModuleType, ...]:
    """The rules' modules; the first that answers speaks for a finding (IPL101 before IPL102)."""
    from . import (
        ipl101_saved_result_overwritten,
        ipl102_saved_input_overwritten,
        ipl103_leaf_overwritten,
        ipl104_multi_view_output_overwritten,
        ipl105_expanded_tensor_overwritten,
        ipl106_step_before_backward,
        ipl107_out_argument_with_grad,
        ipl108_no_grad_view_overwritten,
        ipl201_data_write,
        ipl202_shared_memory_write,
        ipl203_version_check_disabled,
        ipl204_stale_alias_read,
        ipl205_argument_overwritten,
        ipl206_lost_write,
        ipl301_inplace_without_gain,
        ipl302_unknown_inplace_op,
    )

    return (
        ipl101_saved_result_overwritten,
        ipl102_saved_input_overwritten,
        ipl103_leaf_overwritten,
        ipl104_multi_view_output_overwritten,
        ipl105_expanded_tensor_overwritten,
        ipl106_step_before_backward,
        ipl107_out_argument_with_grad,
        ipl108_no_grad_view_overwritten,
        ipl201_data_write,
        ipl202_shared_memory_write,
        ipl203_version_check_disabled,
        ipl204_stale_alias_read,
        ipl205_argument_overwritten,
        ipl206_lost_write,
        ipl301_inplace_without_gain,
        ipl302_unknown_inplace_op,
    )


def _trouble(code: str, filename: str, message: str, row: int, column: int) -> Diagnostic:
    place = Location(filename, row, column, row, column + 1)
    return Diagnostic(code, rule_name(code), "error", "certain", message, place)
