"""Computes the summary of a `torch.nn` module's call from its constructor arguments and its training mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_lint.torchmodel import unite
from inplace_lint.torchmodel.facts import Const, Facts, Param, parse_params
from inplace_lint.torchmodel.op import Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inplace_lint.torchmodel.op import Arg, Binding


#: The cache of summaries is cleared when it holds more configurations than this.
_KEPT = 200


class Module:
    """One module class. `params` are its constructor's parameters, `forward` those of its call."""

    __slots__ = ("_facts", "_rows", "_weights", "forward", "name", "params")

    def __init__(self, name: str, raw: Sequence[str], autocast: str = "") -> None:
        self.name = name
        self.params = parse_params(raw[0])
        self.forward = parse_params(raw[1])
        self._weights = raw[2]
        self._rows = []
        self._facts: dict[object, Facts] = {}
        for text in raw[3:]:
            behaviour, _, condition = text.partition("|")
            row = Row(name, raw[1], behaviour, condition)
            row.autocast = autocast
            self._rows.append(row)

    def __repr__(self) -> str:
        return f"Module({self.name})"

    def config(self, args: Sequence[Arg], kwargs: Mapping[str, Arg]) -> dict[str, Arg]:
        """The constructor's arguments by name, including the defaults of those that are not passed."""
        config: dict[str, Arg] = {p.name: p.default for p in self.params if p.default is not None}
        for param, arg in zip(self.params, args, strict=False):
            config[param.name] = arg
        config.update(kwargs)
        return config

    def has_weights(self, config: Mapping[str, Arg]) -> bool:
        """Whether the module owns parameters that require grad; True if the configuration does not decide it."""
        if not self._weights:
            return False
        if self._weights == "1":
            return True
        probe = Row(self.name, "", "", self._weights)
        return self._applies(probe, config, None) is not False

    def facts(self, config: Mapping[str, Arg], training: bool | None) -> Facts:
        """The summary of a call. `config` maps constructor parameters to Const or "?"; others have their defaults."""
        key = (training, *config.items())
        known = self._facts.get(key)
        if known is None:
            if len(self._facts) > _KEPT:
                self._facts.clear()
            known = self._facts[key] = self._applied(config, training)
        return known

    def _applied(self, config: Mapping[str, Arg], training: bool | None) -> Facts:
        live: list[Facts] = []
        flags: list[str] = []
        for row in self._rows:
            verdict = self._applies(row, config, training)
            if verdict is not False:
                live.append(row.facts(self.forward, False))
                if verdict is not True and verdict not in flags:
                    flags.append(str(verdict))
        if not live:
            return Facts(self.name, self.forward)
        return live[0] if len(live) == 1 else unite.united(live, tuple(flags))

    def bind(self, args: Sequence[Arg], kwargs: Mapping[str, Arg]) -> Binding:
        """For each parameter of `forward`, the position or keyword of its argument; None if it has its default."""
        names = [p.name for p in self.forward]
        return tuple(i if i < len(args) else name if name in kwargs else None for i, name in enumerate(names))

    def _applies(self, row: Row, config: Mapping[str, Arg], training: bool | None) -> bool | str:
        params = [*self.params, Param("training", "b", False, None, False)]
        values = dict(config)
        values.setdefault("training", "?" if training is None else Const(training))
        binding = tuple(p.name if p.name in values else None for p in params)
        return row.test(tuple(params), binding, (), values)
