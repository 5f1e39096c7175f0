"""The sections that a question names by their numbers: “What does section 2.2 say?”. Their text answers, whatever its words are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from footnote.answer.choose import MOST, Quote, quotes_in_order
from footnote.answer.score_sentences import Question, Scored
from footnote.text.section_numbers import OF_LAWS, Section, section_of, without_sections
from footnote.text.tokens import BIGRAM_LANGUAGES, WORD, content_terms

FURTHER_WORDS, FURTHER_BIGRAM_WORDS = 1, 3
"""Words of a question for a whole section that neither it nor its headings have: “say”; “무슨 내용이 있나요”, whose words have endings."""


def quotes_of_sections(question: Question, sentences: Sequence[Scored]) -> list[Quote]:
    """The excerpts of the sections that the question names, in the order of the text: of the document whose title it names, or else of
    all, and of a section of the kind that it names, or else of any with the number. At most MOST, and one more for each further section,
    of as many documents and sections as possible. `sentences`: those of all hits."""
    if not question.sections:
        return []
    among = [sentence for sentence in sentences if (sentence.quotable or sentence.introduces) and _asked(question, sentence)]
    of_document = _of_named_document(question, among)
    among = [sentence for sentence in of_document if _asked(question, sentence, of_kind=True)] or of_document
    groups: defaultdict[tuple[str, Section | None], list[Quote]] = defaultdict(list)
    texts = set[str]()
    for quote in sorted(quotes_in_order(sentences, among), key=lambda quote: (quote.hit.chunk.ordinal, quote.excerpt.start)):
        if quote.text not in texts:  # a document may be there in several formats
            texts.add(quote.text)
            groups[quote.hit.chunk.doc_id, _asked(question, quote.best)].append(quote)
    order = list(dict.fromkeys(sentence.hit.chunk.doc_id for sentence in among))
    named = Counter(doc_id for doc_id, _ in groups)
    documents = sorted(
        groups, key=lambda group: (-named[group[0]], groups[group][0].hit.chunk.lang != question.lang, order.index(group[0]))
    )
    taken = sorted((at, number) for number, group in enumerate(documents) for at in range(len(groups[group])))
    taken = taken[: MOST + len(question.sections) - 1]
    return [groups[documents[number]][at] for number, at in sorted((number, at) for at, number in taken)]


def are_of_kind(question: Question, quotes: Iterable[Quote]) -> bool:
    """Whether sections are of the kind that the question names. “Section 3” and “chapter 3” may be of any kind; a section 3 is hardly meant
    by “§ 3”. `quotes`: those of the sections."""
    return any(section.kind not in OF_LAWS for section in question.sections) or any(
        _asked(question, quote.best, of_kind=True) for quote in quotes
    )


def asks_for_all(question: Question, quotes: Iterable[Quote]) -> bool:
    """Whether the question is for all that a section says, not for something in it. `quotes`: the section's."""
    held = frozenset[str]().union(*(sentence.held for quote in quotes for sentence in quote.sentences))
    words = WORD.findall(without_sections(question.text))
    further = [word for word in words if (terms := content_terms(word, question.lang)) and held.isdisjoint(terms)]
    return len(further) <= (FURTHER_BIGRAM_WORDS if question.lang in BIGRAM_LANGUAGES else FURTHER_WORDS)


def _asked(question: Question, sentence: Scored, *, of_kind: bool = False) -> Section | None:
    """The first of the sections that the question names in which a sentence stands."""
    own = [section for heading in (*sentence.hit.chunk.headings, sentence.heading) if (section := section_of(heading))]
    return next(
        (asked for asked in question.sections if any(asked.has(one) and (asked.is_kind_of(one) or not of_kind) for one in own)), None
    )


def _of_named_document(question: Question, sentences: Sequence[Scored]) -> list[Scored]:
    """Those of the documents whose title has most of the question beside the sections, if one has any of it."""
    terms = question.terms.intersection(content_terms(without_sections(question.text), question.lang))
    titles = dict.fromkeys((sentence.hit.chunk.title, sentence.hit.chunk.lang) for sentence in sentences)
    named = {title: question.cov(terms.intersection(question.as_own(content_terms(*title)))) for title in titles}
    most = max(named.values(), default=0.0)
    return [sentence for sentence in sentences if named[sentence.hit.chunk.title, sentence.hit.chunk.lang] == most]
