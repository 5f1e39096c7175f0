"""How questions and answers are marked in texts (“Q:”, “Frage 3:”, “답:”), and what a question looks like, in three languages."""

from __future__ import annotations

import re

QUESTION_MARK = r"(?:(?:Q|Question|F|Frage|문|질문)\s?\d{0,3}\s?[:：]|(?:Q|F|문|질문)\s?\d{1,3}\s?[.)]|Q[.])"
"""“F.” alone is an initial."""
ANSWER_MARK = r"(?:(?:A|Answer|Antwort|답|답변)\s?\d{0,3}\s?[:：]|(?:A|답)\s?\d{1,3}\s?[.)]|A[.])"

ASKS = {
    "en": re.compile(r"(?:What|How|When|Where|Who|Why|Which|Can|Could|Do|Does|Is|Are|May|Must|Should|Will)\b"),
    "de": re.compile(
        r"(?:Was|Wie|Wann|Wo|Wohin|Woher|Wer|Wem|Wen|Warum|Wieso|Welche[rnms]?|Kann|Können|Darf|Dürfen|Muss|Müssen|Ist|Sind|Gibt"
        r"|Hat|Haben|Soll|Werden|Wird|Brauche)\b"
    ),
    "ko": re.compile(r".*(?:나요|까요|니까|가요|인가|하나)[?？]"),
}
"""Language → what a question that is a paragraph of its own begins with; in Korean all of it."""

QUESTION_WORD = {
    "en": re.compile(r"\b(?:what|how|when|where|whom?|whose|why|which)\b", re.IGNORECASE),
    "de": re.compile(r"\b(?:was|wie|wann|wo|wohin|woher|wer|wem|wen|wessen|warum|wieso|weshalb|welche[rnms]?)\b", re.IGNORECASE),
    "ko": re.compile(r"무엇|무슨|뭐|어떻게|어떤|언제|어디|누가|누구|왜|어느|몇|얼마"),
}
"""Language → a word that only questions and clauses like them have."""
