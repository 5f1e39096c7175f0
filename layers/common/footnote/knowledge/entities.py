"""The entities that a passage names, and the relations that it states, without a language model.

Entities are names (`text.names`). Two of them are related where a sentence names both, and the name in a document's title, where its text
has it, to all that its sentences name. A passage is about its document and its section, and what their titles name. Questions are read by
the same code.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from footnote.knowledge.keys import key_of, resolve
from footnote.text.name_kinds import Kind, kind_scores, surely
from footnote.text.names import ENDINGS, find_names, find_spans
from footnote.text.sentences import split_chunk
from footnote.types import MAILS, Chunk

ABOUT = "@"
"""Before the key of what a passage is about."""
MOST_NAMES, MOST_IN_SENTENCE = 60, 6
"""Names of a passage, and of a sentence, that are kept: longer ones are lists, which connect nothing."""
SMALL = re.compile(r"\b[a-zà-öø-ÿ]\w+")
"""Words that begin with a small letter."""
ENDING = re.compile(r"s\b| \d{1,4}\b(?![.,:]?\d)")
"""What behind a name may belong to it."""
LONGEST_TITLE = 80
"""Characters of a title or heading that may name something."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing with a name. `key`: under which it is found, also by its other names."""

    name: str
    key: str
    kind: Kind = "other"


@dataclass(frozen=True, slots=True)
class Relation:
    """Two entities, by their places in `PassageGraph.entities`, and the part of the passage's text that connects them. `label`: what a
    model calls the relation."""

    source: int
    target: int
    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class PassageGraph:
    """What a passage says of entities. `about`: the keys of what it is about."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    about: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys by which the passage is found."""
        return (*dict.fromkeys(entity.key for entity in self.entities), *(f"{ABOUT}{key}" for key in self.about))


def names_in(text: str, lang: str) -> list[str]:
    """The names in a question or a passage. Languages that the names were not learned in are read like English, by their capitals."""
    return list(find_names(text, _read_as(lang)))


def _read_as(lang: str) -> str:
    return lang if lang in ENDINGS else "en"


def about(chunk: Chunk) -> tuple[str, ...]:
    """The keys of what the passage is about: its document and its section, and what their titles name."""
    titles = [re.sub(r"\s*\(.*?\)", "", title) for title in (chunk.title, *chunk.headings[-1:]) if len(title) <= LONGEST_TITLE]
    named = (name for title in titles for name in names_in(title, chunk.lang))
    return tuple(dict.fromkeys(key for each in (*titles, *named) if (key := key_of(each))))


def read_document(chunks: Sequence[Chunk]) -> list[PassageGraph]:
    """The graph of each passage of one document. Short forms of a name get the key of the longest in the document, and all its mentions
    together tell its kind. A single word that the document also writes with a small letter is no name."""
    small = {word for chunk in chunks for word in SMALL.findall(chunk.text)}
    found = _with_endings([_named(chunk, small) for chunk in chunks])
    written = list(dict.fromkeys(name for sentences in found for sentence in sentences for name in sentence.names))
    full = resolve(written)
    scores: dict[str, list[int]] = {}
    mentions: Counter[str] = Counter()
    for chunk, sentences in zip(chunks, found, strict=True):
        for start, end, names, _, _ in sentences:
            for name in names:
                before, _, after = chunk.text[start:end].partition(name)
                added, key = kind_scores(name, before, after, chunk.lang), key_of(full.get(name, name))
                mentions[key] += 1
                scores[key] = [a + b for a, b in zip(scores[key], added, strict=True)] if key in scores else added
    kinds = {key: surely(added, mentions[key]) for key, added in scores.items()}
    return [_read(chunk, sentences, full, kinds) for chunk, sentences in zip(chunks, found, strict=True)]


class _Sentence(NamedTuple):
    """A sentence that has names, each with the s or the number behind it. `states`: what it says connects them, as a list of properties
    does not."""

    start: int
    end: int
    names: list[str]
    endings: list[str]
    states: bool


