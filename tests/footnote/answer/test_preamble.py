"""What a model says before its answer, cut at every position."""

from __future__ import annotations

import pytest

from footnote.answer.preamble import PreambleFilter

EN, DE, KO = "What is the refund policy in 2024?", "Wie ist die Rückgabe geregelt?", "환불 규정은 어떻게 되나요?"

REMOVED = [
    (EN, "Sure, I'll help:", "Refunds take 14 days [1]."),
    (EN, "Certainly! Here is a summary of the refund policy:", "- 14 days [1]"),
    (EN, "Great question! ", "Refunds take 14 days [1]."),
    (EN, "Great question! I’d be happy to help.", "Refunds take 14 days [1]."),
    (EN, "Based on the provided documents, here is the answer to your question:\n\n", "14 days [1]."),
    (EN, "Thank you for your question. Here is the information on the 2024 refund policy:", "14 days."),
    (EN, "According to the provided documents, here's the answer:", "14 days [1]."),
    (EN, "Answer:", "14 days [1]."),
    (DE, "Basierend auf den bereitgestellten Dokumenten finden Sie hier die Antwort:", "14 Tage [1]."),
    (DE, "Natürlich, ich erkläre Ihnen das gerne.", "14 Tage [1]."),
    (KO, "질문에 대한 답변은 다음과 같습니다.", "환불은 14일 걸립니다 [1]."),
    (DE, "Natürlich, hier ist die Antwort auf Ihre Frage:", "Die Rückgabe dauert 14 Tage [1]."),
    (DE, "Gerne helfe ich Ihnen weiter!", "Die Rückgabe dauert 14 Tage [1]."),
    (DE, "Vielen Dank für Ihre Frage. Im Folgenden finden Sie eine Übersicht:", "- 14 Tage"),
    (KO, "물론입니다. 다음은 환불 규정에 대한 답변입니다:", "환불은 14일 걸립니다 [1]."),
    (KO, "좋은 질문입니다!", "환불은 14일 걸립니다 [1]."),
    (KO, "네, 환불 규정에 대해 설명해 드리겠습니다.", "환불은 14일 걸립니다 [1]."),
]
KEPT = [
    (EN, "Sure. Refunds take 14 days [1]."),
    (EN, "Of course. [1]"),
    (EN, "Yes, certainly! [1]"),
    (EN, "Here are the 3 refund options:\n- cash"),
    (EN, "Sure, here is the answer [1]: 14 days."),
    (EN, "Certainly! Refunds are given within 14 days: see the policy [1]."),
    (EN, "Sure, here is the answer: [1]"),
    (EN, "Here is the refund policy for Germany: 14 days."),
    (EN, "Based on the documents, refunds take 14 days."),
    (EN, "I can help managers only: they decide."),
    (EN, "According to the documents, refunds are given: 14 days."),
    (EN, "Answer. It depends."),
    (EN, "I'm sorry, but I don't know."),
    (EN, "**Sure**: 14 days."),
    (EN, "Here is the answer:"),
    (EN, ""),
    (DE, "Natürlich. Die Rückgabe dauert 14 Tage."),
    (DE, "Hier ist die Rückgabe geregelt: 14 Tage."),
    (DE, "Gute Fragen kosten nichts."),
    (KO, "물론입니다. 환불은 14일 걸립니다."),
    (KO, "다음은 환불 불가 품목에 대한 내용입니다: 식품 [1]"),
    (KO, "환불 규정은 다음과 같습니다. 14일 [1]"),
    (KO, "네."),
]


def shown(question: str, *pieces: str) -> str:
    preamble = PreambleFilter(question)
    return "".join(map(preamble.feed, pieces)) + preamble.flush()


@pytest.mark.parametrize(("question", "preamble", "answer"), REMOVED)
def test_a_preamble_is_removed_wherever_the_stream_is_cut(question: str, preamble: str, answer: str) -> None:
    reply = f"{preamble} {answer}"
    assert shown(question, *reply) == answer
    assert {shown(question, reply[:cut], reply[cut:]) for cut in range(len(reply) + 1)} == {answer}


@pytest.mark.parametrize(("question", "reply"), KEPT)
def test_nothing_that_may_state_something_is_removed(question: str, reply: str) -> None:
    assert shown(question, *reply) == reply
    assert {shown(question, reply[:cut], reply[cut:]) for cut in range(len(reply) + 1)} == {reply}


def test_only_words_that_may_begin_a_preamble_are_held_back() -> None:
    for pieces, ready in ((("Mon", "ey", " is"), ["Mon", "ey", " is"]), (("Su", "re", "ly", " so"), ["", "", "Surely", " so"])):
        preamble = PreambleFilter(EN)
        assert list(map(preamble.feed, pieces)) == ready
