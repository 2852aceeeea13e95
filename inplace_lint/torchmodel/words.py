"""Describes what the op table knows of one op, in plain words: `inplace-lint op NAME`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_lint.torchmodel import table
from inplace_lint.torchmodel.facts import WEIGHT, Const, Facts
from inplace_lint.torchmodel.layout import keeps_statistics
from inplace_lint.torchmodel.op import Op, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inplace_lint.torchmodel.facts import Ret, Save
    from inplace_lint.torchmodel.module import Module

# Each namespace and its usual abbreviation, in the order in which a bare name is looked up.
SPACES = (
    ("torch.nn.functional", "F."),
    ("torch", "torch."),
    ("torch.special", "torch.special."),
    ("torch.linalg", "torch.linalg."),
    ("torch.fft", "torch.fft."),
    ("torch.nn.init", "nn.init."),
)
OPERATOR_NAMES = {
    "index assignment": "[]=",
    "indexing": "[]",
    "__setitem__": "[]=",
    "__getitem__": "[]",
    "x[i]": "[]",
    "x[i]=": "[]=",
    "x[i]=v": "[]=",
    "~": "invert",
}
UNARY = {"neg": "-x", "pos": "+x", "invert": "~x", "abs": "abs(x)"}
POLICY = {
    "lower": "it runs in 16 bits: a 32-bit argument is copied first, and the copy is what is saved.",
    "fp32": "it runs in 32 bits: a 16-bit argument is copied first, and the copy is what is saved.",
    "widest": "it runs in the widest dtype among its arguments: the others are copied first.",
}
ONLY = {
    "cuda": "on CUDA (cuDNN)",
    "fused kernel": "when a fused kernel runs (flash, memory-efficient, cuDNN)",
}


def describe(name: str, inplace: bool) -> str | None:
    """Describes the op that people write as `name` (`exp_`, `F.silu`, `nn.ReLU`, `+=`).

    `inplace` asks for the form with `inplace=True`. None for a name that does not exist.
    """
    name = name.strip().removesuffix("()")
    sign = OPERATOR_NAMES.get(name.replace(" ", "") if "[" in name else name, name)
    op = table.operator(sign)
    if op is not None:
        return _describe_op(
            operator_title(sign),
            op,
            inplace,
            ["left", "right"] if sign[0] != "[" else ["x", "index", "value"],
        )
    for module_name in (name, f"torch.{name}", f"torch.nn.{name}"):
        module = table.module(module_name)
        if module is not None:
            return _describe_module(module, inplace)
    found = find(name)
    if found is None:
        return None
    title, op, others = found
    text = _describe_op(title, op, inplace, [])
    if others:
        text += f"\nThe same name also exists as {listed(others)}.\n"
    return text


def find(name: str) -> tuple[str, Op, list[str]] | None:
    """The op, its full name, and the other places where its name exists."""
    name = name.removeprefix("x.").removeprefix(".")
    short = name.rpartition(".")[2]
    if name.startswith(("Tensor.", "torch.Tensor.")):
        op = table.method(short) or table.property_(short)
        return (f"torch.Tensor.{short}", op, []) if op else None
    if "." in name:
        for space, prefix in SPACES:
            if name in (
                f"{space}.{short}",
                f"{prefix}{short}",
                f"torch.{prefix}{short}",
                f"nn.functional.{short}",
            ):
                op = table.function(f"{space}.{short}")
                if op is not None:
                    return f"{space}.{short}", op, []
        return None
    places: list[tuple[str, Op]] = []
    method = table.method(short) or table.property_(short)
    if method is not None:
        places.append((f"torch.Tensor.{short}", method))
    for space, _ in SPACES:
        op = table.function(f"{space}.{short}")
        if op is not None:
            places.append((f"{space}.{short}", op))
    if not places:
        return None
    places.sort(key=lambda place: not place[1].rows)
    return places[0][0], places[0][1], [place for place, _ in places[1:]]


def missing(name: str) -> str | None:
    """Says that the name, as people write it, does not exist, and which similar one does; None if none is near."""
    name = name.strip().removesuffix("()")
    short = name.rpartition(".")[2]
    asked = name
    for space, prefix in SPACES:
        if name.startswith((prefix, space + ".")):
            asked = f"{space}.{short}"
    nearest = table.nearest(asked)
    if nearest is None:
        return None
    if "." not in nearest:
        nearest = f"torch.Tensor.{nearest}"
    bare = short.rstrip("_")
    hint = ""
    if short.endswith("_") and nearest.endswith("." + bare):
        hint = ": it has no form that ends in an underscore"
        op = table.function(nearest)
        if op is not None and any(p.name == "inplace" for row in op.rows for p in row.params):
            hint += f"; `{nearest}(..., inplace=True)` writes its input"
    version = table.get().torch_version
    return f"`{name}` does not exist in PyTorch {version}. The nearest real name is `{nearest}`{hint}"


def operator_title(sign: str) -> str:
    if sign in UNARY:
        return UNARY[sign]
    if sign == "[]":
        return "x[index]"
    if sign == "[]=":
        return "x[index] = value"
    return f"left {sign} right"


def _describe_op(title: str, op: Op, inplace: bool, spoken: list[str]) -> str:
    blocks: list[tuple[list[str], list[str]]] = []
    takes_inplace = any(p.name == "inplace" for row in op.rows for p in row.params)
    if inplace and takes_inplace:
        title += " with inplace=True"
    for row in op.rows:
        heading = call_text(row, op, inplace and takes_inplace, spoken)
        if heading is None:
            continue
        facts, names = spread(row, op)
        lines = facts_lines(facts, [*spoken, *names[len(spoken) :]])
        for headings, same in blocks:
            if same == lines:
                headings.append(heading)
                break
        else:
            blocks.append(([heading], lines))
    text = title + "\n"
    if not blocks:
        return text + "\n  It exists; what it saves, writes and aliases is not known.\n"
    for headings, lines in blocks:
        if len(blocks) > 1 or not spoken:
            text += "\n" + "".join(f"  {heading}\n" for heading in dict.fromkeys(headings))
        text += "\n" + "".join(f"    {line}\n" for line in lines)
    if inplace and not takes_inplace:
        short = op.name.rpartition(".")[2] + "_"
        real = (
            "exists"
            if table.exists_method(short) or table.exists_function(f"torch.{short}")
            else "does not exist"
        )
        text += f"\n  It takes no `inplace` argument; `{short}` {real}.\n"
    return text


def _describe_module(module: Module, inplace: bool) -> str:
    takes_inplace = any(p.name == "inplace" for p in module.params)
    title = module.name + (" with inplace=True" if inplace and takes_inplace else "")
    rows: list[tuple[list[str], list[str]]] = []
    for training in (True, False):
        config: dict[str, str | Const] = {"inplace": Const(True)} if inplace and takes_inplace else {}
        facts = module.facts(module.config((), config), training)
        lines = facts_lines(facts, [p.name for p in facts.params])
        if keeps_statistics(module.name):
            lines = _with_statistics(lines, training)
        when = "in training" if training else "in evaluation"
        if rows and rows[0][1] == lines:
            rows[0][0].append(when)
        else:
            rows.append(([when], lines))
    text = f"{title}\n"
    for modes, lines in rows:
        text += f"\n  {' and '.join(modes)}:\n\n" + "".join(f"    {line}\n" for line in lines)
    if inplace and not takes_inplace:
        text += "\n  It takes no `inplace` argument.\n"
    return text


def _with_statistics(lines: list[str], training: bool) -> list[str]:
    """The lines of a module, with what it does to its running statistics, which no argument of its call is."""
    own = "its own `running_mean` and `running_var`"
    if not training:
        place = next(i for i, line in enumerate(lines) if line.startswith("Writes"))
        saved = f"{own}, when any argument needs grad."
        return [*lines[:place], *labelled("", [saved]), *lines[place:]]
    written = [
        f"{own}, and the version counter does not move: backward cannot notice.",
        "its own `num_batches_tracked`, which no backward needs.",
    ]
    nothing = labelled("Writes", ["nothing."])
    return [new for line in lines for new in (labelled("Writes", written) if [line] == nothing else [line])]


def call_text(row: Row, op: Op, inplace: bool, spoken: list[str]) -> str | None:
    """The call as people write it, with the row's condition; None if `inplace` selects another row."""
    conditions = []
    for test in row.condition.split("&") if row.condition else ():
        name, sign, value = test.partition("!=") if "!=" in test else test.partition("==")
        if name == "inplace":
            if (sign == "==") != (value == ("T" if inplace else "F")):
                return None
            continue
        if value in ("T", "F"):
            conditions.append(f"{name} is {(value == 'T') == (sign == '==')}")
        else:
            value = {"N": "None", "tensor": "a tensor", "tensors": "a list of tensors"}.get(value, value)
            conditions.append(f"{name} is {'' if sign == '==' else 'not '}{value}")
    shown = []
    for i, param in enumerate(row.params):
        if param.code == "k" or not (param.required or param.kind in ("tensor", "tensors")):
            continue
        name = spoken[i] if i < len(spoken) else shown_name(param.name, op)
        what = {"number": ": number", "tensors": ": list of tensors"}.get(param.kind, "")
        shown.append(("*" if param.code == "tv" else "") + name + what)
    short = op.name.rpartition(".")[2]
    if spoken:
        call = ", ".join(shown)
    elif op.name.startswith("Tensor."):
        call = f"self.{short}({', '.join(shown[1:])})"
    else:
        call = f"{short}({', '.join(shown)})"
    return call + (", where " + " and ".join(conditions) if conditions else "")


