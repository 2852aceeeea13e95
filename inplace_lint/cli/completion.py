"""The verb `completion`: a script that makes a shell complete verbs, options, rules and files."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING

from ..checks import registry
from ..project.settings import OPTIONS
from .options import UsageError, Verb

if TYPE_CHECKING:
    from argparse import Action, Namespace

    from .options import Parser

SHELLS = ("bash", "zsh", "tcsh", "fish")


def _completion(options: Namespace) -> int:
    import shtab

    if len(options.arguments) != 1 or options.arguments[0] not in SHELLS:
        given = f", not `{' '.join(options.arguments)}`" if options.arguments else ""
        raise UsageError(f"completion takes the name of a shell, one of {', '.join(SHELLS)}{given}")
    script: str = shtab.complete(_whole(), options.arguments[0])
    # Bash: where no verb begins like a word, that is a file's name, as `check` may be left out.
    print(script.replace("complete -o bashdefault ", "complete -o bashdefault -o default "))
    return 0


def _whole() -> ArgumentParser:
    """All verbs and their options as one parser; those of `check` stand without the verb too."""
    from .verbs import VERBS, verb

    names = [name for rule in registry.RULES for name in (rule.code, rule.name)]
    words = {"rule": names, "config": [option.name for option in OPTIONS], "completion": SHELLS}
    root = verb("check").parser("check")
    root.prog = "inplace-lint"
    verbs = root.add_subparsers(metavar="VERB")
    _completed(root, names)
    for name, row in VERBS.items():
        parser = verbs.add_parser(name, help=row.summary)
        verb(name).options(parser)
        if name in words:
            parser.add_argument("word", nargs="*", choices=words[name])
        elif name not in ("op", "version"):
            _files(parser.add_argument("path", nargs="*"))
        _completed(parser, names)
    return root


def _completed(parser: Parser, rules: list[str]) -> None:
    """Says what the values of options are."""
    for action in parser._actions:
        if str(action.metavar).startswith("FILE"):
            _files(action)
        elif action.metavar == "RULES":
            action.choices = rules


def _files(action: Action) -> None:
    import shtab

    action.complete = shtab.FILE  # type: ignore[attr-defined]  # what shtab looks for


VERB = Verb(
    " | ".join(SHELLS),
    "Print a script that makes your shell complete verbs, options, rules and files.\n"
    "bash: inplace-lint completion bash > ~/.local/share/bash-completion/completions/inplace-lint\n"
    "zsh:  inplace-lint completion zsh > ~/.zfunc/_inplace-lint    (with ~/.zfunc in fpath)\n"
    "tcsh: inplace-lint completion tcsh > ~/.inplace-lint.csh      (source it in ~/.tcshrc)\n"
    "fish: inplace-lint completion fish > ~/.config/fish/completions/inplace-lint.fish",
    _completion,
)
