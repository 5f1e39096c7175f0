"""Lets a language model name the entities of passages and the relations between them, and summarise groups of passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import get_args

from pydantic import BaseModel, Field

from footnote.errors import UnusableReply
from footnote.ingest.describe_by_model import DocumentModel, plain
from footnote.ingest.questions_by_model import shown_passage
from footnote.knowledge.entities import Entity, PassageGraph, Relation, about
from footnote.knowledge.keys import key_of, resolve
from footnote.text.grounding import covered_share
from footnote.text.name_kinds import Kind
from footnote.text.sentences import split_chunk
from footnote.text.tokens import content_terms
from footnote.text.untrusted import untrusted_title
from footnote.types import Chunk

KINDS: tuple[Kind, ...] = get_args(Kind)
LONGEST_NAME, LONGEST_LABEL = 80, 60
"""Characters of a name, and of what a relation is called."""
SUPPORTED = 0.5
"""Share of the words of what a relation is called that its sentence has: the rest may be worded otherwise, or made up."""
LONGEST_SUMMARY = 600
GRAPH_TOKENS, SUMMARY_TOKENS = 2000, 600
"""Most tokens of a reply."""


class Graphs(BaseModel, defer_build=True):
    """The model's reply."""

    entities: list[str] = Field(description="a list of texts, each of them number of the passage | name | kind")
    relations: list[str] = Field(description="a list of texts, each of them number of the passage | name | connection | name")


async def graphs_by_model(model: DocumentModel, chunks: Sequence[Chunk]) -> dict[str, PassageGraph]:
    """Chunk id → what it says of entities, for those of the passages that have the language and the readers of the first one; {} if there
    is no reply now. Names that a passage does not contain are dropped, and relations of them. Raises UnusableReply."""
    if not chunks:
        return {}
    first = chunks[0]
    batch = [chunk for chunk in chunks if (chunk.permission_groups, chunk.lang) == (first.permission_groups, first.lang)]
    above = [f"{untrusted_title(chunk.title)}\n" if chunk.title not in chunk.headings else "" for chunk in batch]
    passages = [title + shown_passage(chunk) for title, chunk in zip(above, batch, strict=True)]
    reply = await model.reply(first.doc_id, "passage_graph", first.lang, {"passages": passages}, Graphs, GRAPH_TOKENS)
    if reply is None:
        return {}
    entities, relations = (_by_passage(lines) for lines in (reply.entities, reply.relations))
    return {chunk.chunk_id: _graph(chunk, entities[number], relations[number]) for number, chunk in enumerate(batch, start=1)}


def _by_passage(lines: Sequence[str]) -> defaultdict[int, list[list[str]]]:
    """Number of a passage → the parts of its lines."""
    found: defaultdict[int, list[list[str]]] = defaultdict(list)
    for line in lines:
        number, *parts = (part.strip() for part in line.split("|"))
        if number.isdecimal():
            found[int(number)].append(parts)
    return found


def _graph(chunk: Chunk, named: Sequence[Sequence[str]], connected: Sequence[Sequence[str]]) -> PassageGraph:
    text = "\n".join((chunk.title, *chunk.headings, chunk.text)).casefold()
    entities: dict[str, Entity] = {}
    for name, kind in (parts for parts in named if len(parts) == len(("name", "kind"))):
        written = plain(name, LONGEST_NAME)
        if (key := key_of(written)) and written.casefold() in text:
            entities.setdefault(key, Entity(written, key, next((each for each in KINDS if each == kind.casefold()), "other")))
    full = resolve([entity.name for entity in entities.values()] + [parts[end] for parts in connected for end in (0, -1)])
    places, shown = {key: place for place, key in enumerate(entities)}, list(entities.values())
    relations: dict[tuple[int, int, str], Relation] = {}
    for parts in connected:
        if len(parts) != len(("name", "is", "name")):
            continue
        match [places.get(key_of(full.get(name, name))) for name in (parts[0], parts[2])]:
            case [int(source), int(target)] if source != target:
                label = plain(parts[1], LONGEST_LABEL)
                share, start, end = _stating(chunk, (shown[source].name, shown[target].name), label)
                label = label if share >= SUPPORTED else ""
                relations.setdefault((source, target, label), Relation(source, target, start, end, label))
    return PassageGraph(tuple(shown), tuple(relations.values()), about(chunk))


def _stating(chunk: Chunk, names: Sequence[str], label: str) -> tuple[float, int, int]:
    """(share of the label's words, start, end) of the sentence that has most of the names, then most of these words."""
    terms, found = content_terms(label, chunk.lang), []
    for start, end in split_chunk(chunk):
        said = chunk.text[start:end]
        named = sum(name.casefold() in said.casefold() for name in names)
        found.append((named, covered_share(terms, set(content_terms(said, chunk.lang))), -start, end))
    _, share, start, end = max(found, default=(0, 0.0, 0, len(chunk.text)))
    return share, -start, end


class GroupSummary(BaseModel, defer_build=True):
    """The model's reply."""

    summary: str = Field(description="a text, what the passages say, in two to four sentences")


async def summary_by_model(model: DocumentModel, chunks: Sequence[Chunk]) -> str | None:
    """What these passages say, in their language; None if there is no reply now. Raises UnusableReply."""
    passages = [shown_passage(chunk) for chunk in chunks]
    reply = await model.reply(chunks[0].doc_id, "group_summary", chunks[0].lang, {"passages": passages}, GroupSummary, SUMMARY_TOKENS)
    if reply is None:
        return None
    if text := plain(reply.summary, LONGEST_SUMMARY):
        return text
    raise UnusableReply
