"""A plan as edits of the file: the call in place of the product, statements that nobody needs any more taken out.

What the edits touch is decided on the syntax tree, by name: a statement goes only if every reader of what it binds goes
too. The text of everything else, comments included, stays as it is.
"""

from __future__ import annotations

from ..model import Edit, Location, Refused
from ..syntax.module import inner_bodies
from .terms import Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from ..syntax.module import Module
    from .plan import Plan
else:
    import _ast as ast

_WIDTH = 100
_KERNEL = "scaled_dot_product_attention"


class Removal:
    """The statements that go, and those of them that a reader may miss (prints and asserts about shapes)."""

    __slots__ = ("said", "statements")

    def __init__(self, statements: list[ast.stmt], said: list[ast.stmt]) -> None:
        self.statements, self.said = statements, said


def removal(plan: Plan) -> Removal:
    """What the rewrite takes out. Raises Refused where something else reads what would go."""
    return _Removing(plan).run()


class _Removing:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        root = plan.evaluation.root
        self.root = root.node
        self.module = root.module
        self.parents: dict[int, tuple[ast.stmt | None, list[ast.stmt]]] = {}
        self.statements: list[ast.stmt] = []
        body = getattr(self.root, "body", [])
        if not isinstance(body, list):
            raise Refused("the attention stands in a lambda")
        self._collect(body, None)

    def _collect(self, body: list[ast.stmt], parent: ast.stmt | None) -> None:
        for statement in body:
            self.parents[id(statement)] = (parent, body)
            self.statements.append(statement)
            for inner in inner_bodies(statement):
                self._collect(inner, statement)

    def run(self) -> Removal:
        plan, site = self.plan, self.plan.site
        assert plan.anchor is not None
        self.anchor = self._statement_of(plan.anchor)
        if self.anchor is None:
            raise Refused("the product with the values stands in no statement of its own")
        steps: set[Term] = {*site.scores.steps, *site.weights.steps, site.softmax}
        if site.softmax.op != "softmax":
            steps |= {site.softmax.args[0], site.softmax.args[1], site.softmax.args[0].args[0]}
            steps |= {t for t in (*site.softmax.args[0].args[0].operands,) if t.op in ("amax", "detach")}
            steps |= {t.args[0] for t in list(steps) if t.op == "detach"}
        steps.discard(site.result)
        self._only_computes(steps)
        going: list[ast.stmt] = []
        for node in self._nodes(steps):
            statement = self._statement_of(node)
            if statement is None or statement is self.anchor or statement in going:
                continue
            going.append(statement)
        for statement in going:
            if _bound(statement) is None:
                raise Refused(
                    f"the scores are computed in a statement that does more (line {statement.lineno})"
                )
        going, said = self._closed(going)
        return Removal(going, said)

    def _only_computes(self, steps: set[Term]) -> None:
        """The helpers that the way leads through must do nothing else."""
        root = self.plan.evaluation.root
        helpers = {one.function for one in steps if one.function is not None and one.function is not root}
        result = self.plan.site.result
        if result.function is not None and result.function is not root:
            helpers.add(result.function)
        for sink in self.plan.evaluation.sinks:
            if sink.function in helpers and sink.kind in ("store", "print", "item", "call"):
                raise Refused("a helper that computes the attention does something else as well")

    def _nodes(self, steps: set[Term]) -> list[ast.AST]:
        evaluation = self.plan.evaluation
        nodes = [one.at for one in steps if one.at is not None and one.function is evaluation.root]
        nodes += [m.at for m in evaluation.moments if m.depth == 0 and m.term in steps]
        inside = (self.root.lineno, self.root.end_lineno or 0)
        return [n for n in nodes if inside[0] <= getattr(n, "lineno", 0) <= inside[1]]

    def _statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement around an expression."""
        best = None
        for statement in self.statements:
            if _contains(statement, node) and (best is None or _contains(best, statement)):
                best = statement
        return best

    def _closed(self, going: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The statements that go with these: prints of shapes, emptied ifs, masks and sizes that served only them."""
        said: list[ast.stmt] = []
        gone = list(going)
        for _ in range(20):
            before = len(gone)
            self._prints(gone, said)
            self._ifs(gone)
            self._unused(gone)
            if len(gone) == before:
                break
        self._check(gone)
        for node in self.plan.moved:
            inside = self._statement_of(node)
            anchor = self.plan.anchor
            if inside not in gone and not (anchor is not None and _contains(anchor, node)):
                raise Refused(
                    "a value that the call needs has no name at the place where the product is computed"
                )
        return gone, said

    def _prints(self, gone: list[ast.stmt], said: list[ast.stmt]) -> None:
        names = self._names(gone)
        for statement in self.statements:
            if statement in gone or statement is self.anchor:
                continue
            if not isinstance(statement, ast.Assert) and not _is_print(statement):
                continue
            if any(name in names and self._may_see(load, name, gone) for load, name in _loads(statement)):
                gone.append(statement)
                said.append(statement)

    def _ifs(self, gone: list[ast.stmt]) -> None:
        for statement in self.statements:
            if isinstance(statement, ast.If) and statement not in gone and statement is not self.anchor:
                inner = [*statement.body, *statement.orelse]
                if all(one in gone or isinstance(one, ast.Pass) for one in inner) and any(
                    one in gone for one in inner
                ):
                    gone.append(statement)

    def _unused(self, gone: list[ast.stmt]) -> None:
        """Plain assignments whose readers all go."""
        anchor = self.plan.anchor
        kept_text = " ".join([*self.plan.arguments, self.plan.after])
        kept_names = _words(kept_text)
        for statement in self.statements:
            bound = _bound(statement)
            if (
                statement in gone
                or statement is self.anchor
                or not bound
                or not isinstance(statement, ast.Assign)
            ):
                continue
            if _has_call(statement.value) and not _is_pure(statement.value):
                continue
            (name,) = bound
            loads = [(load, other) for s in self.statements for load, other in _own_loads(s) if name in other]
            if not loads or name in kept_names:
                continue
            inside = [
                any(_contains(one, load) for one in gone) or (anchor is not None and _contains(anchor, load))
                for load, _ in loads
            ]
            if all(inside) and self._stores(name) == 1:
                gone.append(statement)

    def _stores(self, name: str) -> int:
        count = 0
        for statement in self.statements:
            bound = _bound(statement)
            count += bool(bound and name in bound)
            if bound is None:
                count += sum(
                    isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
                    for n in _walk_own(statement)
                )
        return count

    def _names(self, gone: list[ast.stmt]) -> set[str]:
        return {name for one in gone for name in (_bound(one) or ())}

    def _check(self, gone: list[ast.stmt]) -> None:
        names = self._names(gone)
        anchor = self.plan.anchor
        for statement in self.statements:
            if statement in gone:
                continue
            for load, name in _loads_of_own(statement):
                if name not in names or (anchor is not None and _contains(anchor, load)):
                    continue
                if self._may_see(load, name, gone):
                    raise Refused(f"`{name}` is also read on line {load.lineno}")
        kept = _words(" ".join([*self.plan.arguments, self.plan.after]))
        if kept & names:
            term_names = self.plan.evaluation  # a name that is written anew between cannot be told apart here
            assert term_names is not None
            for name in kept & names:
                if not self._rebound(name, gone):
                    raise Refused(f"`{name}` holds the scores as well as a value that the call needs")
        for statement in gone:
            parent, body = self.parents[id(statement)]
            if parent is not None and parent not in gone and all(one in gone for one in body):
                raise Refused(f"nothing would be left under line {parent.lineno}")
            if self._shares_line(statement):
                raise Refused(f"line {statement.lineno} holds several statements")

    def _rebound(self, name: str, gone: list[ast.stmt]) -> bool:
        """Whether a statement that stays binds the name last before the anchor, whatever goes."""
        assert self.anchor is not None
        last = [
            s
            for s in self.statements
            if name in (_bound(s) or ())
            and s.lineno < self.anchor.lineno
            and self._level(s) == self._level(self.anchor)
        ]
        return bool(last) and last[-1] not in gone

    def _level(self, statement: ast.stmt) -> int:
        return id(self.parents[id(statement)][1])

    def _may_see(self, load: ast.expr, name: str, gone: list[ast.stmt]) -> bool:
        """Whether a read of a name may see what a removed statement bound."""
        writers = [one for one in gone if name in (_bound(one) or ())]
        first = min(one.lineno for one in writers)
        if load.lineno < first and not any(self._in_loop(one) for one in writers):
            return False
        assert self.anchor is not None
        # Bound anew by a statement that always runs between: by the anchor's own, or a later one beside it.
        block = self.parents[id(self.anchor)][1]
        for statement in block[block.index(self.anchor) :]:
            if statement in gone:
                continue
            if (
                statement.end_lineno is not None
                and statement.end_lineno < load.lineno
                and name in _surely(statement)
            ):
                return not all(self._under(one, block) for one in writers)
        return True

    def _under(self, statement: ast.stmt, block: list[ast.stmt]) -> bool:
        return any(_contains(one, statement) for one in block)

    def _in_loop(self, statement: ast.stmt) -> bool:
        parent = self.parents[id(statement)][0]
        while parent is not None:
            if isinstance(parent, (ast.For, ast.While, ast.AsyncFor)):
                return True
            parent = self.parents[id(parent)][0]
        return False

    def _shares_line(self, statement: ast.stmt) -> bool:
        first = self.module.lines[statement.lineno - 1][: statement.col_offset]
        end = statement.end_lineno or statement.lineno
        rest = self.module.lines[end - 1][statement.end_col_offset or 0 :].strip()
        return bool(first.strip()) or (bool(rest) and not rest.startswith(b"#"))


