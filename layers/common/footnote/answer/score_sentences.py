"""Scores the sentences of the best passages: which of them answers the question?

A sentence is described by its Features; its score is their weighted sum. cov is the weight of the question's terms that a text
contains, divided by that of all of them (`text.grounding.whole_weight`). A section is the text below one heading; the heading of a
passage's first section is the last of its headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from footnote.answer.excerpts import announces, is_table_head
from footnote.text.answer_types import answer_type_score
from footnote.text.definitions import patterns_of
from footnote.text.grounding import UNSEEN, whole_weight
from footnote.text.question_shapes import NEGATION
from footnote.text.sentences import looks_like_heading
from footnote.text.tokens import BIGRAM_LANGUAGES, WORD, content_terms, other_forms
from footnote.types import Chunk, ChunkSentences, Hit, Reading

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32] | None

ADDRESS = re.compile(r"(?:https?://|www\.)[^\s)\]>]+")
ASKS_WHERE = re.compile(
    r"\b(?:where|wo|url|link|address|adresse|website|webseite|site|list|liste|repository|download)\b|어디|주소|링크|사이트", re.IGNORECASE
)
TOPIC = re.compile(r"(?:how|why|wie|warum|weshalb)\b[^:;—]*\.", re.IGNORECASE)
"""A sentence that says what a page is about: “How long conversations are kept.”"""


@dataclass(frozen=True, slots=True)
class Features:
    """What describes a sentence, each about 0 to 1."""

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
    defines: float
    """1 if it defines what the question asks for, or begins a section whose heading does."""


WITH_VECTORS = {"total": 0.15, "near": 0.07, "passage": 0.22, "cosine": 1.6, "kind": 0.11, "heading": 0.06, "defines": 0.4}
"""Weights of features: a conditional logit of the excerpts that answer, on 15 folders of real documents in five languages (`bench/labels`).
The other features gain nothing there."""
BY_WORDS = {"total": 0.5, "near": 0.3, "passage": 0.3, "kind": 0.1, "heading": 0.05, "defines": 0.3}
"""The same, fitted on the gold sentences of several public sets; the last by hand."""


class Question:
    """A question with the weights of its terms."""

    def __init__(self, reading: Reading, weights: Mapping[str, float], vector: Vector = None, languages: Iterable[str] = ()) -> None:
        """`vector`: None = its sentences are scored by words only. `languages`: those of the passages."""
        self.text = text = reading.question
        self.lang = lang = reading.lang
        self.vector = vector
        self.by_vectors = vector is not None
        self.shape = reading.shape
        self.asked_type = reading.asked_type
        self.definition = patterns_of(reading.definition) if reading.definition else None
        self.negated = NEGATION.search(text) is not None
        sequence = content_terms(text, lang)
        self.terms = frozenset(sequence)
        self._forms = other_forms(text, lang, languages)
        self.terms_but_where = self.terms.difference(content_terms(" ".join(ASKS_WHERE.findall(text)), lang))
        self.weights = {term: weights.get(term, 1.0) for term in sequence}
        self.total = whole_weight(self.terms, weights)
        most = weights.get(UNSEEN, 0.0)
        of_all = sum(self.weights.values())
        self._strictness = self.total / (of_all + 2 * most) if of_all else 0.0
        self.unknown = sum(weight for weight in self.weights.values() if weight >= most) / of_all if of_all else 1.0
        """Share of the weight of terms that occur nowhere in the collection."""
        # Bigrams overlap, so that neighbours are always adjacent.
        self.pairs = (
            {} if lang in BIGRAM_LANGUAGES else {frozenset((a, b)): (self.weights[a] + self.weights[b]) / 2 for a, b in pairwise(sequence)}
        )

    def as_own(self, terms: Iterable[str]) -> list[str]:
        """Terms of a passage, those of the question in the form that they have there."""
        return [self._forms.get(term, term) for term in terms] if self._forms else [*terms]

    def cov(self, held: frozenset[str]) -> float:
        """Share of the weight of the terms in `held`, which are terms of the question."""
        return sum(self.weights[term] for term in held) / self.total if self.total else 0.0

    def strict(self, cov: float) -> float:
        """A cov as if two unknown terms had been asked for as well: a few common words are no evidence."""
        return cov * self._strictness

    def words_without(self, held: frozenset[str]) -> tuple[str, ...]:
        """Words of the question whose terms are not in `held`, as they were written."""
        words = dict.fromkeys(WORD.findall(self.text))
        return tuple(word for word in words if (terms := content_terms(word, self.lang)) and held.isdisjoint(terms))


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence of a hit and its score."""

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
    """False for what answers nothing alone: a heading, a caption, the head of a table, a line that introduces a list, a question,
    an entry of a list of references; code, if the question asks for a yes or no or a definition."""
    is_heading: bool = False
    introduces: bool = False
    """Whether it is the lead-in of what follows: “To build it, run:”."""
    fresh: int = 0
    """Number of its terms that neither the question nor title and headings contain."""
    tells: bool = False
    """Whether it can be quoted and is the definition that the question asks for, or the title or heading that it is shown below is."""

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
    held = [question.terms.intersection(each) for each in words]
    whole = question.cov(around.union(*held))
    cosines, passage_cosine = _cosines(question, passage)
    weights = WITH_VECTORS if question.by_vectors else BY_WORDS

    def asked_in(heading: str) -> frozenset[str]:
        return question.terms.intersection(question.as_own(content_terms(heading, chunk.lang)))

    heading, at_lead = _last_heading(chunk), 0
    in_heading = asked_in(heading)
    scored: list[Scored] = []
    for i, (start, end) in enumerate(passage.bounds):
        text = chunk.text[start:end]
        kind = chunk.kind_at(start)
        if is_heading := kind == "heading" or (kind in (None, "paragraph") and looks_like_heading(chunk.text, start, end)):
            heading, at_lead = _line(chunk.text, start) if kind == "heading" else text, 0  # a heading may have two sentences
            in_heading = asked_in(heading)
        silent = is_heading or kind == "caption" or (kind == "code" and question.shape in ("yes_no", "definition"))
        introduces = not silent and announces(text, _precedes_block(chunk, passage, i))
        quotable = not (
            silent or introduces or is_table_head(chunk.text, start, end) or _asks(text, question.text) or _refers(text, question, words[i])
        )
        together = sum(weight for pair, weight in question.pairs.items() if _adjacent(pair, words[i])) if question.pairs else 0.0
        here = around | held[i] | (frozenset() if question.by_vectors else in_heading)  # with vectors, `heading` weighs it
        total, of_heading = question.cov(here), question.cov(in_heading)
        features = Features(
            own=question.cov(held[i]),
            total=min(1.0, (total * question.total + together) / (question.total + together)) if question.total else 0.0,
            near=question.cov(held[i].union(*held[max(0, i - 1) : i + 2])),
            passage=whole,
            cosine=cosines[i] if cosines else 0.0,
            passage_cosine=passage_cosine,
            kind=answer_type_score(question.asked_type, question.text, text),
            heading=of_heading,
            defines=float(_defines(text, heading if at_lead == 0 else "", question)),
        )
        score = sum(weight * getattr(features, name) for name, weight in weights.items())
        wanted = question.definition
        tells = quotable and wanted is not None and wanted.is_in("\n".join((chunk.title, heading, text)))
        fresh = len(set(words[i]) - question.terms - above)
        scored.append(Scored(hit, i, start, end, score, features, heading, here, quotable, is_heading, introduces, fresh, tells))
        at_lead += quotable
    return scored


