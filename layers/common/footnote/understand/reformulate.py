"""Lets a model correct typos and unclear wording before the search, where the collection's own words cannot.

A question whose words occur in the documents or in a dictionary is searched for unchanged: a call before every search costs time and
tokens, and its rewording finds nothing new."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from pydantic import BaseModel, Field

from footnote.model_calls import ask
from footnote.ports import Embedder, Models
from footnote.prompts import Prompts
from footnote.text.language import detect_language
from footnote.text.particulars import NUMBER, WORD, count_negations, names_in
from footnote.text.untrusted import untrusted
from footnote.types import LONGEST_QUERY, Message, Turn
from footnote.understand.same_question import asked_alone, asks_the_same, set_aside

ALIKE = 0.8
"""Minimum edit similarity of a misspelled word and its correction."""
LIMIT_S = 15


class Wording(BaseModel, defer_build=True):
    """The model's reply."""

    query: str = Field(description="a text, the query")


def may_reformulate(turn: Turn) -> bool:
    """The documents answer, there is a language model, and a word of the question is in no document and could not be corrected."""
    return turn.request.mode == "rag" and turn.plan.model is not None and not turn.rewritten and bool(turn.reading.unknown_words)


async def reformulate(turn: Turn, *, models: Models, prompts: Prompts, embedder: Embedder | None) -> Turn:
    """Sets `turn.queries` to the model's wording of the question, if that keeps the meaning. A wording that may ask something else is
    only searched for, beside the question."""
    prompt = prompts.render("reformulate", turn.lang, {"question": untrusted(turn.request.question)}, turn.plan.prompts)
    reply = await ask(models, turn.plan.model, [Message("user", prompt)], Wording, timeout_s=LIMIT_S)
    query = " ".join(reply.query.split())
    question = turn.request.question
    if not query or len(query) > max(LONGEST_QUERY, 2 * len(question)) or not keeps_meaning(question, query, turn.lang):
        return turn
    if not await asks_the_same(query, asked_alone(question, turn.lang), embedder):
        return set_aside(turn, [query])
    return turn.rewrite(query).with_notes(original=question, reformulated=query)


def keeps_meaning(question: str, query: str, lang: str) -> bool:
    """Whether language, numbers, number of negations and names are the same: none is lost and none is new."""
    if detect_language(query, [lang]) != lang or sorted(NUMBER.findall(question)) != sorted(NUMBER.findall(query)):
        return False
    if count_negations(question) != count_negations(query):
        return False
    question_words, query_words = ({word.lower() for word in WORD.findall(text)} for text in (question, query))
    # In German a capital marks any noun, not only names, so the word may have been misspelled.
    kept = all(name in query_words or (lang == "de" and _is_near(name, query_words)) for name in names_in(question, lang))
    return kept and all(_is_near(name, question_words) for name in names_in(query, lang))


def _is_near(name: str, words: Collection[str]) -> bool:
    return bool(get_close_matches(name, words, n=1, cutoff=ALIKE))