def edits(source: str, plan: Plan) -> tuple[Edit, ...]:
    """The plan's edits of its file, disjoint and in order. Raises Refused."""
    del source  # the tree of the plan is that of this text
    module = plan.evaluation.root.module
    gone = removal(plan).statements
    made = _take_out(module, gone)
    name, importing = _kernel_name(module, plan)
    made.append(_call(module, plan, name))
    if importing is not None:
        made.append(importing)
    return tuple(sorted(made, key=lambda edit: edit.location.key()))


def _take_out(module: Module, gone: list[ast.stmt]) -> list[Edit]:
    """Delete whole lines, but for the comments among them, and blank lines that would come to stand together."""
    kept: dict[int, str] = {}
    for statement in gone:
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        indent = " " * statement.col_offset
        for row in range(first, last + 1):
            comment = _comment(module, row, first, last).decode("utf-8")
            if row not in kept or not kept[row]:
                kept[row] = f"{indent}{comment}\n" if comment else ""
    rows = set(kept)
    for row in sorted(kept):
        below = row + 1
        if below in kept or below > len(module.lines) or module.lines[below - 1].strip():
            continue
        above = row
        while above in rows and not kept.get(above):
            above -= 1
        line = module.lines[above - 1].strip() if above not in rows else b"#"
        if not line or line.endswith(b":"):
            kept[below] = ""
            rows.add(below)
    edits: list[Edit] = []
    ordered = sorted(kept)
    while ordered:
        first = last = ordered.pop(0)
        while ordered and ordered[0] == last + 1:
            last = ordered.pop(0)
        content = "".join(kept[row] for row in range(first, last + 1))
        edits.append(Edit(content, Location(module.filename, first, 1, last + 1, 1)))
    return edits


