"""Has the model copy the words that support each cited sentence, once its answer is complete, and looks them up in the passages.

Quotes are compared in `normal_form`: without regard to case, white space, quotation marks, the kind of a dash, Markdown and the width or
composition of characters. A quote may not begin or end within a word or a number. An ellipsis may leave out text between two parts of the
cited passage: then all of it is the evidence, so that its reader sees the omission. Any other omission between two parts makes a quote
`stitched`. Quotes with fewer than FEW words are too short to be judged."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, Field

from footnote.answer.citation_styles import markers_of
from footnote.answer.context import fenced, was_written
from footnote.errors import FootnoteError
from footnote.model_calls import ask
from footnote.ports import Models
from footnote.prompts import Prompts
from footnote.text.sentences import split_sentences
from footnote.text.untrusted import INVISIBLE, untrusted
from footnote.types import Answer, Citation, Hit, Message, QuotedWords, Turn
from footnote.types.copies import replace

LIMIT_S, REPLY_TOKENS = 15, 2000
MOST = 20
"""Number of cited sentences sent to the model."""
FEW = 3
"""Words of a quote, and of a part of one."""
NUMBERED = re.compile(r"\s*(\d+)\s*[:.)]\s*(.+)", re.DOTALL)
ELLIPSIS = re.compile(r"[\[(]?(?:\.\s?){2,}\.[\])]?|[\[(]?…[\])]?")
APOSTROPHE = "'"
MARKUP = frozenset("*_|#`\\•◦▪")
ENDS = re.compile(r"^(?:[ '.,:;!?()\[\]]|-(?!\d))+|[ '.,:;!?()\[\]-]+$")
"""Characters that a quote may have at its ends and the passage lacks."""
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af"
"""Letters of languages that write words together, or particles behind them."""
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
INSIDE = re.compile(
    rf"(?<=[^\W{UNSPACED}])(?=[^\W{UNSPACED}])|(?<=\d[.,:'’\u00a0\u2009\u202f])(?=\d)|(?<=\d)(?=[.,:'’\u00a0\u2009\u202f]\d)"
    r"|(?<=(?<!\w)[-\u2212])(?=\d)|(?=[\u0300-\u036f\u1160-\u11ff])"
)
"""A place within a word, within a number or behind its sign, or within a letter."""


@cache
def _form(char: str) -> str:
    kind = unicodedata.category(char)
    if INVISIBLE.match(char):
        return ""
    if kind in ("Pi", "Pf") or char in "\"'´‚„′″＂＇「」『』《》〈〉":
        return APOSTROPHE
    if kind == "Pd" or char == "−":
        return "-"
    if char.isspace() or kind == "Cc" or char in MARKUP:
        return " "
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())


@dataclass(frozen=True, slots=True)
class Normal:
    """A text in a form that is the same for all spellings of it. `places`: for each character the index in `original`."""

    original: str
    text: str
    places: Sequence[int]

    def find(self, words: str, after: int = 0) -> tuple[int, int] | None:
        """The first place from `after` on, both in `text`, of these normal words, without cutting through a word."""
        at = self.text.find(words, after) if words else -1
        while at >= 0:
            end = at + len(words)
            if not (self._cuts(at, self.places[at]) or self._cuts(end, self.places[end - 1] + 1)):
                return at, end
            at = self.text.find(words, at + 1)
        return None

    def find_parts(self, parts: Sequence[str]) -> tuple[int, int] | None:
        """From the first of these normal parts to the last, where all of them follow one another."""
        start, end = None, 0
        for part in parts:
            place = self.find(part, end)
            if place is None:
                return None
            start, end = place[0] if start is None else start, place[1]
        return None if start is None else (start, end)

    def bounds(self, place: tuple[int, int]) -> tuple[int, int]:
        """The same place in `original`."""
        return self.places[place[0]], self.places[place[1] - 1] + 1

    def _cuts(self, at: int, place: int) -> bool:
        is_within = 0 < at < len(self.text) and self.places[at - 1] == self.places[at]
        return is_within or INSIDE.match(self.original, place) is not None


def normal_form(text: str) -> Normal:
    """White space is one blank between two words and nothing elsewhere; so are the marks of quotes and Markdown."""
    out: list[str] = []
    places: list[int] = []
    blank = False
    for at, char in enumerate(text):
        form = _form(char)
        if form == APOSTROPHE and not (text[at - 1 : at].isalnum() and text[at + 1 : at + 2].isalnum()):
            form = " "
        if form.isspace():
            blank = True
            continue
        for letter in form if form != "-" or out[-1:] != ["-"] else "":  # two hyphens are a dash
            if blank and out and _is_word(out[-1]) and _is_word(letter):
                out.append(" ")
                places.append(at - 1)
            blank = False
            out.append(letter)
            places.append(at)
    return Normal(text, "".join(out), places)


@cache
def _is_word(char: str) -> bool:
    return unicodedata.category(char)[0] in "LMN"


def look_up(quote: str, cited: Sequence[Normal], others: Sequence[Normal]) -> QuotedWords | None:
    """The state of a quote. `cited`: the passages that its marker may mean, first the cited one, to whose text the bounds refer; `others`:
    the other passages shown to the model. None = it has too few words."""
    words = unicodedata.normalize("NFC", quote).strip()
    if len(WORD.findall(words)) < FEW:
        return None
    parts = [part for part in ELLIPSIS.split(words) if WORD.search(part)]
    is_cut = len(parts) > 1 and all(len(WORD.findall(part)) >= FEW for part in parts)
    normal = normal_form(words)
    forms = [[normal.text], [_bare(normal.text)], *([[_bare(normal_form(part).text) for part in parts]] if is_cut else [])]
    for passage in cited:
        for form in forms:
            if place := passage.find_parts(form):
                return QuotedWords(quote, "found", passage.bounds(place) if passage is cited[0] else None)
    if any(passage.find_parts(form) for passage in others for form in forms):
        return QuotedWords(quote, "misattributed")
    return QuotedWords(quote, "stitched" if any(_is_stitched(normal, passage) for passage in (*cited, *others)) else "not_found")


def _bare(text: str) -> str:
    return ENDS.sub("", text)


def _is_stitched(quote: Normal, passage: Normal) -> bool:
    """Whether the quote consists of parts of FEW words or more that follow one another in the passage."""
    starts = [*(bisect_left(quote.places, word.start()) for word in WORD.finditer(quote.original)), len(quote.text)]
    last = len(starts) - 1
    ends: dict[int, int] = {0: 0}  # number of words → where the first so many of them end in the passage
    for first in range(last):
        for until in range(first + FEW, last + 1) if first in ends else ():
            place = passage.find(_bare(quote.text[starts[first] : starts[until]]), ends[first])
            if place is None:
                break
            ends[until] = min(place[1], ends.get(until, place[1]))
    return last in ends


class Copied(BaseModel, defer_build=True):
    """The model's reply."""

    quotes: list[str] = Field(description='a list of texts, each the number of a sentence, a colon, and the words copied for it: "2: …"')


