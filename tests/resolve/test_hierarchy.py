"""The order of look-ups along bases is Python's own: each hierarchy of the table is also built as classes and asked."""

from __future__ import annotations

import pytest

from inplace_lint.resolve.hierarchy import linearised

#: Each class with its bases, in the order in which they are defined; the last one is asked.
CONSISTENT = {
    "alone": "A",
    "a chain": "A B(A) C(B)",
    "two bases": "A B C(A,B)",
    "a diamond": "A B(A) C(A) D(B,C)",
    "a diamond, the other way round": "A B(A) C(A) D(C,B)",
    "a diamond whose one side is longer": "A B(A) C(B) D(A) E(C,D)",
    "a base before what derives from nothing": "A B(A) C D(B,C)",
    "two diamonds, one on the other": "A B(A) C(A) D(B,C) E(D) F(D) G(E,F)",
    "a mixin between": "A B(A) M C(M,B) D(B) E(C,D)",
    "a base named beside its heir": "A B(A) C(B,A)",
    "the paper's first example": "O F(O) E(O) D(O) C(D,F) B(D,E) A(B,C)",
    "the paper's second example": "O F(O) E(O) D(O) C(D,F) B(E,D) A(B,C)",
    "three sides": "O A(O) B(O) C(O) D(O) E(O) K1(A,B,C) K2(D,B,E) K3(D,A) Z(K1,K2,K3)",
    "sides that agree": "A B C(A,B) D(A,B) E(C,D)",
    "an heir before a stranger": "A B(A) X C(X,B) D(A,) E(D,)",
    "many": " ".join(["A0", *(f"A{i + 1}(A{i})" for i in range(60))]),
}
REFUSED = {
    "a base before its own heir": "A B(A) C(A,B)",
    "sides that contradict each other": "A B C(A,B) D(B,A) E(C,D)",
    "one base twice": "A B(A,A)",
    "contradictions further up": "A B C(A,B) D(B,A) E(C) F(D) G(E,F)",
    "an heir of what is refused": "A B(A) C(A,B) D(C) E D(C,E)",
}


def hierarchy(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in text.split():
        name, _, bases = word.rstrip(")").partition("(")
        found[name] = [base for base in bases.split(",") if base]
    return found


def built(classes: dict[str, list[str]]) -> dict[str, type]:
    made: dict[str, type] = {}
    for name, bases in classes.items():
        made[name] = type(name, tuple(made[base] for base in bases), {})
    return made


@pytest.mark.parametrize("name", CONSISTENT)
def test_order_is_that_of_python(name: str) -> None:
    classes = hierarchy(CONSISTENT[name])
    for asked, cls in built(classes).items():
        assert linearised(asked, classes.__getitem__) == [c.__name__ for c in cls.__mro__[:-1]]


@pytest.mark.parametrize("name", REFUSED)
def test_what_python_refuses_has_each_class_once(name: str) -> None:
    classes = hierarchy(REFUSED[name])
    with pytest.raises(TypeError):
        built(classes)
    for asked in classes:
        order = linearised(asked, classes.__getitem__)
        assert order[0] == asked
        assert len(order) == len(set(order))


@pytest.mark.parametrize("text", ["A(A)", "A(B) B(A)", "A(B) B(C) C(A,D) D", "A(B,C) B(A) C(A)"])
def test_a_class_that_derives_from_itself_ends(text: str) -> None:
    classes = hierarchy(text)
    order = linearised("A", classes.__getitem__)
    assert order[0] == "A" and sorted(order) == sorted(classes)


def test_a_long_chain_is_no_recursion() -> None:
    assert len(linearised(0, lambda n: [n + 1] if n < 3000 else [])) == 3001
