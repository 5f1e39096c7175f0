"""Questions about attached files: how they are named, and questions about one as a whole. English, German, Korean."""

from __future__ import annotations

import re

from footnote.text.tokens import content_terms

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
"""What names the attached files."""
STANDS_FOR = {"en": "it", "de": "es"}
"""What a reference is replaced by, so that its words are not searched for."""
WHOLE = re.compile(
    r"\b(?:summar(?:y|i[sz]e[sd]?|ies)|overview|gist|recap|synopsis|outline|tl;?dr|main|key|central|important|points?|findings?|messages?"
    r"|contents?|contains?|say|says|tell|tells|describe[sd]?|explain|about|inside|please|short(?:ly)?|brief(?:ly)?|sentences?|words?|few|one|two|three|four|five|ten|\d+)\b"
    r"|\b(?:zusammenfass\w*|fasse?n?|zusammen|überblick|übersicht|kurzfassung|inhalt(?:e|s)?|kernaussagen?|wichtigste[nrs]?|punkte?|aussagen?"
    r"|worum|wovon|geht|handelt|steht|sagt|enthält|beschreibe?|bitte|kurz(?:e|en)?|sätzen?|worten|zwei|drei|vier|fünf|zehn)\b"
    r"|요약\S*|정리\S*|개요\S*|핵심\S*|요점\S*|내용\S*|간단히|짧게|알려\S*|설명\S*|보여\S*|무슨|무엇\S*|뭐\S*|대해\S*|대한|관한|있\S*|인가요"
    r"|주요|(?:해 ?)?(?:줘|주세요)\S*",
    re.IGNORECASE,
)
"""Words of a question about all that a file says."""


def names_attached(question: str) -> bool:
    """Whether the question names attached files."""
    return REFERENCE.search(question) is not None


def without_reference(question: str, lang: str) -> str:
    """The question with a pronoun in place of what names the files."""
    return " ".join(REFERENCE.sub(STANDS_FOR.get(lang, ""), question).split())


def asks_for_whole(question: str, lang: str) -> bool:
    """Whether the question is about all that the files say: besides them it names nothing."""
    rest = REFERENCE.sub(" ", question)
    return (names_attached(question) or WHOLE.search(question) is not None) and not [
        term for term in content_terms(WHOLE.sub(" ", rest), lang) if len(term) > 1
    ]
