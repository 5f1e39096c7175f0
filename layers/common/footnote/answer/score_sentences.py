"""Scores the sentences of the best passages: which of them answers the question?

A sentence is described by its Features; its score is their weighted sum. cov is the weight of the question's terms that a text
contains, divided by that of all of them (`text.grounding.whole_weight`). A section is the text below one heading; the heading of a
passage's first section is the last of its headings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from footnote.answer.excerpts import announces, is_table_head
from footnote.answer.mail_headers import Mail
from footnote.text.answer_types import answer_type_score
from footnote.text.grounding import UNSEEN, whole_weight
from footnote.text.section_numbers import sections_asked, sections_headed
from footnote.text.sentences import looks_like_heading
from footnote.text.tokens import BIGRAM_LANGUAGES, WORD, content_terms, other_forms
from footnote.types import MAILS, Chunk, ChunkSentences, Hit, Reading, Vector


class Features(NamedTuple):
    """The features of a sentence, each about 0 to 1."""

    own: float
    """cov of the sentence."""
    total: float
    """cov of the sentence with title and headings, by words also that of its section; neighbouring terms of the question that are adjacent
    in it count as one more."""
    near: float
    """cov of the sentence and its two neighbours."""
    passage: float
    """cov of the passage with title and headings."""
    cosine: float
    """Cosine of the question with the sentence; 0 without vectors."""
    passage_cosine: float
    kind: float
    """`answer_type_score`."""
    heading: float
    """cov of the heading of its section."""


WORDS = {"total": 0.5, "near": 0.3, "passage": 0.3, "kind": 0.1, "heading": 0.05}
"""Weights of features, fitted on the gold sentences of several public sets. The other features gain nothing there."""
COSINE, BESIDE_COSINE = 1.6, 0.4
"""Weights of the cosine, where there are vectors, and of all that WORDS weighs beside it."""


class Question:
    """A question with the weights of its terms."""

    def __init__(self, reading: Reading, weights: Mapping[str, float], vector: Vector | None = None, languages: Iterable[str] = ()) -> None:
        """`vector`: None = its sentences are scored by words only. `languages`: those of the passages."""
        self.text = text = reading.question
        self.lang = lang = reading.lang
        self.vector = vector
        self.by_vectors = vector is not None
        self.asked_type = reading.asked_type
        sequence = content_terms(text, lang)
        self.terms = frozenset(sequence)
        self.sections = sections_asked(text)
        """The sections that it names by their numbers."""
        self._forms = other_forms(text, lang, languages)
        self.weights = {term: weights.get(term, 1.0) for term in sequence}
        self.most = weights.get(UNSEEN, 0.0)
        """The weight of a term that occurs nowhere."""
        self.total = whole_weight(self.terms, weights)
        of_all = sum(self.weights.values())
        self._strictness = self.total / (of_all + 2 * self.most) if of_all else 0.0
        self.unknown = sum(weight for weight in self.weights.values() if weight >= self.most) / of_all if of_all else 1.0
        """Share of the weight of terms that occur nowhere in the collection."""
        # Bigrams overlap, so that neighbours are always adjacent.
        self.pairs = (
            {} if lang in BIGRAM_LANGUAGES else {frozenset((a, b)): (self.weights[a] + self.weights[b]) / 2 for a, b in pairwise(sequence)}
        )

    def as_own(self, terms: Iterable[str]) -> list[str]:
        """The terms of a passage, with the question's terms in the question's form."""
        return [self._forms.get(term, term) for term in terms] if self._forms else [*terms]

    def cov(self, terms: frozenset[str]) -> float:
        """The share of the weight of these terms of the question."""
        return sum(self.weights[term] for term in terms) / self.total if self.total else 0.0

    def strict(self, cov: float) -> float:
        """A cov as if two unknown terms had been asked for as well: a few common words are weak evidence."""
        return cov * self._strictness

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        """Its words that have terms, as they were written, with these."""
        return {word: terms for word in dict.fromkeys(WORD.findall(self.text)) if (terms := content_terms(word, self.lang))}

    def words_without(self, held: frozenset[str]) -> tuple[str, ...]:
        """Words of the question with none of these terms, as written."""
        return tuple(word for word, terms in self._words.items() if held.isdisjoint(terms))

    def is_name(self, word: str) -> bool:
        """Whether a word of the question is a name or a number: passages without it are about something else. In German every noun is
        capitalised, so capitals are no signal."""
        return word.isdigit() or (self.lang != "de" and word[0].isupper() and not self.text.lstrip().startswith(word))


class Scored(NamedTuple):
    """A sentence of a hit and its score. A tuple, because each passage read makes some ten."""

    hit: Hit
    number: int
    """Of the sentence in its passage, from 0."""
    start: int
    end: int
    score: float
    features: Features
    heading: str
    """The heading of its section; "" = none."""
    held: frozenset[str] = frozenset()
    """Terms of the question in the sentence, title and headings."""
    quotable: bool = True
    """False for what answers nothing alone: a heading, the caption and the head of a table, a line that introduces a list, a question, and
    metadata of which nothing is asked."""
    is_heading: bool = False
    introduces: bool = False
    """Whether it introduces the following text: “To build it, run:”."""
    fresh: int = 0
    """Number of its terms that neither the question nor title and headings contain."""

    @property
    def part(self) -> int:
        """Where its block begins in the passage."""
        return max((part.offset for part in self.hit.chunk.parts if part.offset <= self.start), default=0)

    @property
    def text(self) -> str:
        """The sentence as it is in the passage."""
        return self.hit.chunk.text[self.start : self.end]

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.text.startswith("|") and self.hit.chunk.kind_at(self.start) != "code"

    @property
    def page(self) -> int | None:
        """Page of its beginning, from 1; None if unknown."""
        return self.hit.chunk.page_at(self.start)


def score_passage(question: Question, hit: Hit, passage: ChunkSentences) -> list[Scored]:
    """The sentences of a passage in their order."""
    chunk = hit.chunk
    above = set(question.as_own(passage.heading_terms.split()))
    around = question.terms & above
    words = [question.as_own(sentence.split()) for sentence in passage.terms]
    own_terms = [question.terms.intersection(sentence_words) for sentence_words in words]
    whole = question.cov(around.union(*own_terms))
    cosines, passage_cosine = _cosines(question, passage)

    def asked_in(heading: str) -> frozenset[str]:
        terms = question.as_own(content_terms(heading, chunk.lang))
        return question.terms.intersection([*terms, *sections_headed([heading])] if question.sections else terms)

    mail = Mail(question, chunk, passage, own_terms, around) if chunk.metadata.get("type") in MAILS else None
    heading = chunk.headings[-1] if chunk.headings else ""
    in_heading = asked_in(heading)
    scored: list[Scored] = []
    for i, (start, end) in enumerate(passage.bounds):
        text = chunk.text[start:end]
        kind = chunk.kind_at(start)
        if is_heading := kind == "heading" or (kind in (None, "paragraph") and looks_like_heading(chunk.text, start, end)):
            heading = _line(chunk.text, start) if kind == "heading" else text  # a heading may have two sentences
            in_heading = asked_in(heading)
        leads = _precedes_block(chunk, passage, i)
        silent = is_heading or (kind == "caption" and leads)
        introduces = not silent and announces(text, leads)
        is_metadata = kind == "metadata"
        is_asked = is_metadata and (_names_field(question, text, chunk.lang) or bool(mail and mail.asks_header(i, in_heading)))
        if is_asked:
            own_terms[i] |= in_heading  # the title of the document, or the subject of the mail, that it is of
        quotable = not (silent or introduces or (is_metadata and not is_asked) or is_table_head(chunk.text, start, end) or _asks(text))
        adjacent = {frozenset(pair) for pair in pairwise(words[i])} if question.pairs and own_terms[i] else ()
        together = sum(weight for pair, weight in question.pairs.items() if pair in adjacent)
        here = around | own_terms[i] | (frozenset() if question.by_vectors else in_heading)  # with vectors, `heading` weighs it
        total, of_heading = question.cov(here), question.cov(in_heading)
        features = Features(
            own=question.cov(own_terms[i]),
            total=min(1.0, (total * question.total + together) / (question.total + together)) if question.total else 0.0,
            near=question.cov(own_terms[i].union(*own_terms[max(0, i - 1) : i + 2])),
            passage=whole,
            cosine=cosines[i] if cosines else 0.0,
            passage_cosine=passage_cosine,
            kind=answer_type_score(question.asked_type, question.text, text),
            heading=of_heading,
        )
        score = sum(weight * getattr(features, name) for name, weight in WORDS.items())
        if question.by_vectors:
            score = BESIDE_COSINE * score + COSINE * features.cosine
        fresh = len(set(words[i]) - question.terms - above)
        scored.append(Scored(hit, i, start, end, score, features, heading, here, quotable, is_heading, introduces, fresh))
    return scored


def _names_field(question: Question, text: str, lang: str) -> bool:
    """Whether the question has the name of a field, “owner” of `owner: Facility team`, or a part of it and the value is what is asked:
    “When is the review?” of `review date: 2026-03-14`. The lines of a mail's header are told together."""
    if "\n" in text:
        return False
    name = set(question.as_own(content_terms(text.partition(":")[0], lang)))
    asked = name & question.terms
    return bool(asked) and (asked == name or answer_type_score(question.asked_type, question.text, text) == 1)


def _cosines(question: Question, passage: ChunkSentences) -> tuple[list[float], float]:
    """Cosines of the question with each sentence and with the passage; ([], 0) without vectors."""
    if question.vector is None or passage.vectors is None or passage.passage is None:
        return [], 0.0
    return ((passage.vectors @ question.vector) / 127.0).tolist(), float(passage.passage @ question.vector)


def _line(text: str, at: int) -> str:
    """The line around a position."""
    return text[text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0].strip()


def _precedes_block(chunk: Chunk, passage: ChunkSentences, number: int) -> bool:
    """Whether a list, code or a table follows the sentence."""
    if number + 1 == len(passage.bounds) or chunk.kind_at(passage.bounds[number][0]) in ("list", "code"):
        return False
    start = passage.bounds[number + 1][0]
    return chunk.kind_at(start) in ("list", "code") or chunk.text.startswith("|", start)


def _asks(sentence: str) -> bool:
    """Whether the sentence is itself a question."""
    return sentence.rstrip("\"'”’»*_` \n").endswith(("?", "？"))
