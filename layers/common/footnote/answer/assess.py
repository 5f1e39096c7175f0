"""Is what we say supported? Each claim against the passages that it cites.

    recall  share of the claim's terms, weighted by rarity, in the sentence or two that hold most of them
    cosine  character bigrams of the claim against the nearest sentence or two
    near    of a number's neighbours in the claim, the share that stands with it in the passage

A claim is doubted where a number or name stands in none of the passages, their titles and the question; near < .4; it denies
what they say, or says what they deny (recall ≥ .5); or recall + cosine < LEAST.

Measured on claims made of squad2's sentences (in brackets xquad_de's; korquad's), doubted are: whole or shortened ones and clauses
0–1 % (0–1; 0–3), a question put together with its answer 4 % (10; 22). Of those with another number 98 % (95; 96), a number from elsewhere
in the passage 88 % (91; 93), an outside name 100 % (0; 100), one negation more 100 % (100), one less 79 % (82), another
passage of the same document 98 % (99; 100).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from footnote.answer.messages import message
from footnote.ports import Index
from footnote.settings import Rag
from footnote.text.grounding import covered_share
from footnote.text.phrasings import NEGATED_KO, NEGATIONS, SPELLINGS
from footnote.text.sentences import split_sentences
from footnote.text.similarity import bigram_cosine, bigrams
from footnote.text.tokens import content_terms
from footnote.types import Answer, Chunk, Citation, Turn

LEAST = 0.9
"""Of recall + cosine."""
NEAR, NEIGHBOURS = 0.4, 8
LEAST_TERMS = 3
"""Of a sentence without a mark of its own, in an answer that names its sources at the end."""

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NAME = re.compile(r"(?<=[\w,;)] )[A-Z][\w’'-]+")
LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]+")
SOFT = frozenset(("1", "1st", "100", "1000"))
"""Numbers that are too common as words to mean much."""
GROUPING = re.compile(r"(?<=\d)[.,](?=\d{3}(?:\D|$))")


@dataclass(frozen=True, slots=True)
class Sentence:
    terms: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]
    denied: frozenset[str]
    """Terms around its negations."""
    text: str


@dataclass(frozen=True, slots=True)
class Support:
    recall: float
    cosine: float
    near: float
    outside: bool
    """A number or name comes from nowhere."""
    denied: bool

    @property
    def total(self) -> float:
        return self.recall + self.cosine

    @property
    def doubted(self) -> bool:
        return self.outside or self.near < NEAR or (self.denied and self.recall >= 0.5) or self.total < LEAST


def has_sources(turn: Turn) -> bool:
    return turn.answer is not None and bool(turn.answer.citations) and not turn.answer.extractive


async def check_support(turn: Turn, *, index: Index, rag: Rag) -> Turn:
    """Notes the mean support as `groundedness`, 0..2. Where a claim is doubted, the answer gets a warning, or is replaced
    where the settings say so and nobody has seen it yet."""
    answer = turn.answer
    if answer is None:
        return turn
    claims = list(claims_of(answer, turn.lang))
    terms = [term for claim, _ in claims for term in content_terms(claim, turn.lang)]
    asked = f"{turn.question} {turn.standalone}"
    weights = await index.term_weights(turn.caller, turn.collection, terms)
    passages = {citation.hit.chunk.chunk_id: _sentences(citation.hit.chunk, turn.lang) for citation in answer.citations}
    found = [support(claim, [c.hit.chunk for c in cited], passages, weights, asked, turn.lang) for claim, cited in claims]
    if not found:
        return turn
    turn = turn.noting(groundedness=round(fmean(claim.total for claim in found), 3))
    doubted = [claim for (claim, _), told in zip(claims, found, strict=True) if told.doubted]
    if not doubted:
        return turn
    turn = turn.noting(unsupported=doubted)
    if rag.output_check == "reject" and not turn.profile.live:
        refusal = Answer(message("unsupported", turn.lang), model=answer.model)
        return turn.with_(outcome="refused", answer=refusal).noting(rejected_answer=answer.text)
    return turn.with_(answer=replace(answer, warnings=(*answer.warnings, "unsupported")))


def claims_of(answer: Answer, lang: str) -> Iterator[tuple[str, list[Citation]]]:
    """(sentence without its markers, what it cites). Where no markers stand in the text, every longer sentence leans on all."""
    text = answer.text
    marks = sorted((span, citation.number) for citation in answer.citations for span in citation.spans)
    for (start, end), _ in marks:
        text = text[:start] + " " * (end - start) + text[end:]
    bounds = split_sentences(text, lang)
    for (start, end), following in zip(bounds, [*(start for start, _ in bounds[1:]), len(text) + 1], strict=True):
        numbers = {number for (at, _), number in marks if start <= at < following}
        if numbers:
            yield text[start:end], [citation for citation in answer.citations if citation.number in numbers]
        elif not marks and len(content_terms(text[start:end], lang)) >= LEAST_TERMS:
            yield text[start:end], list(answer.citations)


def support(
    claim: str, chunks: Sequence[Chunk], passages: Mapping[str, Sequence[Sentence]], weights: Mapping[str, float], question: str, lang: str
) -> Support:
    terms = frozenset(content_terms(claim, lang))
    heads = " ".join(" ".join((chunk.title, *chunk.headings)) for chunk in chunks)
    titled = frozenset(content_terms(heads, lang))
    sentences = [sentence for chunk in chunks for sentence in passages[chunk.chunk_id]]
    windows = [window for chunk in chunks for window in _windows(passages[chunk.chunk_id])]
    recalls = [covered_share(terms, window.terms | titled, weights) for window in windows]
    recall, best = max(((share, -i) for i, share in enumerate(recalls)), default=(0.0, 0))
    grams = bigrams(claim)
    # The nearest by its letters is among the nearest by its words: the rest need not be counted.
    likely = sorted(range(len(windows)), key=lambda i: -recalls[i])[:2]
    numbers = numbers_in(claim, lang) - SOFT
    known = numbers_in(f"{question} {heads}", lang).union(*(window.numbers for window in windows))
    return Support(
        recall=recall,
        cosine=max((bigram_cosine(grams, bigrams(windows[i].text)) for i in likely), default=0.0),
        near=min((_near(claim, number, sentences, weights, lang) for number in numbers & known), default=1.0),
        outside=bool(numbers - known)
        or not _names(claim, lang) <= _stems(f"{question} {heads}", lang).union(*(sentence.words for sentence in sentences)),
        denied=bool(windows) and _denies(windows[-best], claim, terms, lang),
    )


def _sentences(chunk: Chunk, lang: str) -> list[Sentence]:
    return [_sentence(chunk.text[start:end], lang) for start, end in split_sentences(chunk.text, chunk.lang)]


def _sentence(text: str, lang: str) -> Sentence:
    return Sentence(frozenset(content_terms(text, lang)), _stems(text, lang), numbers_in(text, lang), _denied(text, lang), text)


def _windows(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Each sentence, and each two neighbours."""
    yield from sentences
    for a, b in pairwise(sentences):
        yield Sentence(a.terms | b.terms, a.words | b.words, a.numbers | b.numbers, a.denied | b.denied, f"{a.text} {b.text}")