@dataclass(frozen=True, slots=True)
class _Cited:
    """A sentence and one of its citations. `spans`: the indices of the citation's markers there."""

    sentence: str
    citation: Citation
    spans: list[int]


def cites_sentences(turn: Turn) -> bool:
    """A model wrote the answer, and cites passages behind its sentences."""
    return (
        was_written(turn) and turn.plan.model is not None and any(citation.spans and not citation.is_added for citation in _citations(turn))
    )


async def gate_quotes(turn: Turn, *, models: Models, prompts: Prompts) -> Turn:
    """Sets `quotes` of the citations, and makes the words that are found their evidence. A model that quotes nothing changes nothing."""
    answer = turn.answer
    if answer is None:
        return turn
    sentences = _cited_sentences(answer, turn.lang)[:MOST]
    hits = list({hit.chunk.chunk_id: hit for hit in (*turn.evidence.citable, *(sentence.citation.hit for sentence in sentences))}.values())
    copied = await _copied(turn, sentences, hits, models, prompts)
    if not copied:
        return turn
    quotes = await asyncio.to_thread(_look_up_all, turn, sentences, hits, copied)
    return replace(turn, answer=replace(answer, citations=tuple(_with_quotes(citation, quotes) for citation in answer.citations)))


def quotes_shown(turn: Turn) -> dict[str, Any]:
    """How many quotes have each state."""
    return dict(Counter(quote.state for citation in _citations(turn) for quote in citation.quotes if quote))