def shown_name(name: str, op: Op) -> str:
    """The parameter's name in Python, where a function's `self` is called `input`."""
    return "input" if name == "self" and not op.name.startswith("Tensor.") else name


def spread(row: Row, op: Op) -> tuple[Facts, list[str]]:
    """The row's facts and parameter names, with `*tensors` shown as two of them."""
    params = row.params
    names = [shown_name(p.name, op) for p in params]
    for i, param in enumerate(params):
        if param.code == "tv":
            params = (*params[:i], param, *params[i:])
            names = [*names[:i], f"{param.name}[0]", f"{param.name}[1]", *names[i + 1 :]]
            break
    return row.facts(params, False), names


def facts_lines(facts: Facts, names: list[str]) -> list[str]:
    """The facts as lines: saves, clones, writes, returns and autocast."""
    lines = []
    lines += labelled("Saves", saves_lines(facts, names))
    if facts.clones is not None and facts.writes and facts.differentiable:
        when = "" if set(facts.clones) == set(facts.gradients) else f" when {needing(facts.clones, names)}"
        old = f"its old `{names[facts.writes[0]]}` first{when}, because backward needs the values that are overwritten:"
        lines += labelled("Clones", [old, "in place saves no memory then."])
    lines += labelled("Writes", writes_lines(facts, names))
    lines += labelled("Returns", [return_text(ret, names, facts, i) for i, ret in enumerate(facts.returns)])
    if facts.autocast and facts.saves:
        lines += labelled("Autocast", ["Under autocast " + POLICY[facts.autocast]])
    return lines


