"""Finds naive attention, softmax(QKᵀ)V, in the value graph of a function and plans one fused kernel call in its place.

Few files contain attention. `worth_a_look` is the textual prefilter that runs before the rest of the package is
imported.
"""

from __future__ import annotations

#: The kernel and the module of attention are a softmax and a product in one.
WHOLE = (b"scaled_dot_product_attention", b"MultiheadAttention")
SOFTMAX = (b"oftmax", *WHOLE)
PRODUCTS = (b"matmul", b"bmm", b"einsum", b".mm(", *WHOLE)


def worth_a_look(source: bytes) -> bool:
    """Whether a softmax and a product, the kernel or a module of attention stand in a file's text."""
    if any(word in source for word in WHOLE):
        return True
    if b"oftmax" not in source and not (b"exp(" in source and (b"sum(" in source or b"sumexp(" in source)):
        return False
    return any(word in source for word in PRODUCTS) or bool(at_signs(source))


def at_signs(source: bytes) -> list[int]:
    """Where `@` is a product: something other than space stands before it on its line."""
    found = []
    position = source.find(b"@")
    while position >= 0:
        before = source[source.rfind(b"\n", 0, position) + 1 : position].strip()
        if before and not before.startswith(b"#"):
            found.append(position)
        position = source.find(b"@", position + 1)
    return found
