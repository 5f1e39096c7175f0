"""What does a model get to read? The tokens of a prompt, how often the passage that answers is in it, and how much of it a server can
reuse from the turn before.

    footnote ingest FOLDER/docs --data /tmp/docs
    python -m bench.prompts LABELS.jsonl=/tmp/docs [LABELS.jsonl=DATA …] [xquad_de=BEIR_DIR …] [--most 100] [--missed missed.jsonl]

A source is a file of labels with the data folder of the ingested documents, or the name and folder of a BEIR set, which is indexed
first. A label is a JSON line with `question` and `spans`, the words of a document that hold the answer; one of another `kind` than
`answerable` is left out. A prompt has the answer if it holds the first of the spans, or the whole text of a judged passage.

Every API is asked over HTTP, without a network, and a scripted model keeps what it is sent. It rewrites nothing, and no answer is
reused. `beginning`: the characters that the prompts of two consecutive turns of one conversation have in common, and their share of the
second one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from statistics import mean
from typing import Any

import httpx

from bench.figures import log_progress
from footnote.bootstrap import Core
from footnote.errors import ModelUnavailable
from footnote.learn.golden import load_golden
from footnote.ports import Delta, LanguageModel
from footnote.settings import Caching, Settings
from footnote.text.tokens import count_tokens
from footnote.types import Message, ModelSource
from footnote_local.evaluate import build_index
from footnote_query.app import create_app

Body = Mapping[str, Any]
ROUTES: Mapping[str, tuple[str, str, Body]] = {
    "/ask": ("query_text", "room_id", {"index_name": "default", "permission_groups": []}),
    "/v2/rag/query": ("query", "room_id", {}),
    "/v1/chat": ("message", "session_id", {}),
    "/chat": ("query", "session_id", {}),
}
"""Path → the fields of the question and of the conversation, and what else is needed."""
TURNS = 4
"""Of a conversation."""


class Reader:
    """`ports.Models` and the model that it picks: keeps the prompts for answers, and fails for anything else."""

    name, address, source = "scripted", "http://model.test/v1", ModelSource("configured")

    def __init__(self) -> None:
        self.prompts: list[Sequence[Message]] = []

    async def pick(self, name: str | None) -> LanguageModel | None:
        return self

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        if options.get("schema") is not None:
            raise ModelUnavailable("Scripted.")
        self.prompts.append(messages)
        yield Delta("See the documents.")


def plain(text: str) -> str:
    """The words of a text, without markup."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def said(messages: Sequence[Message]) -> str:
    """The text of a prompt."""
    return "\n".join(message.content for message in messages)


def common(before: str, after: str) -> int:
    """The characters with which both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def labels_of(path: Path) -> Iterator[tuple[str, list[str]]]:
    """(question, texts of which one must be in the prompt) of a file of labels, or of a BEIR folder."""
    if path.is_dir():
        texts = {row["_id"]: row["text"] for row in map(json.loads, (path / "corpus.jsonl").open(encoding="utf-8"))}
        judged: dict[str, list[str]] = {}
        for line in (path / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
            query, passage, grade = line.split("\t")
            if int(grade):
                judged.setdefault(query, []).append(texts[passage])
        for row in map(json.loads, (path / "queries.jsonl").open(encoding="utf-8")):
            if row["_id"] in judged and not row.get("history"):
                yield row["text"], judged[row["_id"]]
        return
    for row in map(json.loads, path.open(encoding="utf-8")):
        if row["kind"] == "answerable":
            yield row["question"], row["spans"][:1]


async def ask(client: httpx.AsyncClient, path: str, question: str, room: str | None) -> None:
    """Asks a question through an API."""
    asked, conversation, fixed = ROUTES[path]
    reply = await client.post(path, json={asked: question, conversation: room, **fixed})
    reply.raise_for_status()


async def measure(label: str, core: Core, reader: Reader, labels: Sequence[tuple[str, list[str]]], missed: list[Body]) -> None:
    """Prints the figures of one source, a line for each API."""
    transport = httpx.ASGITransport(create_app(lambda: core))
    async with httpx.AsyncClient(transport=transport, base_url="http://bench", timeout=None) as client:
        for path in ROUTES:
            tokens, passages, found = [], [], 0
            for question, texts in labels:
                reader.prompts.clear()
                await ask(client, path, question, None)
                prompt = said(reader.prompts[0]) if reader.prompts else ""
                tokens.append(count_tokens(prompt))
                passages.append(prompt.count("\n<document"))
                words = plain(prompt)
                is_found = any(plain(text) in words for text in texts)
                found += is_found
                if not is_found:
                    missed.append({"source": label, "api": path, "question": question, "texts": texts, "prompt": prompt})
            same = []
            for at in range(0, min(len(labels), 5 * TURNS), TURNS):
                reader.prompts.clear()
                for question, _ in labels[at : at + TURNS]:
                    await ask(client, path, question, f"{path}{at}")
                texts_sent = [said(prompt) for prompt in reader.prompts]
                same += [(common(before, after), len(after)) for before, after in pairwise(texts_sent)]
            figures = {
                "questions": len(labels),
                "found": found,
                "tokens": round(mean(tokens)),
                "passages": round(mean(passages), 1),
                "beginning": round(mean(common for common, _ in same)),
                "of": round(mean(whole for _, whole in same)),
                "share": round(mean(common / whole for common, whole in same), 3),
            }
            print(label, path, json.dumps(figures), flush=True)


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.prompts", description="Measures what a model gets to read.")
    parser.add_argument("sources", nargs="+", metavar="LABELS=FOLDER")
    parser.add_argument("--most", type=int, default=100, help="most questions of a source")
    parser.add_argument("--missed", type=Path, metavar="FILE", help="write the prompts without the answer")
    options = parser.parse_args()
    missed: list[Body] = []
    for source in options.sources:
        name, _, folder = source.partition("=")
        path, reader, settings = Path(folder).expanduser(), Reader(), Settings(cache=Caching(enabled=False))
        if (path / "corpus.jsonl").exists():
            name, built = path.name, await build_index(load_golden(path), settings, settings.data / "bench", lambda *_: None)
            await built[0].close()
            labels, core = list(labels_of(path)), Core(built[0].settings, models=reader)
        else:
            labels, core = list(labels_of(Path(name))), Core(settings.model_copy(update={"footnote_data": path}), models=reader)
            name = Path(name).parent.name
        log_progress(f"— {name}")
        try:
            await measure(name, core, reader, labels[: options.most], missed)
        finally:
            await core.close()
    if options.missed:
        options.missed.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in missed), "utf-8")


if __name__ == "__main__":
    asyncio.run(_main())
