"""The labelled messages that `bench.message_kinds` fits with, and those that it measures with.

What people wrote: the questions of labelled folders (`bench/labels`), the halves of `messages.jsonl`, `requests.jsonl` and
`follow_ups.jsonl` that may be looked at, the questions of other files in `questions/`, and of a file of follow-ups with their rewrites
(`--rewrites`), every second one. What is made up: `requests_grammar.txt`, `follow_ups_grammar.txt`, `small_talk_grammar.txt`, and words of
questions, as people type them into a search field.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

from bench.labelled import LABELS
from bench.request_grammar import QUESTIONS, Grammar, made_from, read_grammar
from footnote.text.everyday_questions import EVERYDAY
from footnote.types import MessageKind

GRAMMARS = tuple(QUESTIONS / f"{name}_grammar.txt" for name in ("requests", "follow_ups", "small_talk"))
EACH, EACH_FOLLOW_UP = 12, 60
"""Messages from a template. Those of follow-ups hold the most words of all kinds."""
KIND_OF_FOLLOW_UP: dict[str, MessageKind] = {
    "answer": "about_answer",
    "conversation": "about_answer",
    "search": "follow_up",
    "new": "question",
}
"""What `follow_ups.jsonl` calls it → its kind."""
NUMBERS = ("7", "42", "2024", "4711", "3.2", "§ 5", "24/7", "9/80", "401k", "2FA", "A4", "27001", "v2", "10 %", "16:9")
"""As they stand in the names of things."""
HELPING = re.compile(" (?=줘|주|줄)")
COMPLETED = {"fit": 0.45, "test": 0.6}
"""Share of the words of its rewrite below which a message cannot stand alone; less in the fit, where errors cost more."""
Half = Literal["fit", "test"]


class Row(NamedTuple):
    """A labelled message."""

    text: str
    kind: MessageKind
    lang: str
    source: str
    """The set, or `made`, or `keywords`."""


def rows_to_fit(rewrites: Path | None = None) -> list[Row]:
    """All examples, without what is measured."""
    written = list(_written("fit", rewrites))
    asked: defaultdict[str, list[str]] = defaultdict(list)
    for row in written:
        if row.kind == "question" and row.source in ("labels", "questions"):
            asked[row.lang].append(row.text)
    words = {lang: list(keywords(texts)) for lang, texts in asked.items()}
    made = (Row(text, kind, lang, "made") for lang, kind, text in _made(_grammar(asked, words)))
    typed = (Row(text, "question", lang, "keywords") for lang, texts in words.items() for text in texts)
    held = {row.text for row in rows_to_measure(rewrites)}
    return [row for row in dict.fromkeys((*written, *made, *typed)) if row.text not in held]


def rows_to_measure(rewrites: Path | None = None) -> list[Row]:
    """Messages of the halves and folders that are not looked at."""
    return list(dict.fromkeys(_written("test", rewrites)))


def keywords(questions: Sequence[str]) -> Iterator[str]:
    """One to three words of each question, as people type them into a search field, every second time with a number."""
    draw = Random(7)
    for at, question in enumerate(questions):
        words = question.rstrip("?.! ").split()
        first = draw.randrange(len(words))
        said = " ".join(words[first : first + draw.randint(1, 3)])
        number = draw.choice(NUMBERS)
        yield draw.choice((f"{number} {said}", f"{said} {number}")) if at % 2 else said


def _written(half: Half, rewrites: Path | None) -> Iterator[Row]:
    for folder in _folders(held=half == "test"):
        for row in _read(LABELS / f"{folder}.jsonl"):
            yield Row(row["question"], "follow_up" if row["kind"] == "follow-up" else "question", folder[:2], "labels")
            if row.get("before"):
                yield Row(row["before"], "question", folder[:2], "labels")
    for row in _read(QUESTIONS / "messages.jsonl"):
        if row["half"] == half:
            yield Row(row["text"], row["kind"], row.get("lang", "other"), "messages")
    seen = ("dev",) if half == "fit" else ("test", "found")
    for row in _read(QUESTIONS / "requests.jsonl"):
        if row["half"] in seen:
            yield Row(row["text"], "question" if row["search"] else "task", row["lang"], "requests")
    for row in _read(QUESTIONS / "follow_ups.jsonl"):
        if row["half"] in seen:
            yield Row(row["text"], KIND_OF_FOLLOW_UP[row["kind"]], row["lang"], "follow_ups")
    for row in _read(rewrites) if rewrites else ():
        if (int(row["_id"][:2], 16) % 2 == 0) == (half == "fit"):
            yield Row(row["user_turns"][0], "question", "en", "rewrites")
            yield Row(row["rewrite"], "question", "en", "rewrites")
            said, rewritten = (set(re.findall(r"\w+", row[name].lower())) for name in ("last_turn", "rewrite"))
            if len(said & rewritten) < COMPLETED[half] * len(rewritten):
                yield Row(row["last_turn"], "follow_up", "en", "rewrites")
    if half == "fit":
        for name in ("natural", "intents", "foreign"):
            yield from (Row(row["text"], "question", row["lang"], "questions") for row in _read(QUESTIONS / f"{name}.jsonl"))
        yield from (Row(text, "question", lang, "questions") for lang, texts in EVERYDAY.items() for text in texts)
    else:
        yield from (Row(row["text"], "question", row["lang"], "unrelated") for row in _read(QUESTIONS / "unrelated.jsonl"))


def _grammar(asked: dict[str, list[str]], words: dict[str, list[str]]) -> Grammar:
    """The templates, with words of real questions as what a message may name. What says “it” asks of the documents if it names something
    in its place. Korean helping verbs are written with a space and without."""
    grammar = read_grammar(*GRAMMARS)
    for (lang, kind), templates in list(grammar.templates.items()):
        if kind == "about_answer":
            naming = (re.sub(rf"\{{[^{{}}]*@{lang}\.it[^{{}}]*\}}|@{lang}\.it", f"@{lang}.about ", each) for each in templates)
            grammar.templates[lang, "question"] += [each for each in naming if each not in templates]
    for (lang, _), templates in grammar.templates.items():
        if lang == "ko":
            templates += [together for each in templates if (together := HELPING.sub("", each)) != each]
        grammar.names[f"{lang}.asked"] = asked[lang]
        grammar.names[f"{lang}.words"] = words[lang]
        grammar.names[f"{lang}.word"] = sorted({word for text in asked[lang] for word in re.findall(r"\w{3,}", text)})
    return grammar


def _made(grammar: Grammar) -> Iterator[tuple[str, MessageKind, str]]:
    follow_ups = {key: templates for key, templates in grammar.templates.items() if key[1] == "follow_up"}
    others = {key: templates for key, templates in grammar.templates.items() if key not in follow_ups}
    yield from made_from(Grammar(others, grammar.names), EACH)
    yield from made_from(Grammar(follow_ups, grammar.names), EACH_FOLLOW_UP)


def _folders(*, held: bool) -> list[str]:
    table = (LABELS / "README.md").read_text("utf-8").splitlines()
    return [row.split("`")[1] for row in table if row.startswith("| `") and row.endswith("| yes |" if held else "| no |")]


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
