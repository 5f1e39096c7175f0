"""Flaws that disqualify a model's text as an answer, whatever its content."""

from __future__ import annotations

import re

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
