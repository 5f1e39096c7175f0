"""The sections that a question names by their numbers: “What does section 2.2 say?”. Their text answers, whatever its words are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from footnote.answer.choose import MOST, Quote, quotes_in_order
from footnote.answer.score_sentences import Question, Scored
from footnote.text.section_numbers import JOINT, sections_headed, without_sections
from footnote.text.tokens import BIGRAM_LANGUAGES, WORD, content_terms

FURTHER_WORDS, FURTHER_BIGRAM_WORDS = 1, 3
"""Words of a question for a whole section that neither it nor its headings have: “say”; “무슨 내용이 있나요”, whose words have endings."""


def quotes_of_sections(question: Question, sentences: Sequence[Scored]) -> list[Quote]:
    """The excerpts of the sections that the question names, in the order of the text; first of the document whose title it names. At
    most MOST, of as many documents as possible. `sentences`: those of all hits."""
    if not question.sections:
        return []
    among = [sentence for sentence in sentences if (sentence.quotable or sentence.introduces) and _is_in(question.sections, sentence)]
    of_document: defaultdict[str, list[Quote]] = defaultdict(list)
    for quote in sorted(quotes_in_order(sentences, among), key=lambda quote: (quote.hit.chunk.ordinal, quote.excerpt.start)):
        of_document[quote.hit.chunk.doc_id].append(quote)
    order = list(dict.fromkeys(sentence.hit.chunk.doc_id for sentence in among))
    documents = sorted((of_document[name] for name in order if name in of_document), key=lambda quotes: _order(question, quotes[0]))
    taken = sorted((at, document) for document, quotes in enumerate(documents) for at in range(len(quotes)))[:MOST]
    return [documents[document][at] for document, at in sorted((document, at) for at, document in taken)]


def asks_for_all(question: Question, quotes: Iterable[Quote]) -> bool:
    """Whether the question is for all that a section says, not for something in it. `quotes`: the section's."""
    held = frozenset[str]().union(*(sentence.held for quote in quotes for sentence in quote.sentences))
    words = WORD.findall(without_sections(question.text))
    further = [word for word in words if (terms := content_terms(word, question.lang)) and held.isdisjoint(terms)]
    return len(further) <= (FURTHER_BIGRAM_WORDS if question.lang in BIGRAM_LANGUAGES else FURTHER_WORDS)


def _is_in(sections: frozenset[str], sentence: Scored) -> bool:
    """Whether a sentence stands in one of these sections, or in a section of those."""
    own = sections_headed((*sentence.hit.chunk.headings, sentence.heading))
    return any(number == asked or number.startswith(asked + JOINT) for number in own for asked in sections)


def _order(question: Question, quote: Quote) -> tuple[float, bool]:
    """Documents whose title has most of the question come first, then those in its language."""
    chunk = quote.hit.chunk
    return -question.cov(question.terms.intersection(question.as_own(content_terms(chunk.title, chunk.lang)))), chunk.lang != question.lang
