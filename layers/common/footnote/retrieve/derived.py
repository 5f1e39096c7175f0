"""Derived queries: paraphrases, hypothetical texts and more general questions, all written by a model, and keywords of the first passages.

They only find evidence. `fuse_lists` adds their results to the scores of the question's own results, by their weights. The weights are so
low that texts about something else cost less than .02 of nDCG@10 (`python -m bench.expansion`).

Hypothetical text (HyDE): a text that a model makes up as a possible answer is near passages that answer. Only its vector is searched for:
its words are made up, and some of them are wrong.

Pseudo-relevance feedback: keywords are the words w shared by the first FEEDBACK_PASSAGES passages, by idf(w) · Σ scores of the passages
with w. This helps keyword searches only; a whole question would drift. Passages are read through the permission check, so the query
contains no word of unreadable ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from pydantic import BaseModel, Field

from footnote.model_calls import ask
from footnote.ports import Embedder, Index, Models, speaks
from footnote.prompts import Prompts
from footnote.retrieve.fuse import fuse_lists
from footnote.settings import Rag
from footnote.text.tokens import WORD, content_terms
from footnote.text.untrusted import untrusted
from footnote.text.words import QUESTION_WORDS
from footnote.types import ASKED, LONGEST_QUERY, MOST_DERIVED, Message, Query, QueryKind, Turn

LIMIT_S = 8.0
"""Of a model's call, within the row's time limit."""
MOST_PARAPHRASES = 3
STEP_BACK_WEIGHT, FEEDBACK_WEIGHT = 0.3, 0.2
ABSTRACT_WORDS = 5
"""A question with fewer words is abstract: too little for its vector to find anything."""
LONGEST_HYPOTHETICAL = 1000
FEEDBACK_PASSAGES = 5
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

Reply = TypeVar("Reply", bound=BaseModel)


class Paraphrases(BaseModel, defer_build=True):
    """The model's reply to `paraphrase`."""

    queries: list[str] = Field(description="a list of two or three texts, each of them the question in other words")


class General(BaseModel, defer_build=True):
    """The model's reply to `step_back`."""

    query: str = Field(description="a text, the more general question")


class Hypothetical(BaseModel, defer_build=True):
    """The model's reply to `hypothetical`."""

    text: str = Field(description="a text, the passage")


def may_expand(turn: Turn) -> bool:
    """There is a language model, one question is searched for, and nothing has been found in other systems."""
    return turn.plan.model is not None and len(turn.answered) == 1 and not turn.evidence.is_complete


def is_derived(query: Query) -> bool:
    """Whether the query only finds evidence."""
    return query.kind not in ASKED


def has_derived(turn: Turn) -> bool:
    """Queries were derived from the question."""
    return any(map(is_derived, turn.queries))


def has_feedback(turn: Turn) -> bool:
    """Keywords of the first passages are searched for, too."""
    return any(query.kind == "feedback" for query in turn.queries)


def with_derived(
    turn: Turn, kind: QueryKind, written: Iterable[str], weight: float = MOST_DERIVED, *, longest: int = LONGEST_QUERY
) -> Turn:
    """The turn with these texts as queries (`Turn.derive`). Texts longer than `longest` characters are cut at a word."""
    return turn.derive(kind, (_cut(" ".join(text.split()), longest) for text in written), weight)


async def paraphrase(turn: Turn, *, models: Models, prompts: Prompts) -> Turn:
    """Adds up to MOST_PARAPHRASES queries of kind `paraphrase`: the question in other words, for passages that use these words."""
    reply = await _write(turn, "paraphrase", Paraphrases, models, prompts)
    return with_derived(turn, "paraphrase", reply.queries[:MOST_PARAPHRASES])


async def step_back(turn: Turn, *, models: Models, prompts: Prompts) -> Turn:
    """Adds a query of kind `step_back`: the more general question behind the question, for passages that explain its subject."""
    reply = await _write(turn, "step_back", General, models, prompts)
    return with_derived(turn, "step_back", [reply.query], STEP_BACK_WEIGHT)


def is_abstract(turn: Turn) -> bool:
    """The question has fewer than five words, and vectors are searched for."""
    return turn.plan.retriever != "bm25" and len(turn.asked.split()) < ABSTRACT_WORDS


async def write_hypothetical(turn: Turn, *, models: Models, prompts: Prompts, embedder: Embedder | None) -> Turn:
    """Adds a query of kind `hypothetical`, if the embedder supports the language."""
    if not speaks(embedder, turn.lang):
        return turn
    reply = await _write(turn, "hypothetical", Hypothetical, models, prompts)
    return with_derived(turn, "hypothetical", [reply.text], longest=LONGEST_HYPOTHETICAL)


def is_keyword_query(turn: Turn) -> bool:
    """One query is searched for, by its words, with at least six content terms and no question word."""
    text = turn.asked
    if turn.evidence.is_complete or len(turn.answered) != 1 or turn.plan.retriever == "knn" or text.rstrip().endswith(("?", "？")):
        return False
    asking = {*ASKING.get(turn.lang, "").split(), *QUESTION_WORDS.get(turn.lang, ())}
    return asking.isdisjoint(WORD.findall(text.casefold())) and len(set(content_terms(text, turn.lang))) >= FEWEST_TERMS


async def add_feedback(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> Turn:
    """Adds a query of kind `feedback`, which is searched for by its words."""
    ranked = (await fuse_lists(turn, embedder=embedder, rag=rag)).evidence.ranked[:FEEDBACK_PASSAGES]
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
    return with_derived(turn, "feedback", [" ".join(keywords)], FEEDBACK_WEIGHT)


async def _write(turn: Turn, prompt: str, reply: type[Reply], models: Models, prompts: Prompts) -> Reply:
    """What the model writes for the question."""
    text = prompts.render(prompt, turn.lang, {"question": untrusted(turn.asked)}, turn.plan.prompts)
    return await ask(models, turn.plan.model, [Message("user", text)], reply, timeout_s=LIMIT_S)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest + 1].rpartition(" ")[0] or text[:longest]
