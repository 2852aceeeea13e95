"""Chooses the fix of a finding: which rewrite applies to the code, and how it may change the program.

A fix is safe only if nobody else relies on the write and dtype and result provably stay the same. Anything unproved is
named as a difference; if a name that shares the storage is read later, there is no fix.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..fixes.plans import CloneFirst, CountedUnderNoGrad, IndexedFill, OutOfPlace, UnderNoGrad
from ..interp.access_paths import INSIDE
from ..model import FixPlan, Refused
from ..syntax.nodes import walk
from ..syntax.surroundings import Surroundings, binds
from ..torchmodel import outofplace
from . import holders, places, syntaxes
from .conditions import DTYPE, WITHIN, Conditions

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Location
    from ..syntax.module import Module

_FLOATING = frozenset("float float16 bfloat16 float32 float64".split())

#: Kinds of findings that a copy made before the write does not mend.
_COPIES_NOTHING = ("no-gain", "no-derivative")


def plan(module: Module, finding: Finding) -> FixPlan:
    """The fix of a finding. Raises Refused, with the reason, if there is none."""
    if finding.kind == "step":
        raise Refused("the order of the calls has to change")
    if finding.kind == "unknown-op":
        raise Refused("which operation was meant is for the author to say")
    if finding.kind == "stale":
        raise Refused("which of the two values was meant is for the author to say")
    if finding.kind == "lost":
        raise Refused("where the change was meant to go is for the author to say")
    if finding.meant:
        raise Refused("the function is there to make this change")
    if finding.unrecorded:
        raise Refused(
            "autograd takes no notice of this change: a copy would have the gradient of what it was"
        )
    if finding.used and finding.kind != "hidden":
        raise Refused("the use has to move before the write")
    if any(saved.again for saved in finding.saves):
        raise Refused("backward reads this again: the change has to come after it")
    return _Remedy(module, finding).plan()


class _Remedy(Conditions):
    def plan(self) -> FixPlan:
        node, kind = self.finding.at, self.finding.kind
        if kind == "no-gain":
            self.differences["peak memory rises where no gradients are recorded, as in inference"] = None
        if self.finding.beneath:
            raise Refused("the write, and what it spoils, are in the function that is called: mend it there")
        if kind == "leaf":
            return self._under_no_grad()
        if kind == "hidden":
            return self._without_data()
        if kind == "no-gain" and self.finding.write is not None:
            raise Refused("the write is made by the function that is called")
        if self.finding.write is not None or (self.finding.passed is not None and self.finding.passed[1]):
            return self._clone_for_call(node)
        if kind == "out":
            return self._out(node)
        if isinstance(node, ast.Subscript):  # an assignment to an index: the finding stands at its target
            statement = self.around.statement
            if isinstance(statement, ast.Assign) and statement.targets == [node]:
                return self._indexed(statement, node)
            return self._clone_first(syntaxes.root_name(node))
        if isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Subscript) and self._container(node.target) is None:
                return self._clone_first(syntaxes.root_name(node.target))
            return self._augmented(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise Refused("no rewriting is known for this form of write")

    # One method per form of write

    def _augmented(self, node: ast.AugAssign) -> FixPlan:
        name, sign, value = places.augmented_parts(self.module, node)
        if not sign:
            name, sign, value = "the target", places.augmented_operator(node) or "?", "…"
        if isinstance(node.target, ast.Name):
            self._leave(node.target.id)
        elif isinstance(node.target, ast.Subscript):
            self._leave(self._container(node.target), element=True)
        elif syntaxes.is_plain_path(node.target):
            holders.may_be_set(self.module, node.target)
            self._leave(None)
            self.differences.setdefault("other holders of this attribute's tensor no longer see the change")
        else:
            raise Refused("the target would be evaluated twice")
        message = f"use `{name} = {name} {sign} {value}`" if value != "…" else "use the out-of-place operator"
        return OutOfPlace(*self._say(message), self._location(node), "augmented")

    def _container(self, node: ast.expr) -> str | None:
        """The name of the list or dict of which the written tensor is the element that `node` spells; None if none."""
        name = syntaxes.root_name(node)
        sharing = self.finding.sharing
        if not sharing or not isinstance(node, ast.Subscript) or not syntaxes.is_plain_element(node):
            return None
        for seen in sharing:
            held = {how for _, other, how in seen.names if other == name}
            kinds = {getattr(owner, "kind", "") for owner in seen.elements}
            if held != {"element"} or len(set(seen.elements)) != 1 or not kinds <= {"list", "dict"}:
                return None
        return name if all(seen.proved for seen in sharing) else None

    def _call(self, node: ast.Call) -> FixPlan:
        flag = syntaxes.inplace_flag(node)
        if flag:
            return self._rebound(node, node.args[0] if node.args else None, "flag")
        dotted = syntaxes.dotted(self.module, node.func)
        if dotted is not None:
            if outofplace.function(dotted) is not None:
                return self._rebound(node, node.args[0] if node.args else None, "function")
            position = syntaxes.flag_position(dotted, node)
            if position is not None:
                return self._rebound(node, node.args[0], "flag", position=position)
            return self._clone_first(syntaxes.root_name(node.args[0]) if node.args else None)
        if isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            return self._method(node)
        return self._module(node)

    def _method(self, node: ast.Call) -> FixPlan:
        """`y.mul_(2)`, together with the other in-place calls of its chain."""
        top, links, receiver = syntaxes.chain(
            node, self.around.path, lambda n: outofplace.method(n) is not None
        )
        if links > 1 and syntaxes.reads(top, links, self._names(inside=True), self.around.owns):
            raise Refused("a later call of the chain reads what an earlier one has written")
        if not links:
            return self._clone_first(syntaxes.root_name(receiver))
        if not holders.keeps_dtype(top, links, node):
            self.differences[DTYPE.format("the tensor")] = None
        return self._rebound(top, receiver, "method", links=links)

    def _rebound(
        self, node: ast.Call, written: ast.expr | None, kind: str, links: int = 1, position: int | None = None
    ) -> FixPlan:
        """The out-of-place form of a call; its result is bound to the written name if that is read later."""
        if written is None:
            raise Refused("what the call writes is given by keyword")
        around = self.around if node is self.finding.at else Surroundings(self.module, node)
        whole = around.is_statement()
        before = after = ""
        if not whole and around.read_beside(self._names(inside=True)):
            raise Refused("what is written is read by the same statement as well")
        if isinstance(written, ast.Name):
            name = written.id
            self._leave(name)
            if whole:
                self._binds(name)
                before = f"{name} = "
            elif name not in around.assigned() and (around.read_later(name) or around.reads_again(name)):
                self._binds(name)
                if around.delayed():
                    raise Refused(
                        f"`{name}` is read later, and the call may not run, or in a scope of its own"
                    )
                before, after = (f"{name} = ", "") if around.is_value() else (f"({name} := ", ")")
        elif syntaxes.is_plain_path(written):
            if whole:
                holders.may_be_set(self.module, written)
            self._leave(None)
            words = places.text(self.module, written, 60).strip("`")
            self.differences.setdefault("other holders of this attribute's tensor no longer see the change")
            if whole:
                before = f"{words} = "
            elif words not in around.assigned():
                raise Refused(f"the result would have to be stored in `{words}` as well")
        elif whole and (container := self._container(written)) is not None:
            self._leave(container, element=True)
            before = f"{places.text(self.module, written, 60).strip('`')} = "
        elif whole and isinstance(written, ast.Subscript) and self.finding.kind not in _COPIES_NOTHING:
            return self._clone_first(syntaxes.root_name(written))
        else:
            self._leave(None)
            if whole:
                raise Refused("the call is made for what it writes, and that has no name here")
            if any(seen.view for seen in self.finding.sharing):
                raise Refused("a view is written, and what it is a view of would no longer change")
        methods = [n.attr for n in walk(node) if isinstance(n, ast.Attribute)]
        if any(map(outofplace.reorders, methods)) and self._layout_matters():
            self.differences["the result lies in order in memory: a `view` of it may no longer fit"] = None
        after_text = {"method": "its out-of-place form", "function": "its out-of-place form"}.get(kind, "")
        message = f"use {after_text}" if after_text else "drop `inplace=True`"
        if before:
            message += f" and bind the result to `{before.strip('( =:')}`"
        said = self._text(node)
        if kind == "method" and links == 1 and said.startswith("`") and isinstance(node.func, ast.Attribute):
            short = node.func.attr
            message = f"use `{before}{said.strip('`').replace(short + '(', short[:-1] + '(', 1)}{after}`"
        return OutOfPlace(*self._say(message), self._location(node), kind, before, after, links, position)

    def _module(self, node: ast.Call) -> FixPlan:
        """`self.act(x)` of a module built with `inplace=True`: drops the flag where the module is built."""
        layer = self.finding.layer
        built = layer.at if layer is not None and layer.frame.module is self.module else None
        if not isinstance(built, ast.Call) or not syntaxes.inplace_flag(built):
            raise Refused("the module that works in place is built elsewhere")
        if self.around.read_beside(self._names(inside=True)):
            raise Refused("what is written is read by the same statement as well")
        if self.around.is_statement():
            raise Refused("the module is called for what it writes: its result is not used")
        inside = self.finding.passed == INSIDE
        written = node.args[0] if node.args and not inside else None
        name = written.id if isinstance(written, ast.Name) else None
        if name is not None and name not in self.around.assigned() and self.around.read_later(name):
            raise Refused(f"`{name}`, which the module changes, is read later")
        self._leave(name)
        self.differences.setdefault("every other call of this module gives a new tensor too")
        return OutOfPlace(
            *self._say("build the module without `inplace=True`"), self._location(built), "flag"
        )

    def _out(self, node: ast.AST) -> FixPlan:
        out = next((k.value for k in getattr(node, "keywords", ()) if k.arg == "out"), None)
        if out is None or not isinstance(node, ast.Call):
            raise Refused("`out=` is not given by keyword")
        if not (isinstance(out, ast.Name) or syntaxes.is_plain_path(out)):
            raise Refused("what `out=` names would be evaluated at another time")
        words = places.text(self.module, out, 60).strip("`")
        if isinstance(out, ast.Name):
            if any(seen.others for seen in self.finding.sharing):
                raise Refused(f"the result is meant for the memory of `{words}`, which is held elsewhere too")
            self._leave(out.id)
        else:
            holders.may_be_set(self.module, out)
            self._leave(None)
            self.differences.setdefault("other holders of this attribute's tensor no longer see the change")
        self.differences.setdefault(f"`{words}` becomes a new tensor, of the result's own dtype")
        before = f"{words} = "
        if words in self.around.assigned():
            before = ""
        elif not self.around.is_statement() and not self.around.is_value():
            raise Refused("the result is used within an expression")
        return OutOfPlace(*self._say(f"assign the result to `{words}`"), self._location(node), "out", before)

    def _indexed(self, node: ast.Assign, target: ast.Subscript) -> FixPlan:
        form = syntaxes.fill_form(target, node.value)
        floating = all(seen.dtype in _FLOATING for seen in self.finding.sharing)
        ordered = not self._layout_matters()
        proved = all(seen.proved for seen in self.finding.sharing)
        known = bool(self.finding.sharing) and floating and ordered and proved
        if form == "masked_fill" and isinstance(target.value, ast.Name) and known:
            self._leave(target.value.id, keeps_dtype=True)
            self._binds(target.value.id)
            name = target.value.id
            message = f"use `{name} = {name}.masked_fill(…)`"
            return IndexedFill(*self._say(message), self._location(node), form)
        if form == "where" and isinstance(target.value, ast.Name) and ordered and proved:
            self._leave(target.value.id)
            self._binds(target.value.id)
            return IndexedFill(*self._say("use `where`"), self._location(node), form)
        copied = self._clone_first(syntaxes.root_name(target))
        sharing = self.finding.sharing
        if copied.applicability == "safe" or not (sharing and all(seen.puts for seen in sharing)):
            return copied
        self.differences["a value with leading dimensions of size one is refused"] = None
        name = places.text(self.module, target.value, 60).strip("`")
        message = f"use `{name} = {name}.index_put(…)`"
        return IndexedFill(*self._say(message), self._location(node), "index_put")

    def _clone_first(self, name: str | None) -> FixPlan:
        """Puts `y = y.clone()` before the statement, so that the statement writes to the copy."""
        if self.finding.kind in _COPIES_NOTHING:
            raise Refused("the operation has no out-of-place form")
        if name is None:
            raise Refused("what is written has no name here that could be bound to a copy")
        self._binds(name)
        self._leave(name, keeps_dtype=True)
        if not self.finding.sharing or not all(
            any(other == name and how not in WITHIN for _, other, how in seen.names)
            for seen in self.finding.sharing
        ):
            raise Refused(f"`{name}` may be a list or dict that holds what is written")
        if not all(seen.proved for seen in self.finding.sharing):
            raise Refused(f"`{name}` may be a list or dict of tensors, which has no `clone`")
        statement = self.around.statement
        if statement is None or self.around.delayed() or not self.around.may_precede():
            raise Refused("no statement can stand before this one")
        if self.finding.is_saved_in(statement):
            raise Refused("this statement saves what it writes: a copy made before it would be saved as well")
        place = self._location(statement)
        alone = not self.module.lines[place.row - 1][: statement.col_offset].strip()
        if not alone and hasattr(statement, "body"):
            raise Refused("no statement can stand before this one")
        loop = self._written_only_in(name)
        where = "this"
        if loop is not None:
            place, alone, where = self._location(loop), True, f"the loop on line {loop.lineno}"
        message = f"put `{name} = {name}.clone()` before {where}"
        return CloneFirst(*self._say(message), place, name, alone, getattr(self.around.function, "lineno", 0))

    def _written_only_in(self, name: str) -> ast.stmt | None:
        """The outermost loop around the write that neither saves the written tensor nor rebinds the name."""
        at = [place for saved in self.finding.saves for place in saved.place.stack()]
        for loop in self.around.loops():
            rows = range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)
            saves = any(
                place.frame.module is self.module and getattr(place.at, "lineno", 0) in rows for place in at
            )
            if not saves and not binds(loop, name):
                return loop
        return None

    def _clone_for_call(self, node: ast.AST) -> FixPlan:
        """A call of a function that writes to its argument: passes a copy, under the same name."""
        if not isinstance(node, ast.Call):
            raise Refused("the write is made by what this statement calls")
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            given.append(node.func.value)
        held = self._names()
        names = {n.id for n in given if isinstance(n, ast.Name) and n.id in held}
        if len(names) != 1:
            raise Refused("the write is made by the function that is called: mend it there, or pass a copy")
        return self._clone_first(names.pop())

    def _without_data(self) -> FixPlan:
        """Turns `x.data.mul_(2)` into a write under `no_grad`, which the version counter sees."""
        if self.finding.used or self._is_held_elsewhere():
            self.differences[
                "backward raises, and is not silently wrong, where it still needs the old values"
            ] = None
        place, manager, step = self._block()
        if syntaxes.says_no_grad(self.module, self.around.path):
            return CountedUnderNoGrad(*self._say("drop `.data`"), place, "", step)
        return CountedUnderNoGrad(
            *self._say(f"drop `.data`, and write under `with {manager}():`"), place, manager, step
        )

    def _is_held_elsewhere(self) -> bool:
        """Whether anything but this function's own names may hold the written tensor, and may have had it saved."""
        return not self.finding.sharing or any(
            seen.outside or seen.others or any(frame is not seen.place.frame for frame, _, _ in seen.names)
            for seen in self.finding.sharing
        )

    def _under_no_grad(self) -> FixPlan:
        if any(seen.several for seen in self.finding.sharing):
            raise Refused("one of several views is written, and the others could not be used afterwards")
        name = syntaxes.written_name(self.finding.at)
        if name and all(seen.view for seen in self.finding.sharing) and self.around.read_later(name):
            raise Refused(f"`{name}` is read later: was the leaf to change, or what is computed from it?")
        place, manager, step = self._block()
        self.differences["gradients no longer flow through this write"] = None
        return UnderNoGrad(*self._say(f"put the write under `with {manager}():`"), place, manager, step)

    def _block(self) -> tuple[Location, str, str]:
        """(location of the statement to put under `no_grad`, `no_grad` as the file spells it, one indentation step)."""
        statement = self.around.statement
        manager = syntaxes.no_grad(self.module)
        if manager is None:
            raise Refused("torch is not imported by name here")
        simple = isinstance(statement, (ast.Expr, ast.AugAssign)) or (
            isinstance(statement, ast.Assign) and all(isinstance(t, ast.Subscript) for t in statement.targets)
        )
        if statement is None or not simple or self.around.delayed():
            raise Refused("the write is part of a statement that has to record gradients")
        place = self._location(statement)
        lines = self.module.lines
        head = lines[place.row - 1][: statement.col_offset]
        tail = lines[place.end_row - 1][statement.end_col_offset or 0 :].strip()
        if head.strip() or (tail and not tail.startswith(b"#")):
            raise Refused("the statement shares its line with another")
        return place, manager, syntaxes.step(self.module)
