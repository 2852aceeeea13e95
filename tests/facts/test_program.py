"""A wrong mark does not pass, whichever of the two answers it is wrong about."""

from __future__ import annotations

import pytest

from .program import StaticDisagreement, agree

HAZARD = """
    x = a * 1
    y = torch.sigmoid(x){save}
    y += 1{write}
    y.sum().backward(){backward}
"""
RIGHT = {"save": "", "write": "  # expect: IPL101", "backward": ""}


def test_right_mark_passes() -> None:
    agree(HAZARD.format(**RIGHT))


@pytest.mark.parametrize(
    "marks",
    [
        {"write": ""},
        {"write": "  # expect: IPL102"},
        {"write": "  # expect: IPL103"},
        {"write": "  # raises: modified by an inplace operation"},
        {"save": "  # expect: IPL101"},
        {"save": "  # expect: IPL101", "write": ""},
        {"write": "", "backward": "  # raises: other words"},
    ],
)
def test_mark_that_torch_contradicts_fails(marks: dict[str, str]) -> None:
    with pytest.raises(AssertionError) as caught:
        agree(HAZARD.format(**RIGHT | marks))
    assert caught.type is AssertionError


def test_mark_that_the_analysis_contradicts_fails() -> None:
    with pytest.raises(StaticDisagreement):
        agree("b.add_(1)  # silent: IPL101")
    with pytest.raises(StaticDisagreement):
        agree(HAZARD.format(save="", write="", backward="  # raises: modified by an inplace operation"))


def test_write_that_nothing_saved_is_no_hazard() -> None:
    with pytest.raises(AssertionError, match="torch says None"):
        agree("""
            x = a * 1
            x += 1  # expect: IPL102
            x.sum().backward()
        """)
