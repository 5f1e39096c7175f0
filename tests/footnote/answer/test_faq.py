"""A frequent question gets the answer of the FAQ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.answer.faq import answer_from_faq, may_be_faq, questions_of
from footnote.events import Event, Token
from footnote.types import Citation, Hit, Part, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.turns import HELD, make_turn

FAQ = {"metadata": {"paragraph_type": "faq"}}
RESET = "How do I reset my password?\nOpen the portal and choose Forgotten."


def faq(text: str, doc_id: str = "faq", ordinal: int = 0, **changes: Any) -> Hit:
    return make_hit(text, doc_id, ordinal, **(FAQ | changes))


async def run(turn: Turn) -> tuple[list[Event], Turn]:
    events = [event async for event in call_step(answer_from_faq, turn, FakeDeps())]
    assert isinstance(events[-1], Turn)
    return events[:-1], events[-1]  # type: ignore[return-value]


def asked(hit: Hit) -> list[tuple[str, str]]:
    return [(question, hit.chunk.text[start:end]) for question, start, end in questions_of(hit.chunk)]


async def test_the_written_answer_is_given_with_its_source() -> None:
    hit = faq(RESET)
    tokens, turn = await run(make_turn("how do I reset my password", hits=(make_hit("Other."), hit)))
    text = "Open the portal and choose Forgotten. [1]"
    assert tokens == [Token(text)]
    assert turn.outcome == "faq"
    assert (turn.answer.text, turn.answer.extractive, turn.answer.model) == (text, True, None)
    assert turn.answer.citations == (Citation(1, hit, "Open the portal and choose Forgotten.", None, ((28, 65),), ((38, 41),)),)


async def test_its_marker_stands_below_code() -> None:
    hit = faq("How do I start it?\nLike this:\n\n```sh\nfootnote serve\n```")
    _, turn = await run(make_turn("How do I start it?", hits=(hit,)))
    assert turn.answer.text == "Like this:\n\n```sh\nfootnote serve\n```\n[1]"
    assert turn.answer.citations[0].spans == ((37, 40),)


@pytest.mark.parametrize(
    ("style", "text", "number"),
    [("footnote", "It is free. [^faq]", 1), ("numbered", "It is free. [1]", 1), ("references", "It is free.", 2)],
)
async def test_it_is_cited_in_the_style_of_the_profile(style: str, text: str, number: int) -> None:
    hits = (make_hit("Other."), faq("What does it cost?\nIt is free."))
    _, turn = await run(make_turn("What does it cost?", replace(HELD, citation_style=style), hits=hits))
    assert (turn.answer.text, turn.answer.citations[0].number) == (text, number)


@pytest.mark.parametrize(
    ("text", "changes", "found"),
    [
        ("Is it free? Yes, it is.", {}, [("Is it free?", "Yes, it is.")]),
        ("Q: Is it free?\nA: Yes.\n\nQ: For all?\nA: For members.", {}, [("Is it free?", "Yes."), ("For all?", "For members.")]),
        ("Is it free?\nYes.\n\nFor all?\nFor members.", {}, [("Is it free?", "Yes."), ("For all?", "For members.")]),
        ("Frage: Was kostet das?\nAntwort: Nichts.", {"lang": "de"}, [("Was kostet das?", "Nichts.")]),
        ("질문: 비용은 얼마인가요?\n답변: 무료입니다.", {"lang": "ko"}, [("비용은 얼마인가요?", "무료입니다.")]),
        ("질문: 비용 문의\n답: 무료입니다.", {"lang": "ko"}, [("비용 문의", "무료입니다.")]),
        ("Help › Is it free?\n\nYes.", {}, [("Is it free?", "Yes.")]),
        ("It is free.", {"metadata": {"paragraph_type": "faq", "question": "Is it free?"}}, [("Is it free?", "It is free.")]),
        ("Is it free?\nIt is.", {"metadata": {"paragraph_type": "faq", "question": "is it free"}}, [("Is it free?", "It is.")]),
        (
            "Want your money back? Open the portal.\n\nFor all?\nFor members.",
            {"metadata": {"paragraph_type": "faq", "question": "How do I get a refund?"}},
            [
                ("How do I get a refund?", "Open the portal."),
                ("Want your money back?", "Open the portal."),
                ("For all?", "For members."),
            ],
        ),
        (
            "Wie bekomme ich mein Geld zurück?\nÜber das Portal.",
            {"metadata": {"paragraph_type": "faq", "question": "Gibt es Erstattungen?"}, "lang": "de"},
            [("Gibt es Erstattungen?", "Über das Portal."), ("Wie bekomme ich mein Geld zurück?", "Über das Portal.")],
        ),
        (
            "질문: 돈을 돌려받을 수 있나요?\n답변: 포털에서 신청합니다.",
            {"metadata": {"paragraph_type": "faq", "question": "환불은 어떻게 하나요?"}, "lang": "ko"},
            [("환불은 어떻게 하나요?", "포털에서 신청합니다."), ("돈을 돌려받을 수 있나요?", "포털에서 신청합니다.")],
        ),
        ("Help\n\nYes.", {"headings": ("Is it free?",), "parts": (Part(0, 1, -1, 0), Part(6, 1, 3, 0))}, [("Is it free?", "Yes.")]),
        ("Is it free?", {}, []),
        ("It is free. Is that good?", {}, []),
    ],
)
def test_questions_are_read_from_the_passage(text: str, changes: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert asked(faq(text, **changes)) == found


@pytest.mark.parametrize(
    ("question", "lang", "text"),
    [
        ("Is parking free after 6 p.m.?", "en", "Is parking free after 8 p.m.?\nYes."),
        ("Is parking not free?", "en", "Is parking free?\nYes."),
        ("Wer darf mitfahren?", "de", "Wer darf nicht mitfahren?\nGäste."),
        ("2년 후에는 무엇이 바뀌나요?", "ko", "3년 후에는 무엇이 바뀌나요?\n없음."),
        ("Is parking free?", "en", "Is parking free of charge at night?\nYes."),
    ],
)
async def test_a_question_that_only_looks_alike_goes_to_the_model(question: str, lang: str, text: str) -> None:
    tokens, turn = await run(make_turn(question, lang=lang, hits=(faq(text, lang=lang),)))
    assert (tokens, turn.outcome, turn.answer) == ([], None, None)


async def test_a_faq_answer_is_cited_with_its_page() -> None:
    """The passage begins on page 2; the answer is on page 3."""
    text = "Opening hours are posted.\n\nIs it free?\nYes, it is."
    hit = faq(text, page=2, parts=(Part(0, 2, 0, 0), Part(text.index("Is it"), 3, 1, 0)))
    _, turn = await run(make_turn("Is it free?", hits=(hit,)))
    assert [(citation.snippet, citation.page) for citation in turn.answer.citations] == [("Yes, it is.", 3)]


async def test_only_the_first_hits_that_are_frequent_questions_count() -> None:
    hits = tuple(make_hit(f"text {i}", ordinal=i) for i in range(3))
    assert may_be_faq(make_turn(hits=(*hits[:2], faq(RESET))))
    assert not may_be_faq(make_turn(hits=(*hits, faq(RESET))))
    _, turn = await run(make_turn("How do I reset my password?", hits=(make_hit(RESET), *hits[:1], faq("Is it free?\nYes."))))
    assert turn.outcome is None


async def test_several_questions_at_once_are_for_the_model() -> None:
    turn = make_turn("…", hits=(faq(RESET),), queries=("How do I reset my password?", "Who is the admin?"))
    assert (await run(turn))[1].outcome is None