def labelled(label: str, texts: list[str]) -> list[str]:
    return [(label if i == 0 else "").ljust(10) + text for i, text in enumerate(texts)]


def saves_lines(facts: Facts, names: list[str]) -> list[str]:
    if facts.factory:
        return ["nothing: it makes a new tensor that no gradient flows from."]
    if facts.no_grad:
        return ["nothing: it runs under no_grad."]
    if facts.detaches:
        return ["nothing: no gradient flows through it."]
    if not facts.differentiable:
        if facts.key.endswith("resize_") or facts.key.endswith("resize_as_"):
            return ["nothing: on a tensor that requires grad it raises at once."]
        if facts.writes and facts.gradients:
            return ["nothing: it has no derivative. Forward runs; backward through it raises."]
        return ["nothing: no gradient flows through it."]
    alike: dict[tuple[object, ...], list[Save]] = {}
    for save in facts.saves:
        alike.setdefault((save.certainty, save.only, frozenset(save.needs), save.node), []).append(save)
    lines = [save_text(saves, facts, names) for saves in alike.values()]
    if not lines:
        lines = ["neither its arguments nor its result: writing them afterwards is fine."]
    return lines


def save_text(saves: Sequence[Save], facts: Facts, names: list[str]) -> str:
    """One line for several saves of one node under one condition."""
    save = saves[0]
    parts = [listed([target_text(one, facts, names) for one in saves])]
    if save.certainty == "may":
        parts.append("sometimes (it depends on shapes or values)")
    if save.only:
        parts.append(ONLY.get(save.only, save.only))
    elif set(save.needs) != set(facts.gradients) or len(facts.gradients) == 1:
        parts.append(f"when {needing(save.needs, names)}")
    else:
        parts.append("when any argument needs grad")
    how = save.node if len(saves) > 1 else f"{save.node} keeps it as `{save.attr}`"
    return f"{', '.join(parts)} ({how})."