def _cosines(question: Question, passage: ChunkSentences) -> tuple[list[float], float]:
    """Cosines of the question with each sentence and with the passage; ([], 0) without vectors."""
    if question.vector is None or passage.vectors is None or passage.passage is None:
        return [], 0.0
    return ((passage.vectors @ question.vector) / 127.0).tolist(), float(passage.passage @ question.vector)


def _line(text: str, at: int) -> str:
    """The line around a position."""
    return text[text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0].strip()


def _last_heading(chunk: Chunk) -> str:
    return chunk.headings[-1] if chunk.headings else ""


def _adjacent(pair: frozenset[str], words: Sequence[str]) -> bool:
    return pair <= set(words) and any(pair == {a, b} for a, b in pairwise(words))


def _precedes_block(chunk: Chunk, passage: ChunkSentences, number: int) -> bool:
    """Whether a list, code or a table follows the sentence."""
    if number + 1 == len(passage.bounds) or chunk.kind_at(passage.bounds[number][0]) in ("list", "code"):
        return False
    start = passage.bounds[number + 1][0]
    return chunk.kind_at(start) in ("list", "code") or chunk.text.startswith("|", start)


def _refers(sentence: str, question: Question, terms: Sequence[str]) -> bool:
    """Whether it only names another place: an entry of a list of references, mostly an address, unless it is what is asked for. A row of a
    table has cells that say what is at the address."""
    if sentence.startswith("|"):
        return False
    wanted = ASKS_WHERE.search(question.text) is not None and question.terms_but_where <= set(terms)
    return sum(map(len, ADDRESS.findall(sentence))) > len(sentence) / 3 and not wanted


def _asks(sentence: str, question: str) -> bool:
    """Whether the sentence is itself a question, repeats the question asked, or only says that it is answered."""
    words, asked = " ".join(sentence.lower().split()), question.rstrip("?？ .").lower()
    before, mark, after = words.replace("？", "?").partition(f"{asked}?")
    return (
        words.rstrip("\"'”’»*_` ").endswith(("?", "？"))
        or (mark != "" and len(after) <= len(before) + len(asked))  # “Password lost?: Open the page …” answers what it asks
        or TOPIC.fullmatch(words) is not None
    )


def _defines(sentence: str, heading: str, question: Question) -> bool:
    """Whether it says what something is that the question asks for, or what its letters stand for, or is below a heading that does."""
    wanted = question.definition
    return wanted is not None and (wanted.may_be(sentence) or wanted.spells_out(heading))