def _comment(module: Module, row: int, first: int, last: int) -> bytes:
    """The comment on a row of a statement, without being misled by a `#` in a string."""
    line = module.lines[row - 1]
    if b"#" not in line:
        return b""
    import io
    import tokenize

    text = b"\n".join(module.lines[first - 1 : last]) + b"\n"
    try:
        for token in tokenize.tokenize(io.BytesIO(text).readline):
            if token.type == tokenize.COMMENT and token.start[0] == row - first + 1:
                return token.string.encode()
    except (tokenize.TokenError, IndentationError):
        position = line.rfind(b"#")
        return line[position:] if line.count(b"'") % 2 == 0 and line.count(b'"') % 2 == 0 else b""
    return b""


def _call(module: Module, plan: Plan, name: str) -> Edit:
    anchor = plan.anchor
    assert anchor is not None
    row, end = anchor.lineno, anchor.end_lineno or anchor.lineno  # type: ignore[attr-defined]
    line = module.lines[row - 1]
    start = len(line[: anchor.col_offset].decode("utf-8"))  # type: ignore[attr-defined]
    stop = len(module.lines[end - 1][: anchor.end_col_offset].decode("utf-8"))  # type: ignore[attr-defined]
    last = module.lines[end - 1].decode("utf-8")
    before = line.decode("utf-8")[:start].rstrip()
    if before.endswith("(") and last[stop : stop + 1] == ")" and len(before) == start:
        outer = before[:-1].rstrip()
        if not outer or not (outer[-1].isalnum() or outer[-1] in "_)]}"):
            start, stop = start - 1, stop + 1  # parentheses around the product alone
        elif outer.rpartition(" ")[2] in ("return", "yield", "in", "not", "and", "or", "else"):
            start, stop = start - 1, stop + 1
    rest = len(last) - stop
    text = f"{name}({', '.join(plan.arguments)}){plan.after}"
    if start + len(text) + rest > _WIDTH:
        indent = " " * (len(line) - len(line.lstrip()))
        head = ", ".join(plan.arguments[:3])
        rows = [head, *plan.arguments[3:]]
        if len(indent) + 4 + len(head) > _WIDTH:
            rows = plan.arguments
        inner = "".join(f"{indent}    {argument},\n" for argument in rows)
        text = f"{name}(\n{inner}{indent}){plan.after}"
    return Edit(text, Location(module.filename, row, start + 1, end, stop + 1))