def _named(chunk: Chunk, small: Container[str]) -> list[_Sentence]:
    """The sentences that have names. Properties that head a document are read in mails only, of which they name the people."""
    kinds = {part.offset: part.kind for part in chunk.parts}
    is_mail = chunk.metadata.get("type") in MAILS
    found = []
    for start, end in split_chunk(chunk):
        is_property = kinds.get(start) == "metadata"
        if is_property and not is_mail:
            continue
        text = chunk.text[start:end]
        spans = [(text[left:right], right) for left, right in find_spans(text, _read_as(chunk.lang))]
        kept = [(name, right) for name, right in spans if name.isupper() or name.casefold() not in small]
        if kept:
            endings = [ending[0] if (ending := ENDING.match(text, right)) else "" for _, right in kept]
            found.append(_Sentence(start, end, [name for name, _ in kept], endings, not is_property))
    return found


def _with_endings(found: Sequence[Sequence[_Sentence]]) -> list[list[_Sentence]]:
    """The sentences, with what belongs to the names by the whole document: the s that a name is never written without, since `Jens Peters`
    is no genitive, and a number that it has twice, as `Windows 11`."""
    mentions = Counter(pair for sentences in found for sentence in sentences for pair in zip(sentence.names, sentence.endings, strict=True))
    written = {name for name, _ in mentions}

    def whole(name: str, ending: str) -> str:
        if ending == "s":
            belongs = (name, "") not in mentions and (mentions[name, ending] > 1 or f"{name}s" in written)
        else:
            belongs = mentions[name, ending] > 1
        return f"{name}{ending}" if belongs else name

    return [[each._replace(names=list(map(whole, each.names, each.endings))) for each in sentences] for sentences in found]


def _read(chunk: Chunk, sentences: Sequence[_Sentence], full: Mapping[str, str], kinds: Mapping[str, Kind]) -> PassageGraph:
    places: dict[str, int] = {}
    entities: list[Entity] = []
    relations: dict[tuple[int, int], Relation] = {}

    def place(name: str) -> int | None:
        key = key_of(full.get(name, name))
        if key and key not in places and len(places) < MOST_NAMES:
            places[key] = len(entities)
            entities.append(Entity(full.get(name, name), key, kinds.get(key, "other")))
        return places.get(key)

    titled = names_in(chunk.title[:LONGEST_TITLE], chunk.lang) if sentences else []
    subject = next((place(name) for name in titled if key_of(full.get(name, name)) in kinds), None)
    above = (chunk.title, *chunk.headings)  # which state nothing
    for start, end, names, _, states in sentences:
        here = list(dict.fromkeys(at for name in names if (at := place(name)) is not None))
        if not states or len(here) > MOST_IN_SENTENCE or chunk.text[start:end].strip() in above:
            continue
        if subject is not None:
            here = [subject, *(at for at in here if at != subject)]
        for pair in combinations(here, 2):
            relations.setdefault(pair, Relation(*pair, start, end))
    return PassageGraph(tuple(entities), tuple(relations.values()), about(chunk))


def pack(graph: PassageGraph) -> bytes:
    """The graph as stored; nothing for a passage without entities."""
    if not graph.entities:
        return b""
    entities = [[each.name, each.key, each.kind] for each in graph.entities]
    relations = [[each.source, each.target, each.start, each.end, each.label] for each in graph.relations]
    return json.dumps([entities, relations, graph.about], ensure_ascii=False, separators=(",", ":")).encode()


def unpack(data: bytes) -> PassageGraph:
    """The graph that `pack` packed."""
    if not data:
        return PassageGraph()
    entities, relations, subjects = json.loads(data)
    return PassageGraph(tuple(Entity(*each) for each in entities), tuple(Relation(*each) for each in relations), tuple(subjects))


def stated(graph: PassageGraph, text: str) -> Iterator[tuple[Entity, Entity, str]]:
    """(source, target, what connects them in words) of each relation of the passage with this text."""
    for each in graph.relations:
        source, target = graph.entities[each.source], graph.entities[each.target]
        said = " ".join(text[each.start : each.end].split()).lstrip("-*• ")
        yield source, target, f"{source.name} – {each.label} – {target.name}" if each.label else said
