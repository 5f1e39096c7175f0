"""Replies in which a model repeats itself."""

from __future__ import annotations

import pytest

from footnote.answer.repetition import RepetitionGuard

SEVERAL = "Ask your supervisor first. Then fill in the form and send it to HR. "
ITEMS = "".join(f"{number}. Ask your supervisor for leave.\n" for number in range(60))


def ended_at(text: str, step: int = 4) -> int | None:
    """How much had been read when the loop was noticed."""
    guard = RepetitionGuard()
    return next((at + step for at in range(0, len(text), step) if guard.feed(text[at : at + step])), None)


@pytest.mark.parametrize(
    ("text", "latest"),
    [
        ("the " * 500, 400),
        ("You can take six weeks off in a row. " * 30, 400),
        (SEVERAL * 20, 400),
        (f"It opened in 1894. {SEVERAL * 20}", 500),
        (ITEMS, 500),
        ("".join(f"{SEVERAL}[{number}] " for number in range(40)), 700),
        ("휴가는 상사에게 먼저 신청하세요. " * 60, 500),
        ("Fragen Sie zuerst die Leitung. Danach geht es weiter.\n" * 30, 400),
        ("\n" * 3000, 1200),
        ("- " * 2000, 1200),
    ],
)
def test_a_loop_is_noticed_soon(text: str, latest: int) -> None:
    at = ended_at(text)
    assert at is not None
    assert at <= latest


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"| room {number} | {number * 3} seats | no | no |\n" for number in range(80)),
        "".join(f"{number}. Week {number}: ask your supervisor for leave.\n" for number in range(80)),
        f"| name | seats |\n|{'-' * 400}|{'-' * 400}|\n| Kepler | 11 |\n",
        "Yes. " * 20 + "These are the answers to the twenty questions of the form.",
        "for row in rows:\n    print(row)\n\n" * 2 + "for row in reversed(rows):\n    print(row)\n" * 2,
        SEVERAL * 2 + "That is all that the handbook says of leave. " + SEVERAL,
    ],
)
def test_lists_tables_and_code_are_no_loops(text: str) -> None:
    assert ended_at(text) is None


def test_the_size_of_the_pieces_does_not_matter() -> None:
    assert {ended_at(SEVERAL * 20, step) is not None for step in (1, 3, 50, 1000)} == {True}
