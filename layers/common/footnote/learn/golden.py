"""Loads a golden set, i.e. documents, queries and relevance judgements, from a BEIR folder.

corpus.jsonl {_id, title, text} · queries.jsonl {_id, text[, answers][, history]} · qrels.tsv or qrels/test.tsv
with a header and `query-id, corpus-id, score`. `history`: the messages before the query, [{role, content}].
unanswerable.jsonl {_id, text}, optional: questions that the documents do not answer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnote.errors import BadRequest
from footnote.types import Exchange

GAIN = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class GoldenDocument:
    """A document of the corpus."""

    doc_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """A query. `relevance`: document id → gain, > 0 = relevant."""

    query_id: str
    text: str
    relevance: dict[str, int]
    answers: tuple[str, ...] = ()
    history: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Documents with judged queries."""

    name: str
    documents: tuple[GoldenDocument, ...]
    queries: tuple[GoldenQuery, ...]
    digest: str
    """SHA-256 of the corpus: an index with the same digest can be reused."""
    unanswerable: tuple[GoldenQuery, ...] = ()
    """Questions that the documents do not answer and that must be refused."""


def load_golden(folder: Path, *, limit: int | None = None) -> GoldenSet:
    """Loads the set. Queries without a relevant document are skipped; `limit` takes that many of the rest, evenly spread.

    Raises BadRequest with the missing file or the invalid line.
    """
    corpus = folder / "corpus.jsonl"
    documents = tuple(
        GoldenDocument(str(line["_id"]), line.get("title") or "", line.get("text") or "") for line in _lines(corpus, ("_id", "text"))
    )
    relevance = _relevance(folder)
    queries = [
        GoldenQuery(str(line["_id"]), line["text"], relevance[str(line["_id"])], tuple(line.get("answers", ())), _exchanges(line, folder))
        for line in _lines(folder / "queries.jsonl", ("_id", "text"))
        if any(gain > 0 for gain in relevance.get(str(line["_id"]), {}).values())
    ]
    if not queries:
        raise BadRequest(f"{folder} contains no query with a relevant document.")
    nowhere = folder / "unanswerable.jsonl"
    refused = [GoldenQuery(str(line["_id"]), line["text"], {}) for line in _lines(nowhere, ("_id", "text"))] if nowhere.exists() else []
    digest = hashlib.sha256(corpus.read_bytes()).hexdigest()
    return GoldenSet(folder.resolve().name, documents, _spread(queries, limit), digest, _spread(refused, limit))


def _spread(queries: Sequence[GoldenQuery], limit: int | None) -> tuple[GoldenQuery, ...]:
    if limit is None or limit >= len(queries):
        return tuple(queries)
    return tuple(queries[i * len(queries) // limit] for i in range(limit))


def _relevance(folder: Path) -> dict[str, dict[str, int]]:
    path = next((path for path in (folder / "qrels.tsv", folder / "qrels" / "test.tsv") if path.exists()), None)
    if path is None:
        raise BadRequest(f"{folder} has no qrels.tsv.")
    relevance: dict[str, dict[str, int]] = {}
    for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines()[1:], start=2):
        fields = line.split("\t")
        if not line.strip():
            continue
        if len(fields) != 3 or GAIN.fullmatch(fields[2].strip()) is None:
            raise BadRequest(f"{path}, line {number}: expected query-id, corpus-id and score with tabs between them.")
        relevance.setdefault(fields[0], {})[fields[1]] = int(fields[2])
    return relevance


def _exchanges(line: dict[str, Any], folder: Path) -> tuple[Exchange, ...]:
    """Pairs each question with the answers before the next one."""
    said: list[tuple[str, list[str]]] = []
    for message in line.get("history") or ():
        match message:
            case {"role": "user", "content": str(question)}:
                said.append((question, []))
            case {"role": "assistant", "content": str(answer)}:
                if said:
                    said[-1][1].append(answer)
            case _:
                raise BadRequest(f"{folder / 'queries.jsonl'}, {line['_id']}: `history` may contain only messages of user and assistant.")
    return tuple(Exchange(question, "\n\n".join(answers)) for question, answers in said)


def _lines(path: Path, keys: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if not path.exists():
        raise BadRequest(f"{path.parent} has no {path.name}. A BEIR folder contains corpus.jsonl, queries.jsonl and qrels.tsv.")
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError as exc:
                raise BadRequest(f"{path}, line {number}: not JSON.") from exc
            if not isinstance(value, dict) or any(key not in value for key in keys):
                raise BadRequest(f"{path}, line {number}: {', '.join(keys)} required.")
            yield value
