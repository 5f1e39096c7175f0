"""Completes a follow-up by the question before it, without a language model.

A fragment such as “And in 2024?” replaces one word of that question, where the embedder speaks the language: a number another number, and
else the word whose vector is nearest to its new words. After “What is the hotel limit in 2023?” it asks “What is the hotel limit in 2024?”.
Any other follow-up (“When was it built?”, “Why?”) keeps its words, and those of the question before follow it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from footnote.errors import FootnoteError
from footnote.ports import Embedder, speaks
from footnote.text.message_kinds import is_small_talk, kind_of, needs_conversation
from footnote.text.question_kinds import asked_type_of
from footnote.text.similarity import vector_cosine
from footnote.text.tokens import content_terms
from footnote.text.words import ASKING_KO, salient_words
from footnote.types import LONGEST_QUERY, SMALL_TALK, Exchange, Turn

MOST_WORDS = 12
"""Words added from the conversation."""
FEW = 4
"""Words of a fragment. Longer follow-ups lie farther from what people would ask alone if they replace a word (cosines of 236 rewrites of
another set: .65, .68 with this limit)."""
ASKING = frozenset("who whom whose when where why wer wen wem wann wo woher wohin warum wieso weshalb".split())
"""Words that ask by themselves; “how” and “what” may belong to a noun: “how many children?”."""
WORD = re.compile(r"[\w'-]+(?:[.,:/]\w+)*")
"""A version, an amount or a time is one word."""


async def complete(turn: Turn, embedder: Embedder | None) -> str:
    """The question of a turn with earlier exchanges, in a form that needs no conversation. If the embedder fails, words alone decide."""
    question, before = turn.request.question, turn.conversation.asked or last_question(turn)
    if _is_fragment(question, turn.lang) and len(before) <= LONGEST_QUERY and speaks(embedder, turn.lang):
        given, earlier_words = (_telling(text, turn.lang) for text in (question, before))
        new = [word for word in given if not _is_among(word, earlier_words, turn.lang)]
        old = [word for word in earlier_words if not _is_among(word, given, turn.lang)]
        if new and old:
            put = question[new[0].start() : new[-1].end()]
            with suppress(FootnoteError):
                vector, *vectors = await embedder.embed([text.lower() for text in (put, *(word[0] for word in old))], query=True)
                nearness = [
                    (_has_digit(put) == _has_digit(word[0]), vector_cosine(vector, other)) for word, other in zip(old, vectors, strict=True)
                ]
                replaced = old[nearness.index(max(nearness))]
                return before[: replaced.start()] + put + before[replaced.end() :]
    return add_words(question, earlier(turn), turn.lang)


def _is_fragment(question: str, lang: str) -> bool:
    """Whether it has few words, and asks nothing without another question: “what about the phone?”, not “Is it dear?”."""
    words = question.lower().strip("?？. ").split()
    if len(words) > FEW:
        return False
    if lang == "ko":
        return not any(word.startswith(ASKING_KO) for word in words)
    return ASKING.isdisjoint(words[:2]) and not any(asked_type_of(" ".join(words[at:])) == "yes-no" for at in range(len(words)))


def earlier(turn: Turn) -> tuple[Exchange, ...]:
    """The exchanges by which the question is understood, oldest first."""
    return turn.conversation.exchanges[-turn.profile.understood_by :]


def last_question(turn: Turn) -> str:
    """The last question of the conversation that was not about an answer, with words of the questions that it refers to."""
    exchanges = turn.conversation.exchanges
    for place in reversed(range(len(exchanges))):
        question = exchanges[place].question
        kind = kind_of(question, goes_on=place > 0)
        if kind not in SMALL_TALK and kind != "about_answer":
            before = exchanges[max(0, place - turn.profile.understood_by) : place]
            return add_words(question, before, turn.lang) if kind == "follow_up" else question
    return exchanges[-1].question


def add_words(question: str, history: Sequence[Exchange], lang: str) -> str:
    """The question plus salient words of the previous question, and of earlier ones while these refer back, too.

    Answers are not used: their words distract as often as they help.
    """
    added: dict[str, str] = {}
    for exchange in reversed(history):
        if is_small_talk(exchange.question):
            continue
        for word in salient_words(exchange.question, lang):
            added.setdefault(word.casefold(), word)
        if not needs_conversation(exchange.question):
            break
    own = {word.casefold() for word in salient_words(question, lang)}
    return " ".join([question.strip(), *[word for folded, word in added.items() if folded not in own][:MOST_WORDS]])


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _telling(text: str, lang: str) -> list[re.Match[str]]:
    """The words that say what the text is about, with their places."""
    return [word for word in WORD.finditer(text) if salient_words(word[0], lang)]


def _is_among(word: re.Match[str], words: Sequence[re.Match[str]], lang: str) -> bool:
    """Whether the word is among these, in any form."""
    terms = set(content_terms(word[0], lang))
    return any(terms <= set(content_terms(other[0], lang)) for other in words)
