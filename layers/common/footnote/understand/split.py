"""Finds the questions of a message, one by one, without the sentences of story around them. Without a model.

A sentence is a question if it ends in a question mark; if none does, the last one is if it lacks an end mark. A single sentence of story
mostly gives the subject of the question (“My card is lost. What do I do?”): it stays with the question. In a longer story this is true only
of the sentence before a question that is too short by itself. The first question has to be clear without the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from footnote.text.message_kinds import needs_conversation
from footnote.text.sentences import split_sentences
from footnote.text.tokens import BIGRAM_LANGUAGES, content_terms
from footnote.types import WORDED_LANGUAGES, Exchange, Turn
from footnote.types.copies import replace
from footnote.understand.complete import add_words

LONGEST = 1000
"""Number of characters of a message that are examined."""
MOST = 5
"""Maximum number of parts; the last one contains the rest."""
FEWEST = 2
"""Content terms from which a question is long enough."""
STORY = 2
"""Number of sentences from which they are a story, which the search does not need."""
ITEM = re.compile(r"^(?:[-*•–]|\(?\w{1,2}[.)])\s+")


def asks_several(turn: Turn) -> bool:
    """The documents answer, and the message holds several questions, or a story, and is not divided yet."""
    return turn.request.mode == "rag" and len(turn.answered) == 1 and not turn.evidence.hits and bool(question_parts(turn.asked, turn.lang))


async def split_question(turn: Turn) -> Turn:
    """Replaces the message by its questions, each of which is searched for and answered. A question that refers to earlier ones gets words
    of them, as a follow-up does. `turn.reading.divided` is the original message, for the model's prompt. Without its story a question may
    be too short: then the whole message is the other reading."""
    parts = question_parts(turn.asked, turn.lang)
    texts = [_completed(part, parts[:at], turn.lang) for at, part in enumerate(parts)]
    reading = replace(turn.reading, divided=turn.asked)
    other_reading = turn.conversation.other_reading or (turn.asked if len(parts) == 1 else "")
    divided = replace(
        turn.rewrite(*dict.fromkeys(texts)), reading=reading, conversation=replace(turn.conversation, other_reading=other_reading)
    )
    return divided.with_notes(divided=turn.asked)


def _completed(part: str, before: tuple[str, ...], lang: str) -> str:
    """The part with words of the parts before it, if it cannot be understood alone or is too short."""
    if not before or not (says_little(part, lang) or needs_conversation(part)):
        return part
    return add_words(part, tuple(Exchange(question, "") for question in before), lang)


@lru_cache(maxsize=256)
def question_parts(message: str, lang: str) -> tuple[str, ...]:
    """The questions as they were written, at most MOST; () = the message is one question as a whole."""
    if lang not in WORDED_LANGUAGES or len(message) > LONGEST:
        return ()
    sentences = list(_sentences(message, lang))
    parts = _parts(sentences, lang)
    if not parts or parts == [" ".join(sentences)] or needs_conversation(parts[0]):
        return ()
    return tuple(parts if len(parts) <= MOST else [*parts[: MOST - 1], " ".join(parts[MOST - 1 :])])


def says_little(question: str, lang: str) -> bool:
    """Whether it finds nothing by itself."""
    return lang not in BIGRAM_LANGUAGES and len(set(content_terms(question, lang))) < FEWEST


def _sentences(message: str, lang: str) -> Iterator[str]:
    """Its sentences and items of lists. Where there are no capitals, each end mark may end a sentence."""
    shown = "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in message) if message.islower() else message
    for start, end in split_sentences(shown, lang):
        yield ITEM.sub("", " ".join(message[start:end].split()), count=1)


def _parts(sentences: list[str], lang: str) -> list[str]:
    """The questions, each with the sentences that belong to it."""
    asks = [sentence.endswith(("?", "？")) for sentence in sentences]
    if True not in asks and sentences and sentences[-1][-1].isalnum():
        asks[-1] = True
    is_story = asks.count(False) >= STORY
    parts: list[str] = []
    story = ""
    for sentence, is_asked in zip(sentences, asks, strict=True):
        if not is_asked:
            story = sentence if is_story else f"{story} {sentence}".strip()
        elif story and (not is_story or says_little(sentence, lang) or needs_conversation(sentence)):
            parts.append(f"{story} {sentence}")
            story = ""
        elif parts and says_little(sentence, lang):
            parts[-1] = f"{parts[-1]} {sentence}"
        else:
            parts.append(sentence)
            story = ""
    if parts and story and (not is_story or story[-1].isalnum()):
        parts[-1] = f"{parts[-1]} {story}"
    return parts
