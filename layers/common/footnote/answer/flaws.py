"""Flaws that disqualify a model's text as an answer, whatever its content; and answers that only state that the documents lack the
information. Patterns in English, German and Korean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from footnote.answer.preamble import find_end, stems_of
from footnote.text.code_spans import prose_spans
from footnote.text.language import detect_language, is_certain
from footnote.text.sentences import split_sentences
from footnote.text.tokens import UNSPACED
from footnote.types import Answer, Flaw, Turn

QUOTED = re.compile(r"“[^”]{0,600}”|„[^“”]{0,600}[“”]|«[^»]{0,600}»|\"[^\"]{0,600}\"")
WORD = re.compile(r"\w+")
LEAST_LETTERS, LEAST_WORDS = 25, 7
"""Of a text whose language counts: “Settings > Export > Download as CSV” is right in any. Words only where it has spaces."""
NAMES_LANGUAGE = re.compile(
    r"\b(?:english|german|korean|french|spanish|italian|japanese|chinese|englisch|deutsch|koreanisch|französisch|spanisch|italienisch"
    r"|japanisch|chinesisch|translat|übersetz)|영어|영문|독일어|한국어|프랑스어|스페인어|일본어|중국어|번역",
    re.IGNORECASE,
)
"""A question that names a language may ask for an answer in it."""
EN_DOCUMENTS = r"(?:context|documents?|passages?|sources?|references?|excerpts?|materials?|information)"
DE_DOCUMENTS = r"(?:kontext(?:es|s)?|dokumente?n?s?|textstellen?|quellen?|unterlagen|auszüge?n?|passagen?|referenzen?)"
KO_DOCUMENTS = r"(?:문서|문맥|컨텍스트|맥락|자료|출처|발췌문|구절|본문|참고)"

LACKS = re.compile(
    "|".join(
        (
            rf"\b(?:the|these|this|provided|given|available)\s+(?:\w+\s+)?{EN_DOCUMENTS}\b[^.!?\n]{{0,30}}?\b(?:do|does|did)(?:\s+not|n['’]t)\s+"
            r"(?:\w+ly\s+)?(?:contain|include|mention|provide|specify|say|state|answer|address|cover|give|hold|have|indicate|discuss|tell)\b",
            rf"\b(?:no|not\s+enough|not\s+any|insufficient)\s+(?:\w+\s+)?(?:information|details?|mention|answer)\b[^.!?\n]{{0,80}}\b(?:in|from)\s+"
            rf"(?:the|these|this)\s+(?:\w+\s+)?{EN_DOCUMENTS}\b",
            r"\bthere\s+is\s+(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?information\s+(?:about|on|regarding|concerning|available|to)\b",
            rf"\b(?:not|nowhere)\s+(?:\w+ly\s+)?(?:mentioned|specified|stated|provided|contained|covered|included|addressed|given|found|available)\s+"
            rf"(?:\w+\s+)?(?:in|by)\s+(?:the|these|this)\s+(?:\w+\s+)?{EN_DOCUMENTS}\b",
            r"\bI\s+(?:do\s+not|don['’]t)\s+(?:know|have\s+(?:\w+\s+)?information)\b",
            r"\bI\s+(?:cannot|can['’]t|can\s+not|could\s+not|couldn['’]t|am\s+(?:not\s+able|unable)\s+to|was\s+(?:not\s+able|unable)\s+to)\s+"
            r"(?:find|answer|determine|tell)\b",
            rf"{DE_DOCUMENTS}\b[^.!?\n]{{0,60}}\b(?:enthalten|enthält|liefern|liefert|bieten|bietet|geben|gibt|finden\s+sich|findet\s+sich|steht|stehen|"
            r"haben|hat)\b[^.!?\n]{0,60}\b(?:keine(?:rlei|n)?|nicht\s+genug|nicht\s+genügend)\s+(?:\w+\s+)?(?:informationen?|angaben?|hinweise?|auskunft|"
            r"auskünfte|antwort|details|aussagen?)\b",
            rf"\bkeine(?:rlei|n)?\s+(?:\w+\s+)?(?:informationen?|angaben?|hinweise?|auskunft|antwort|details|aussagen?)\b[^.!?\n]{{0,80}}\b(?:in|aus|im)\s+"
            rf"(?:den|dem|diesen|diesem)?\s*(?:\w+\s+)?{DE_DOCUMENTS}\b",
            rf"{DE_DOCUMENTS}\b[^.!?\n]{{0,80}}\b(?:nicht\s+(?:hervor|erwähnt|genannt|angegeben|enthalten|beschrieben|beantwortet|behandelt)|nichts\b)",
            rf"{DE_DOCUMENTS}\s+(?:nennen|nennt|erwähnen|erwähnt|sagen|sagt|beantworten|beantwortet|beschreiben|beschreibt)\b[^.!?\n]{{0,60}}\bnichts?\b",
            r"\bes\s+liegen\s+(?:\w+\s+)?keine\s+(?:\w+\s+)?(?:informationen|angaben)\b",
            r"\bich\s+weiß\s+(?:es\s+|das\s+)?(?:leider\s+)?nicht\b|\bdas\s+weiß\s+ich\s+(?:leider\s+)?nicht\b",
            rf"\b(?:enthalten|enthält|liefern|liefert|bieten|bietet|geben|gibt)\s+(?:der|die|das)\s+(?:\w+\s+)?{DE_DOCUMENTS}\b[^.!?\n]{{0,40}}"
            r"\bkeine(?:rlei|n)?\s+(?:\w+\s+)?(?:informationen?|angaben?|hinweise?|auskunft|antwort|details|aussagen?)\b",
            r"\b(?:ich\s+(?:kann|konnte)|(?:kann|konnte)\s+ich)\b[^.!?\n]{0,60}\bnicht\s+(?:beantworten|finden|ermitteln|bestimmen)\b",
            rf"{KO_DOCUMENTS}[^.!?\n]{{0,80}}(?:정보|내용|언급|설명|답변?|근거|기록)[^.!?\n]{{0,12}}(?:없습니다|없다|없어요|없음|있지\s?않)",
            rf"{KO_DOCUMENTS}[^.!?\n]{{0,80}}(?:찾을\s?수\s?없|확인할\s?수\s?없|알\s?수\s?없|나와\s?있지\s?않|나오지\s?않|언급되(?:어\s?있)?지\s?않|"
            r"언급하(?:고\s?있)?지\s?않|포함(?:되어|하고)\s?있지\s?않|명시되어\s?있지\s?않|다루(?:고\s?있)?지\s?않)",
            r"모르겠습니다|답변?(?:을|를)?\s?(?:할|드릴)\s?수\s?없습니다|정보가\s?(?:충분하지\s?않|부족합니다|부족하여)",
        )
    ),
    re.IGNORECASE,
)


def find_flaw(turn: Turn, answer: Answer) -> Flaw | None:
    """The worst flaw of a text that a model wrote from documents; None = it may be shown as an answer."""
    text = answer.unmarked
    if not any(character.isalnum() for character in text):
        return "empty"
    if answer.cut == "repetition":
        return "repetition"
    said = WORD.findall(text.casefold())
    if _only_announces(text, turn) or said in [WORD.findall(question.casefold()) for question in (turn.request.question, turn.asked)]:
        return "preamble"
    if _is_in_other_language(text, turn):
        return "other_language"
    return None if answer.citations else "uncited"


def _only_announces(text: str, turn: Turn) -> bool:
    """“Here is what the documents say:”, or one sentence that ends with a colon."""
    said = text.strip(" \n*_#>-")
    if find_end(f"{said}\n1.", stems_of(turn.request.question)) == len(said) + 1:
        return True
    return said.endswith((":", "：")) and len(split_sentences(said, turn.lang)) == 1


def _is_in_other_language(text: str, turn: Turn) -> bool:
    """Whether both languages are certain, and differ. Code and quotations may be in any language."""
    question = turn.request.question
    prose = QUOTED.sub(" ", " ".join(text[start:end] for start, end in prose_spans(text)))
    few = len(WORD.findall(prose)) < LEAST_WORDS and not UNSPACED.search(prose)
    if few or sum(map(str.isalpha, prose)) < LEAST_LETTERS or NAMES_LANGUAGE.search(question):
        return False
    written = detect_language(prose, among=[turn.lang])
    return written != turn.lang and is_certain(question, turn.lang) and is_certain(prose, written)


@lru_cache(maxsize=16)
def _lacking(text: str, lang: str) -> Sequence[tuple[int, int]]:
    """The sentences that state a lack. Kept because the critique and the check ask for those of the same answer."""
    return [bounds for bounds in split_sentences(text, lang) if LACKS.search(text, *bounds)]


def lacks_information(answer: Answer, lang: str) -> bool:
    """Whether the answer only states that the documents lack the information: in its first sentence, or wherever it cites.

    An answer that merely adds that a part of the question remains open does not count."""
    lacking = _lacking(answer.text, lang)
    if not lacking:
        return False
    if not answer.text[: lacking[0][0]].strip():
        return True
    markers = [start for citation in answer.citations for start, _ in citation.spans]
    if answer.citations and not markers:  # the style has no markers
        return False
    return all(any(start <= at <= end + 1 for start, end in lacking) for at in markers)
