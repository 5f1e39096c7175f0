"""Measures what questions gain that are written for passages at ingest (`INGEST__ENRICHMENT=questions`), by nDCG@10.

    python -m bench.hypothetical_questions SET …            the set's own questions: half are indexed, the other half are asked
    python -m bench.hypothetical_questions --model SET …    the configured language model (`LLM__…`) writes them

Without --model this is an upper bound: people who read the passage wrote both halves. Words alone are searched, since questions add
words and no vectors; `--limit` takes so many passages of the set.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from footnote.bootstrap import Core
from footnote.ingest.questions_by_model import MOST, add_questions
from footnote.settings import Embedding, Ingest, Settings
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.types import Caller, Chunk, Document, Search, make_chunk_id

ME = Caller("bench", sees_all=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each set."""
    parser = argparse.ArgumentParser(prog="python -m bench.hypothetical_questions", description="Measures questions written for passages.")
    parser.add_argument("sets", type=Path, nargs="+", help="BEIR folders: corpus.jsonl, queries.jsonl, qrels.tsv")
    parser.add_argument("--model", action="store_true", help="let the configured model write the questions; costs money")
    parser.add_argument("--limit", type=int, help="passages of a set")
    options = parser.parse_args(arguments)
    for folder in options.sets:
        print(asyncio.run(_measure(folder, options.limit, by_model=options.model)), flush=True)
    return 0


async def _measure(folder: Path, limit: int | None, *, by_model: bool) -> str:
    texts = {row["_id"]: row for row in _rows(folder / "corpus.jsonl")[:limit]}
    questions = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    lang = detect_language(" ".join(row["text"] for row in list(texts.values())[:20]))
    lines = [line.split("\t") for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()]
    judged = {(line[0], line[-2]) for line in lines if line[-1].isdigit() and int(line[-1]) > 0 and line[-2] in texts}
    of_passage: dict[str, list[str]] = defaultdict(list)
    for query, passage in sorted(judged):
        of_passage[passage].append(query)
    indexed = {passage: [questions[query] for query in queries[::2][:MOST]] for passage, queries in of_passage.items()}
    asked = [(questions[query], passage) for passage, queries in of_passage.items() for query in queries[1::2]]
    with TemporaryDirectory() as data:
        settings = Settings(footnote_data=Path(data), embedding=Embedding(builtin=False), ingest=Ingest(enrichment="questions"))
        core = Core(settings)
        plain, written = 0.0, 0.0
        try:
            plain = await _score(core, texts, {}, asked, lang, 1)
            if by_model:
                indexed = await _by_model(core, texts, lang)
            written = await _score(core, texts, indexed, asked, lang, 2)
        finally:
            await core.close()
    count = sum(map(len, indexed.values()))
    return f"{folder.name}: {len(texts)} passages, {count} questions written, {len(asked)} asked: nDCG@10 {plain:.3f} → {written:.3f}"


async def _by_model(core: Core, texts: Mapping[str, Mapping[str, str]], lang: str) -> dict[str, list[str]]:
    model = core.ingestor.model
    assert model is not None
    made: dict[str, list[str]] = {}
    for passage, row in texts.items():
        document = _document(passage, row, 1)
        (chunk,) = await add_questions(model, replace(document, lang=lang), [_chunk(document, row, lang)])
        made[passage] = list(chunk.questions)
    return made


async def _score(
    core: Core,
    texts: Mapping[str, Mapping[str, str]],
    written: Mapping[str, Sequence[str]],
    asked: Sequence[tuple[str, str]],
    lang: str,
    generation: int,
) -> float:
    """Mean nDCG@10 by words, each question with one right passage."""
    for passage, row in texts.items():
        document = _document(passage, row, generation)
        chunk = replace(_chunk(document, row, lang), questions=tuple(written.get(passage, ())))
        await core.generations.stage(document, [chunk], [tuple(split_sentences(chunk.text, lang))])
        await core.generations.activate(passage, generation)
    total = 0.0
    for question, passage in asked:
        found = await core.index.candidates(ME, Search("bench", question, lang=lang, limit=10))
        ranks = [place for place, entry in enumerate(found.lexical, start=1) if entry.chunk_id == make_chunk_id(passage, generation, 0)]
        total += 1 / math.log2(1 + ranks[0]) if ranks else 0.0
    return total / max(len(asked), 1)


def _document(passage: str, row: Mapping[str, str], generation: int) -> Document:
    return Document(passage, row.get("title", ""), "bench", "a.txt", "PROCESSING", "", 0, frozenset({"*"}), generation)


def _chunk(document: Document, row: Mapping[str, str], lang: str) -> Chunk:
    chunk_id = make_chunk_id(document.doc_id, document.generation, 0)
    return Chunk(chunk_id, document.doc_id, document.generation, 0, 2, document.title, row["text"], lang, "bench")


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    raise SystemExit(main())
