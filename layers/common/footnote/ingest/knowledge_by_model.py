"""Lets a language model name the entities of passages and the relations between them, and summarise groups of passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import get_args

from pydantic import BaseModel, Field

from footnote.ingest.describe_by_model import DocumentModel, plain
from footnote.ingest.questions_by_model import shown_passage
from footnote.knowledge.entities import Entity, PassageGraph, Relation, about
from footnote.knowledge.keys import key_of
from footnote.text.name_kinds import Kind
from footnote.text.sentences import split_chunk
from footnote.text.untrusted import untrusted_title
from footnote.types import Chunk

KINDS: tuple[Kind, ...] = get_args(Kind)
LONGEST_NAME, LONGEST_LABEL = 80, 60
"""Characters of a name, and of what a relation is called."""
LONGEST_SUMMARY = 600
GRAPH_TOKENS, SUMMARY_TOKENS = 2000, 600
"""Most tokens of a reply."""


class Graphs(BaseModel, defer_build=True):
    """The model's reply."""

    entities: list[str] = Field(description="a list of texts, each of them number of the passage | name | kind")
    relations: list[str] = Field(description="a list of texts, each of them number of the passage | name | connection | name")


async def graphs_by_model(model: DocumentModel, chunks: Sequence[Chunk]) -> dict[str, PassageGraph]:
    """Chunk id → what it says of entities, for those of the passages that the same people may read as the first one; {} without a usable
    reply. Names that a passage does not contain are dropped, and relations of them."""
    if not chunks:
        return {}
    batch = [chunk for chunk in chunks if chunk.permission_groups == chunks[0].permission_groups]
    above = [f"{untrusted_title(chunk.title)}\n" if chunk.title not in chunk.headings else "" for chunk in batch]
    passages = [title + shown_passage(chunk) for title, chunk in zip(above, batch, strict=True)]
    reply = await model.ask(batch[0].doc_id, "passage_graph", batch[0].lang, {"passages": passages}, Graphs, GRAPH_TOKENS)
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
        shown = plain(name, LONGEST_NAME)
        if (key := key_of(shown)) and shown.casefold() in text:
            entities.setdefault(key, Entity(shown, key, next((each for each in KINDS if each == kind), "other")))
    places, sentences = {key: place for place, key in enumerate(entities)}, split_chunk(chunk)
    relations: dict[tuple[int, int], Relation] = {}
    for parts in connected:
        ends = [places.get(key_of(parts[0])), places.get(key_of(parts[2]))] if len(parts) == len(("name", "is", "name")) else []
        match ends:
            case [int(source), int(target)] if source != target:
                start, end = _stating(chunk.text, sentences, [entity.name for entity in entities.values()], source, target)
                relations.setdefault((source, target), Relation(source, target, start, end, plain(parts[1], LONGEST_LABEL)))
    return PassageGraph(tuple(entities.values()), tuple(relations.values()), about(chunk))


def _stating(text: str, sentences: Sequence[tuple[int, int]], names: Sequence[str], *ends: int) -> tuple[int, int]:
    """The sentence that names most of the two."""
    return max(sentences, key=lambda at: sum(names[end].casefold() in text[slice(*at)].casefold() for end in ends), default=(0, len(text)))


class GroupSummary(BaseModel, defer_build=True):
    """The model's reply."""

    summary: str = Field(description="a text, what the passages say, in two to four sentences")


async def summary_by_model(model: DocumentModel, chunks: Sequence[Chunk]) -> str | None:
    """What these passages say, in their language; None without a usable reply."""
    passages = [shown_passage(chunk) for chunk in chunks]
    reply = await model.ask(chunks[0].doc_id, "group_summary", chunks[0].lang, {"passages": passages}, GroupSummary, SUMMARY_TOKENS)
    return plain(reply.summary, LONGEST_SUMMARY) or None if reply is not None else None
