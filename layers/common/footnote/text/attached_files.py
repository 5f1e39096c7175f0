"""Questions about attached files: how they are named, and questions about one as a whole. English, German, Korean."""

from __future__ import annotations

import re

from footnote.text.tokens import WORD, content_terms

FILE = r"(?:files?|documents?|docs?|pdfs?|attachments?|uploads?)"
DATEI = r"(?:datei(?:en)?|dokument(?:e|en|s|es)?|pdfs?|anhang|anhangs|anhänge(?:n)?|anlagen?)"
KNOWN = r"(?:the|this|that|these|those|my|both|all|all the|all of the)"
KNOWN_DE = r"(?:der|die|das|den|dem|des|diese[rnms]?|meine[rnms]?)"
REFERENCE = re.compile(
    rf"\b(?:{KNOWN} )?(?:files?|documents?|docs?|pdfs?) (?:that )?(?:i(?:'ve| have)? |we )?(?:just )?(?:attached|uploaded)\b"
    rf"|\b(?:{KNOWN} )?(?:attached|uploaded|enclosed) \w+|\b(?:the|this|that|these|those|my) {FILE}\b|\battachments?\b"
    rf"|\b(?:{KNOWN_DE} |alle )?(?:angehängte|hochgeladene|beigefügte)[rnms]? \w+|\b(?:{KNOWN_DE}|im|am) {DATEI}\b|\banh(?:ang|ängen?)\b"
    r"|(?:(?:첨부(?:한|된|해 ?준)?|업로드(?:한|된)|올린|이) ?(?:파일|문서|자료|PDF)|첨부물)(?:들)?(?:에서는?|에는?|[을를은는의이가])?",
    re.IGNORECASE,
)
"""References to the attached files."""
STANDS_FOR = {"en": "it", "de": "es"}
"""Replacement of a reference, so that its words are not searched for."""
WHOLE = tuple(
    """summar overview gist recap synops outlin tldr main key central import point finding messag content contain say tell describ explain
    insid pleas short brief sentenc word few one two three four five ten
    zusammen fass überblick übersicht kurz inhalt kernaussag wichtig punkt aussag worum wovon geht handelt steht sagt enthält
    beschreib bitte satz sätze wort worte zwei drei vier fünf zehn
    요약 정리 개요 핵심 요점 내용 간단 짧게 알려 설명 보여 무슨 무엇 뭐 대해 대한 관한 있 인가요 주요 해 줘 주세""".split()
)
"""Beginnings of words in questions about the whole content of a file."""


def names_attached(question: str) -> bool:
    """Whether the question names attached files."""
    return REFERENCE.search(question) is not None


def without_reference(question: str, lang: str) -> str:
    """The question with a pronoun in place of the reference to the files."""
    return " ".join(REFERENCE.sub(STANDS_FOR.get(lang, ""), question).split())


def asks_for_whole(question: str, lang: str) -> bool:
    """Whether the question is about the whole content of the files: it names nothing else."""
    words = WORD.findall(REFERENCE.sub(" ", question).lower())
    telling = [word for word in words if content_terms(word, lang) and len(word) > 1 and not word.isdigit()]
    says_whole = names_attached(question) or any(word.startswith(WHOLE) for word in words)
    return says_whole and all(word.startswith(WHOLE) for word in telling)