def _kernel_name(module: Module, plan: Plan) -> tuple[str, Edit | None]:
    """How the file calls the kernel, and the import where it needs one."""
    local = plan.evaluation.root.scope[0]
    for bound, imported in module.imports.items():
        full = imported.module if imported.member is None else f"{imported.module}.{imported.member}"
        if bound in local or bound in module.multiple or bound in module.functions:
            continue
        if imported.level == 0 and full == "torch.nn.functional":
            return f"{bound}.{_KERNEL}", None
        if imported.level == 0 and full == f"torch.nn.functional.{_KERNEL}":
            return bound, None
    for bound, imported in module.imports.items():
        if (
            imported.level == 0
            and imported.member is None
            and imported.module == "torch"
            and bound not in local
        ):
            return f"{bound}.nn.functional.{_KERNEL}", None
    name = "F" if not _binds(module, "F") and "F" not in local else "torch_functional"
    row = _after_imports(module)
    text = f"import torch.nn.functional as {name}\n"
    return f"{name}.{_KERNEL}", Edit(text, Location(module.filename, row, 1, row, 1))


def _binds(module: Module, name: str) -> bool:
    return any(
        name in names for names in (module.imports, module.functions, module.classes, module.assignments)
    )


def _after_imports(module: Module) -> int:
    row = 1
    for statement in module.tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            row = (statement.end_lineno or statement.lineno) + 1
        elif row > 1:
            break
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
    return row


# The syntax tree