def _near(claim: str, number: str, sentences: Sequence[Sentence], weights: Mapping[str, float], lang: str) -> float:
    """The best share of the number's neighbours among the sentences that hold it; 1 where the number stands alone, or in a title only."""
    words = WORD.findall(claim)
    at = next((i for i, word in enumerate(words) if number in numbers_in(word, lang)), None)
    if at is None:
        return 1.0
    around = sorted((i for i in range(len(words)) if i != at), key=lambda i: abs(i - at))[:NEIGHBOURS]
    terms = frozenset(content_terms(" ".join(words[i] for i in around), lang))
    holding = [sentence for sentence in sentences if number in sentence.numbers]
    return max((covered_share(terms, sentence.terms, weights) for sentence in holding), default=1.0) if terms else 1.0


def numbers_in(text: str, lang: str) -> frozenset[str]:
    spelled = SPELLINGS.get(lang, {})
    found = {GROUPING.sub("", number).replace(",", ".") for number in NUMBER.findall(text)}
    return frozenset(found | {digits for word in WORD.findall(text) if (digits := spelled.get(word.lower(), ""))[:1].isdigit()})


def _names(claim: str, lang: str) -> frozenset[str]:
    """Capitalised words within an English sentence, Latin ones in Korean; German nouns all have capitals."""
    if lang == "ko":
        return _stems(claim, lang)
    spelled = SPELLINGS.get(lang, {})
    return _stems(" ".join(name for name in NAME.findall(claim) if name.lower() not in spelled), lang) if lang == "en" else frozenset()


def _stems(text: str, lang: str) -> frozenset[str]:
    """Its words without endings: five letters of the longer ones; of Korean, the Latin words."""
    words = (word.removesuffix("'s").removesuffix("’s").lower() for word in (LATIN if lang == "ko" else WORD).findall(text))
    return frozenset(word[:5] if len(word) > 6 else word for word in words)


def _denies(window: Sentence, claim: str, terms: frozenset[str], lang: str) -> bool:
    """Whether one denies what the other says: a negation of something else does not matter."""
    denied = _denied(claim, lang)
    if denied:
        return not window.denied
    return bool(window.denied) and 2 * len(window.denied & terms) > len(window.denied)


def _denied(text: str, lang: str) -> frozenset[str]:
    if lang == "ko":
        places = [match.start() for match in NEGATED_KO.finditer(text)]
        return frozenset(content_terms(" ".join(text[max(0, at - 12) : at + 2] for at in places), lang))
    words = WORD.findall(text)
    at = [i for i, word in enumerate(words) if word.lower() in NEGATIONS or word.endswith(("n't", "n’t"))]
    return frozenset(term for i in at for term in content_terms(" ".join(words[max(0, i - 3) : i + 5]), lang)) | frozenset(
        "not" for _ in at
    )