def target_text(save: Save, facts: Facts, names: list[str]) -> str:
    if save.target >= 0:
        return f"`{names[save.target]}`"
    place = -1 - save.target
    if len(facts.returns) == 1:
        return "its result"
    return (
        f"its result `{facts.fields[place]}`"
        if place < len(facts.fields)
        else f"its result number {place + 1}"
    )


def needing(places: tuple[int, ...], names: list[str]) -> str:
    spoken = ["the module's own weights" if place == WEIGHT else f"`{names[place]}`" for place in places]
    verb = "needs" if len(set(spoken)) == 1 and WEIGHT not in places else "need"
    return f"{listed(dict.fromkeys(spoken), 'or')} {verb} grad"


def writes_lines(facts: Facts, names: list[str]) -> list[str]:
    if not facts.writes:
        return ["nothing."]
    what = listed([f"`{names[i]}`" for i in facts.writes])
    if not facts.counted:
        return [f"{what}, and the version counter does not move: backward cannot notice."]
    if facts.metadata_only:
        return [f"the shape and strides of {what}, not its data; the version counter moves all the same."]
    return [f"{what}, in place: the version counter moves, and a backward that needs the old values raises."]


def return_text(ret: Ret, names: list[str], facts: Facts, place: int) -> str:
    of = f"`{names[ret.of]}`" if ret.of is not None and ret.of < len(names) else "its argument"
    text = {
        "fresh": "a new tensor",
        "same": f"{of} itself, the same tensor",
        "view": f"a view of {of}: a write to one is a write to the other",
        "maybe": f"{of} itself, a view of it or a copy, whichever it can",
        "views": f"views of {of}, outputs of one op: writing any of them in place raises",
        "slices": f"views of {of}: a write to one is a write to it",
        "list": "a list of new tensors",
        "other": "no tensor",
    }.get(ret.kind, "it depends on the arguments")
    if ret.kind == "view" and ret.multi_view:
        text = f"a view of {of}, an output of many: writing it in place raises"
    if ret.kind == "view" and facts.detaches:
        text = f"a view of {of} without its history; " + (
            "the two share one version counter"
            if facts.shares_version
            else "it has a version counter of its own"
        )
    if ret.kind == "fresh" and ret.dtype in ("bool", "int"):
        text = f"a new tensor of {'booleans' if ret.dtype == 'bool' else 'integers'}"
    if facts.fields:
        text = f"`{facts.fields[place]}`: {text}"
    elif len(facts.returns) > 1:
        text = f"number {place + 1}: {text}"
    return text + "."


def listed(items: Iterable[str], word: str = "and") -> str:
    found = list(items)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} {word} {found[-1]}"