def _contains(outer: ast.AST, inner: ast.AST) -> bool:
    a = (outer.lineno, outer.col_offset)  # type: ignore[attr-defined]
    b = (outer.end_lineno or 0, outer.end_col_offset or 0)  # type: ignore[attr-defined]
    c = (inner.lineno, inner.col_offset)  # type: ignore[attr-defined]
    d = (inner.end_lineno or 0, inner.end_col_offset or 0)  # type: ignore[attr-defined]
    return bool(a <= c and d <= b)


def _bound(statement: ast.stmt) -> tuple[str, ...] | None:
    """The one name that a removable statement binds or changes; None for a statement of another kind."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AugAssign) or (isinstance(statement, ast.AnnAssign) and statement.value):
        target = statement.target
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        if not isinstance(func, ast.Attribute) or not func.attr.endswith("_"):
            return None
        target = func.value
    else:
        return None
    if _has_walrus(statement):
        return None
    return (target.id,) if isinstance(target, ast.Name) else None


def _surely(statement: ast.stmt) -> set[str]:
    """Names that a statement binds whenever it runs."""
    found: set[str] = set()
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return found
    for target in targets:
        for node in _walk(target) if target is not None else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return found


def _walk(node: ast.AST) -> list[ast.AST]:
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one)
        for field in one._fields:
            child = getattr(one, field, None)
            stack.extend(c for c in (child if isinstance(child, list) else [child]) if isinstance(c, ast.AST))
    return found


def _walk_own(statement: ast.stmt) -> list[ast.AST]:
    """The nodes of a statement without those of the statements inside it."""
    inner = {id(one) for body in inner_bodies(statement) for one in body}
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        inner = set()
    found: list[ast.AST] = []
    stack: list[ast.AST] = [statement]
    while stack:
        one = stack.pop()
        if id(one) in inner:
            continue
        found.append(one)
        for field in one._fields:
            child = getattr(one, field, None)
            stack.extend(c for c in (child if isinstance(child, list) else [child]) if isinstance(c, ast.AST))
    return found


def _loads(statement: ast.stmt) -> list[tuple[ast.expr, str]]:
    return [
        (one, one.id)
        for one in _walk(statement)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    ]


def _loads_of_own(statement: ast.stmt) -> list[tuple[ast.expr, str]]:
    """Reads in a statement; `x += y` reads x, `del x` too."""
    found: list[tuple[ast.expr, str]] = [
        (one, one.id)
        for one in _walk_own(statement)
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    ]
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        found.append((statement.target, statement.target.id))
    return found


def _own_loads(statement: ast.stmt) -> list[tuple[ast.expr, tuple[str, ...]]]:
    return [(load, (name,)) for load, name in _loads_of_own(statement)]


def _has_walrus(node: ast.AST) -> bool:
    return any(isinstance(one, ast.NamedExpr) for one in _walk(node))


def _has_call(node: ast.AST) -> bool:
    return any(isinstance(one, (ast.Call, ast.Await, ast.Yield)) for one in _walk(node))


#: Calls that can be left out where nobody reads their result.
_PURE = frozenset(
    "tril triu ones zeros full size sqrt view reshape unsqueeze expand bool to float eq ne lt gt tensor arange "
    "transpose permute finfo expand_as len int".split()
)


def _is_pure(node: ast.AST) -> bool:
    for one in _walk(node):
        if isinstance(one, ast.Call):
            name = getattr(one.func, "attr", getattr(one.func, "id", ""))
            if name not in _PURE:
                return False
        if isinstance(one, (ast.Await, ast.Yield, ast.YieldFrom)):
            return False
    return True


def _is_print(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and getattr(statement.value.func, "id", "") == "print"
    )


def _words(text: str) -> set[str]:
    words, word = set(), ""
    for letter in text + " ":
        if letter.isalnum() or letter == "_":
            word += letter
        else:
            if word:
                words.add(word)
            word = ""
    return words
