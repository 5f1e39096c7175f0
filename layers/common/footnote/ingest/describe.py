"""Describes a document for people and for filters: summary, topics, language, personal data, kind of file. Patterns find them; a
model may write the summary and the topics instead, and name the type (`ingest.describe_by_model`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from footnote.text.grounding import covered_share
from footnote.text.pii import has_pii
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.text.words import salient_words
from footnote.types import Block, Parsed

FIELDS = ("summary", "topics", "lang", "pii", "type")
"""The parts of `additional_field`, in this order."""
READ = 40_000
"""Characters of the text that summary and topics are made from; personal data is looked for in all of it."""
TOPICS = 6
WORDS = 100
"""Words of a file that cannot be used, by which a question finds it."""
TITLE_WEIGHT = 3
SHORTEST, LONGEST = 40, 300
"""Characters of a sentence that can be the summary."""
LATER = 0.9
"""What a sentence scores below the first tenth of the text, relative to one in it."""
PARTICLE = re.compile(r"(?<=[가-힣]{2})(?:은|는|이|가|을|를|의|에|도|와|과|로|으로|에서|에게|까지|부터|만|보다|처럼|에는|에도|이다)$")
KO_VERB = re.compile(r"(?:[하되있없]는|[할될한된]|[하되]고|하며|하여|되어|[했됐있였었]다|[한된이]다)$")
HANGUL = re.compile("[가-힣]")
URL = re.compile(r"(?:https?://|www\.)\S+")
PLAIN = re.compile(r"\s*[|\s]\s*")


def describe(parsed: Parsed, lang: str, given: Mapping[str, Any], written: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """`additional_field`, and `topics`, `lang`, `pii` and `type` to filter by. What is in `given` is kept as it is and is part of
    `additional_field`. `written`: what a model wrote; it stands for what is found here."""
    blocks = list(_first(parsed.blocks))
    weights = _weigh(parsed.title, blocks, lang)
    found = {
        "summary": _summary(blocks, weights, lang) or parsed.title,
        "topics": _topics(weights),
        "lang": lang,
        "pii": any(has_pii(block.text) for block in parsed.blocks),
        "type": parsed.format,
        **(written or {}),
    }
    stands = {name: given.get(name, value) for name, value in found.items()}
    line = " | ".join(f"{name}={_flat(stands[name])}" for name in FIELDS)
    return {"additional_field": line, **{name: stands[name] for name in ("topics", "lang", "pii", "type")}, **given}


def frequent_words(parsed: Parsed, lang: str) -> str:
    """The most frequent words of a file and its title, separated by spaces."""
    return " ".join(word for word, _ in _weigh(parsed.title, _first(parsed.blocks), lang).most_common(WORDS))


def _flat(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(_flat(str(item).replace(",", " ")) for item in value)
    return str(value).lower() if isinstance(value, bool) else PLAIN.sub(" ", str(value)).strip()


def _first(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that begin within the first READ characters; a long one is cut off."""
    left = READ
    for block in blocks:
        if left <= 0:
            return
        yield block if len(block.text) <= left else Block(block.kind, block.text[:left], block.level)
        left -= len(block.text)


def _weigh(title: str, blocks: Iterable[Block], lang: str) -> Counter[str]:
    """Word, in its most frequent form → how often it occurs in all its forms; title and headings count more."""
    words: Counter[str] = Counter()
    for text, weight in [(title, TITLE_WEIGHT), *((block.text, TITLE_WEIGHT if block.kind == "heading" else 1) for block in blocks)]:
        for word in salient_words(URL.sub(" ", text), lang):
            words[word] += weight
    forms: dict[str, Counter[str]] = {}
    for word, count in words.items():
        if not word.isalpha() or KO_VERB.search(word):
            continue
        shown = PARTICLE.sub("", word)
        stem = shown if HANGUL.search(shown) else _stem(shown, lang)
        if len(stem) > (1 if HANGUL.search(stem) else 2):
            forms.setdefault(stem, Counter())[shown] += count
    return Counter({spelled.most_common(1)[0][0]: spelled.total() for spelled in forms.values()})


@lru_cache(maxsize=20_000)
def _stem(word: str, lang: str) -> str:
    return " ".join(content_terms(word, lang))


def _topics(weights: Counter[str]) -> list[str]:
    return [word for word, count in weights.most_common(TOPICS) if count > 1]


def _summary(blocks: Iterable[Block], weights: Counter[str], lang: str) -> str:
    """The sentence that contains most of the text's frequent words, "" without one."""
    frequent = {term: float(count) for word, count in weights.most_common(4 * TOPICS) for term in content_terms(word, lang)}
    best, most, read = "", 0.0, 0
    for block in blocks:
        for start, end in split_sentences(block.text, lang) if block.kind == "paragraph" else ():
            sentence = block.text[start:end]
            if SHORTEST <= len(sentence) <= LONGEST and not sentence.endswith(("?", "？", ":")) and not URL.search(sentence):
                score = covered_share(frequent, set(content_terms(sentence, lang)), frequent)
                score *= 1.0 if read + start < READ // 10 else LATER
                if score > most:
                    best, most = sentence, score
        read += len(block.text)
    return best