def _citations(turn: Turn) -> Sequence[Citation]:
    return turn.answer.citations if turn.answer else ()


def _cited_sentences(answer: Answer, lang: str) -> list[_Cited]:
    """In the order of the text. Citations added by the check are left out: their evidence is known."""
    text, cited = answer.unmarked, dict[tuple[int, int], _Cited]()
    bounds = split_sentences(text, lang)
    markers = ((at, number, span) for number, citation in enumerate(answer.citations) for span, (at, _) in enumerate(citation.spans))
    for at, number, span in sorted(markers):
        citation, before = answer.citations[number], [bound for bound in bounds if bound[0] <= at]
        if before and not citation.is_added:
            cited.setdefault((before[-1][0], number), _Cited(text[slice(*before[-1])], citation, [])).spans.append(span)
    return list(cited.values())


async def _copied(turn: Turn, sentences: Sequence[_Cited], hits: Sequence[Hit], models: Models, prompts: Prompts) -> dict[int, str]:
    """Index of a sentence → the words that the model copied for it; {} where it copies none."""
    numbers = {hit.chunk.chunk_id: number for number, hit in enumerate(hits, start=1)}
    values = {
        "question": untrusted(turn.asked),
        "documents": [fenced(hit) for hit in hits],
        "sentences": [
            {"text": untrusted(sentence.sentence), "document": numbers[sentence.citation.hit.chunk.chunk_id]} for sentence in sentences
        ],
    }
    request = Message("user", prompts.render("quote_gate", turn.lang, values, turn.plan.prompts))
    try:
        said = await ask(models, turn.plan.model, [request], Copied, max_tokens=REPLY_TOKENS, timeout_s=LIMIT_S)
    except FootnoteError:
        return {}
    matches = (match for quote in said.quotes if (match := NUMBERED.fullmatch(quote)))
    return {int(match[1]) - 1: match[2].strip() for match in matches if 0 < int(match[1]) <= len(sentences)}


def _look_up_all(
    turn: Turn, sentences: Sequence[_Cited], hits: Sequence[Hit], copied: Mapping[int, str]
) -> dict[tuple[int, int], QuotedWords]:
    """(number of a citation, index of its marker) → the quote."""
    style, normal = markers_of(turn).style, {hit.chunk.chunk_id: normal_form(hit.chunk.text) for hit in hits}

    def is_meant(hit: Hit, own: Hit) -> bool:
        """Whether a marker that cites `own` may mean this passage as well."""
        one, other = hit.chunk, own.chunk
        return (style.by_id and one.doc_id == other.doc_id) or (
            style.merges and (one.shown_title, one.page) == (other.shown_title, other.page)
        )

    quotes: dict[tuple[int, int], QuotedWords] = {}
    for at, words in copied.items():
        own = sentences[at].citation.hit
        rest = [hit for hit in hits if hit.chunk.chunk_id != own.chunk.chunk_id]
        cited = [normal[hit.chunk.chunk_id] for hit in (own, *(hit for hit in rest if is_meant(hit, own)))]
        quote = look_up(words, cited, [normal[hit.chunk.chunk_id] for hit in rest if not is_meant(hit, own)])
        if quote is not None:
            quotes |= {(sentences[at].citation.number, span): quote for span in sentences[at].spans}
    return quotes


def _with_quotes(citation: Citation, quotes: Mapping[tuple[int, int], QuotedWords]) -> Citation:
    own = [quotes.get((citation.number, span)) for span in range(len(citation.spans))]
    if not any(own):
        return citation
    bounds = tuple(quote.bounds if quote and quote.bounds else bounds for quote, bounds in zip(own, citation.bounds, strict=False))
    chunk, (start, end) = citation.hit.chunk, bounds[0]
    return replace(citation, quotes=tuple(own), bounds=bounds, snippet=chunk.text[start:end], page=chunk.page_at(start))
