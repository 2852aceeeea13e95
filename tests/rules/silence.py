"""Tells by running it in torch whether a program raises, has silently wrong gradients, or is right.

The program runs twice. The second time whatever is saved for backward is copied when it is saved, so that no later
write reaches it: by hooks on saved tensors, inside the hooks that the program sets itself, and for attributes of a
Function's `ctx`; a checkpointed function runs without its checkpoint. Gradients that differ were silently wrong.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
import torch.utils.checkpoint


def verdict(source: str, filename: str = "<program>") -> str:
    """raises, silent or right."""
    plain = _gradients(source, filename, protected=False)
    if isinstance(plain, RuntimeError):
        return "raises"
    protected = _gradients(source, filename, protected=True)
    assert not isinstance(protected, RuntimeError), protected
    assert len(plain) == len(protected)
    return "right" if all(map(_alike, plain, protected)) else "silent"


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-4, atol=1e-6, equal_nan=True)


def _gradients(source: str, filename: str, protected: bool) -> list[torch.Tensor] | RuntimeError:
    """Every gradient that the engine of autograd returns or leaves in a leaf, in order."""
    found: list[torch.Tensor] = []
    run_backward = torch.autograd._engine_run_backward

    def recorded(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        leaves = list(_leaves(tensors))
        result = run_backward(tensors, *args, **kwargs)
        found.extend(g.detach().clone() for g in result or () if g is not None)
        found.extend(leaf.grad.detach().clone() for leaf in leaves if leaf.grad is not None)
        return result

    torch.manual_seed(0)
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    program = compile(source, filename, "exec", dont_inherit=True)
    try:
        with mock.patch.object(torch.autograd, "_engine_run_backward", recorded):
            with mock.patch.object(torch.autograd.graph, "_engine_run_backward", recorded):
                with _copying() if protected else ExitStack():
                    exec(program, {"__name__": "__main__"})
    except RuntimeError as error:
        return error
    finally:
        torch.set_grad_enabled(True)
    return found


def _leaves(tensors: Any) -> Iterator[torch.Tensor]:
    """The leaves that a backward from these tensors reaches, each once, in a fixed order."""
    listed = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
    pending = [t.grad_fn for t in listed if t.grad_fn is not None]
    seen = set(pending)
    while pending:
        node = pending.pop(0)
        if hasattr(node, "variable"):
            yield node.variable
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                pending.append(following)


@contextmanager
def _copying() -> Iterator[None]:
    """What is saved is a copy."""
    hooks = torch.autograd.graph.saved_tensors_hooks
    begin = hooks.__init__

    def initialise(self: Any, pack: Any, unpack: Any) -> None:
        begin(self, lambda tensor: pack(tensor.clone()), unpack)

    def unchecked(function: Any, *args: Any, **kwargs: Any) -> Any:
        for option in ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug"):
            kwargs.pop(option, None)
        return function(*args, **kwargs)

    def remember(self: Any, name: str, value: Any) -> None:
        object.__setattr__(self, name, value.clone() if isinstance(value, torch.Tensor) else value)

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(hooks, "__init__", initialise))
        stack.enter_context(mock.patch.object(torch.utils.checkpoint, "checkpoint", unchecked))
        stack.enter_context(
            mock.patch.object(torch.autograd.function.FunctionCtx, "__setattr__", remember, create=True)
        )
        stack.enter_context(hooks(lambda tensor: tensor, lambda tensor: tensor))
        yield
