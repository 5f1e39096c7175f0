"""Decides whether the documents answer a question, may answer it, or have nothing on it. Without a language model.

    with vectors   4.5 passage + 3.6 passage_cosine + 11 highest cosine − 9.5
    by words       .05 BM25 · min(1, 8 / terms) + 8 passage' − 3.5; in German − 2 unknown, too
    by bigrams     6.2 near' + 8.8 passage' − 2.8

near, passage, passage_cosine: `Features` of the best sentence; near' and passage' divide by the weight of all terms and that of two
unknown ones; BM25: of the best passage, which counts parts of German compounds, too; highest cosine: that of any sentence. The scores tell
questions about several collections from questions about something else. Those with vectors are a logistic regression on 11 collections
in six languages; with near, the best sentence's cosine and the share of unknown words beside, it is no better on a collection that it
was not fitted on (area under the curve .994 either way).

What a question about something else scores depends on the collection: a large one has a sentence near everything. So everyday
questions are scored on it, and m, their median, shifts the thresholds (`calibration`). Passages are shown from `closest_from` on, an
answer is given from `answer_from` on. Passages without a name or number of the question do not answer it. Whatever the score, a
definition that is asked for is an answer, and a passage is shown with a sentence that has every term of the question or may define
what is asked for, and below a heading that is the question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from footnote.answer.score_sentences import Question, Scored
from footnote.text.tokens import BIGRAM_LANGUAGES, content_terms
from footnote.types import Reason, Tier, Verdict


class Line(NamedTuple):
    """slope · m + offset, at least `least`."""

    slope: float
    offset: float
    least: float

    def at(self, median: float) -> float:
        """The threshold for m."""
        return max(self.slope * median + self.offset, self.least)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """In a small collection everyday questions find nothing at all: what scores above them is worth showing, but m does not say how sure
    it is. In one whose texts are about everyday things, m is high, but not what other questions score."""

    closest: Line
    """The lowest score at which passages are shown."""
    relevant: Line
    """The score that is as likely relevant as not."""
    answer: float
    """How much more an answer needs."""

    def relevant_from(self, median: float) -> float:
        """The score that is as likely relevant as not, and is shown."""
        return max(self.closest.at(median), self.relevant.at(median))

    def answer_from(self, median: float) -> float:
        """The lowest score of an answer."""
        return self.relevant_from(median) + self.answer


FEW = 3
TYPICAL = 8
"""Terms up to which BM25 counts in full: it is a sum over terms, so a long question scores anywhere."""
WITH_VECTORS = Thresholds(Line(0.8, 1.05, -3.5), Line(1.0, 1.65, -2.0), 2.6)
BY_WORDS = {
    lang: Thresholds(line, line, answer)
    for lang, line, answer in (("en", Line(1.1, 1.25, -1.6), 0.5), ("de", Line(0.7, 1.55, -2.0), 1.2), ("ko", Line(1.5, 2.1, -0.5), 1.2))
}
WORD_WEIGHTS = {"en": (0.05, 8.0, 0.0), "de": (0.05, 8.0, 2.0)}
"""By words: of BM25, passage' and unknown. German compounds hide terms, so those that occur nowhere tell more."""
SCORING = 8
"""Raised when scores change: kept medians are then computed again."""
NOTHING = -9.0
"""The score without any sentence."""


def score_evidence(question: Question, sentences: Sequence[Scored]) -> float:
    """The score of the best sentence that may be quoted."""
    best = max((each for each in sentences if each.quotable), key=lambda each: each.score, default=None)
    if best is None:
        return NOTHING
    found = best.features
    if not question.by_vectors:
        if question.lang in BIGRAM_LANGUAGES:  # of many bigrams some are always found, so BM25 grows with the question
            return 6.2 * question.strict(found.near) + 8.8 * question.strict(found.passage) - 2.8
        bm25 = max(each.hit.scores.get("bm25", 0.0) for each in sentences)
        of_bm25, of_passage, of_unknown = WORD_WEIGHTS.get(question.lang, WORD_WEIGHTS["en"])
        counted = bm25 * min(1.0, TYPICAL / max(1, len(question.terms)))
        return of_bm25 * counted + of_passage * question.strict(found.passage) - of_unknown * question.unknown - 3.5
    highest = max(each.features.cosine for each in sentences)
    return 4.5 * found.passage + 3.6 * found.passage_cosine + 11 * highest - 9.5


def judge(question: Question, sentences: Sequence[Scored], picked: Sequence[Scored], median: float) -> Verdict:
    """The tier of an answer. `picked`: the sentences that would be quoted; `median`: m."""
    score, thresholds = score_evidence(question, sentences), _thresholds(question)
    closest_from, answer_from = thresholds.closest.at(median), thresholds.answer_from(median)
    tier, because = _tier(score, closest_from, answer_from, bool(picked))
    missing = question.words_without(frozenset[str]().union(*(each.held for each in sentences)))
    if any(each.tells for each in picked):
        tier, because = "answer", "sure"
    if tier == "nothing" and any(_says(each, question) for each in sentences):
        tier, because = "closest", "unsure"
    if tier == "answer" and any(is_name(word, question) for word in missing):
        tier, because = "closest", "lacks_name"
    return Verdict(tier, because, round(score, 2), round(answer_from, 2), round(closest_from, 2), missing)


def relevance(question: Question, sentences: Sequence[Scored], median: float) -> float:
    """How relevant a passage with these sentences is, 0 to 1: 1 / (1 + exp(relevant_from − score)). A passage without a sentence that may
    be quoted, such as an outline, is scored by those that it has."""
    if not any(each.quotable for each in sentences):
        sentences = [replace(each, quotable=True) for each in sentences]
    return 1 / (1 + math.exp(relevant_from(question, median) - score_evidence(question, sentences)))


def relevant_from(question: Question, median: float) -> float:
    """The score that is as likely relevant to the question as not."""
    return _thresholds(question).relevant_from(median)


def _thresholds(question: Question) -> Thresholds:
    return WITH_VECTORS if question.by_vectors else BY_WORDS.get(question.lang, BY_WORDS["en"])


def _says(sentence: Scored, question: Question) -> bool:
    """Whether the sentence is worth showing for its words, whatever the score."""
    return sentence.quotable and (sentence.features.defines > 0 or _holds_all(sentence, question) or _is_titled(sentence, question))


def _holds_all(sentence: Scored, question: Question) -> bool:
    """Whether the sentence, with title and headings, has every term of the question. Their weights may be low: what a collection is
    about is in most of its passages. By words alone, few terms say too little."""
    return len(question.terms) >= (1 if question.by_vectors else FEW) and sentence.held >= question.terms


def _is_titled(sentence: Scored, question: Question) -> bool:
    """Whether the heading of the sentence's section is the question, word for word."""
    return bool(question.terms) and question.terms == frozenset(question.as_own(content_terms(sentence.heading, sentence.hit.chunk.lang)))


def is_name(word: str, question: Question) -> bool:
    """Whether the word is a name or a number: passages without it are about something else. German capitals tell nothing."""
    return word.isdigit() or (question.lang != "de" and word[0].isupper() and not question.text.lstrip().startswith(word))


def _tier(score: float, closest_from: float, answer_from: float, has_quotes: bool) -> tuple[Tier, Reason]:
    if score < closest_from:
        return "nothing", "unrelated"
    if not has_quotes:
        return "closest", "no_sentence"
    return ("answer", "sure") if score >= answer_from else ("closest", "unsure")
