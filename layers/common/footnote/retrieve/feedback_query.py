"""Pseudo-relevance feedback: the keywords of the first passages find further passages. Without a model.

Keywords are the words w shared by the first PASSAGES passages, by idf(w) · Σ scores of the passages with w. This helps keyword searches
only; a whole question would drift. Passages are read through the permission check, so the query contains no word of unreadable ones."""

from __future__ import annotations

from collections import defaultdict

from footnote.ports import Embedder, Index
from footnote.retrieve.derived import with_derived
from footnote.retrieve.fuse import fuse_lists
from footnote.settings import Rag
from footnote.text.tokens import WORD, content_terms
from footnote.text.words import QUESTION_WORDS
from footnote.types import Turn

WEIGHT = 0.2
PASSAGES = 5
KEYWORDS = 10
FEWEST_TERMS = 6
SHORTEST = 2
"""Characters of a keyword."""
ASKING = {
    "en": """what which who whom whose when where why how is are was were do does did can could should must will would may""",
    "de": """was welche welchem welchen welcher welches wer wem wen wessen wann wo warum wieso weshalb wie wieviel woher wohin worum ist
        sind war waren kann können darf dürfen muss müssen soll hat haben wird werden""",
    "ko": "",
}
"""Words that a question has and a list of keywords has not."""


def is_keyword_query(turn: Turn) -> bool:
    """One query is searched for, by its words, with at least six content terms and no question word."""
    text = turn.asked
    if turn.evidence.is_complete or len(turn.answered) != 1 or turn.plan.retriever == "knn" or text.rstrip().endswith(("?", "？")):
        return False
    asking = {*ASKING.get(turn.lang, "").split(), *QUESTION_WORDS.get(turn.lang, ())}
    return asking.isdisjoint(WORD.findall(text.casefold())) and len(set(content_terms(text, turn.lang))) >= FEWEST_TERMS


async def add_feedback(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> Turn:
    """Adds a query of kind `feedback`, which is searched for by its words."""
    ranked = (await fuse_lists(turn, embedder=embedder, rag=rag)).evidence.ranked[:PASSAGES]
    scores = {entry.chunk_id: entry.score for entry in ranked}
    own = set(content_terms(turn.asked, turn.lang))
    terms: dict[str, list[str]] = {}
    shared: defaultdict[str, float] = defaultdict(float)
    for chunk in await index.read(turn.caller, list(scores)):
        if not turn.request.admits(chunk):
            continue
        for word in {word.casefold() for word in WORD.findall(chunk.text) if len(word) >= SHORTEST}:
            word_terms = terms.setdefault(word, content_terms(word, turn.lang))
            if word_terms and own.isdisjoint(word_terms):
                shared[word] += scores[chunk.chunk_id]
    idf = await index.term_weights(turn.caller, turn.request.collection, sorted({term for word in shared for term in terms[word]}))
    weights = {word: score * sum(idf.get(term, 0.0) for term in terms[word]) / len(terms[word]) for word, score in shared.items()}
    keywords = sorted(weights, key=lambda word: (-weights[word], word))[:KEYWORDS]
    return with_derived(turn, "feedback", [" ".join(keywords)], WEIGHT)
