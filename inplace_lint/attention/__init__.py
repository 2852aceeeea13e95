"""Finds naive attention, softmax(QKᵀ)V, in the value graph of a function and plans one fused kernel call in its place.

Few files contain attention. `worth_a_look` is the textual prefilter that runs before the rest of the package is
imported.
"""

from __future__ import annotations

#: The fused kernel and `nn.MultiheadAttention`: each contains both the softmax and the products.
WHOLE = (b"scaled_dot_product_attention", b"MultiheadAttention")
SOFTMAX = (b"oftmax", *WHOLE)
PRODUCTS = (b"matmul", b"bmm", b"einsum", b".mm(", *WHOLE)


def worth_a_look(source: bytes) -> bool:
    """Whether a file's text contains the kernel, `nn.MultiheadAttention`, or both a softmax and a matrix product."""
    if any(word in source for word in WHOLE):
        return True
    if b"oftmax" not in source and not (b"exp(" in source and (b"sum(" in source or b"sumexp(" in source)):
        return False
    return any(word in source for word in PRODUCTS) or bool(at_signs(source))


def at_signs(source: bytes) -> list[int]:
    """Positions of `@` that may be a matrix product, not a decorator: other code precedes it on its line."""
    found = []
    position = source.find(b"@")
    while position >= 0:
        before = source[source.rfind(b"\n", 0, position) + 1 : position].strip()
        if before and not before.startswith(b"#"):
            found.append(position)
        position = source.find(b"@", position + 1)
    return found
