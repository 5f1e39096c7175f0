"""The line in which a model writes what could be asked next, cut at every position."""

from __future__ import annotations

import pytest

from footnote.answer.stream_filters import QuestionsFilter

REPLIES = [
    ("14 days [1].\n\nSUGGESTED_QUESTIONS: Who pays?|When is it due?", "14 days [1].", ("Who pays?", "When is it due?")),
    ("14 days [1]. **Suggested_Questions:** Who pays? | | Who pays? | 1) ***", "14 days [1].", ("Who pays?",)),
    ("14일.\nSUGGESTED\\_QUESTIONS：누가 내나요? | “언제인가요?” [1]\n", "14일.", ("누가 내나요?", "언제인가요?")),
    ("14 Tage.\nSUGGESTED_QUESTIONS: A? | B? | C? | D?\nSOURCES_USED: 1", "14 Tage.\nSOURCES_USED: 1", ("A?", "B?", "C?")),
    ("14.\n\nSUGGESTED_QUESTIONS:\n- Who pays?\n1. When?\n\nThe end.", "14.\n\nThe end.", ("Who pays?", "When?")),
    ("14 days.\nSUGGESTED_QUEST", "14 days.", ()),
    ("14 days.\nSUGGESTED_QUESTIONS:", "14 days.", ()),
    ("The field suggested_questions holds them.", "The field suggested_questions holds them.", ()),
    ("Is it **suggested**? Yes.", "Is it **suggested**? Yes.", ()),
    ("14.\nSUGGESTED_QUESTIONS: " + "why " * 60, "14.", ()),
    ("14.\nSUGGESTED_QUESTIONS: What is `a[1]` for [1]? | When?", "14.", ("What is `a[1]` for?", "When?")),
    ("14.\n\n```\nSUGGESTED_QUESTIONS: Who pays?\n```\n", "14.", ("Who pays?",)),
    ("14. `SUGGESTED_QUESTIONS: Who pays?`", "14.", ("Who pays?",)),
    ('```json\n{"suggested_questions": ["a?"]}\n```\n14.', '```json\n{"suggested_questions": ["a?"]}\n```\n14.', ()),
    ("The key `suggested_questions: a?` is", "The key `suggested_questions: a?` is", ()),
]


@pytest.mark.parametrize(("reply", "text", "questions"), REPLIES)
def test_the_line_is_read_and_never_shown_wherever_the_stream_is_cut(reply: str, text: str, questions: tuple[str, ...]) -> None:
    splits = [list(reply), *([reply[:cut], reply[cut:]] for cut in range(len(reply) + 1))]
    for pieces in splits:
        written = QuestionsFilter()
        shown = "".join(map(written.feed, pieces)) + written.flush()
        assert (shown.rstrip(), written.questions) == (text, questions), pieces


def test_a_list_without_an_end_does_not_hold_the_answer_back_forever() -> None:
    written = QuestionsFilter()
    assert written.feed("14.\nSUGGESTED_QUESTIONS: " + "a" * 1500) == "14." + "a" * 501
