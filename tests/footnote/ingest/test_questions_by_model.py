"""Questions that a model writes about passages find them, and are seen nowhere."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ingest.questions_by_model import AT_ONCE
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import Caller, Document, Request
from tests.conftest import HandClock
from tests.fakes import work_all
from tests.footnote.ingest.test_describe_by_model import describe_all
from tests.openai_server import Reply, Server, chunk, sse
from tests.turns import HELD

ME = Caller("local", sees_all=True, role="admin")
OTHER = Caller("eve", groups=frozenset({"guests"}))
SENTENCE = "The keeper of tower {0} climbed the stairs at dusk, filled the lamp with oil and noted the weather in his book number {0}. "
DESCRIPTION = {"summary": "The work of lighthouse keepers.", "topics": ["lighthouse"], "type": "report"}
PATH = "/v1/chat/completions"


def towers(count: int) -> bytes:
    return "\n\n".join(f"# Tower {number}\n\n{SENTENCE.format(number) * 3}" for number in range(1, count + 1)).encode()


def says(reply: Any) -> Reply:
    return sse(chunk(content=json.dumps(reply, ensure_ascii=False)))


def answering(questions: Callable[[str], Reply]) -> Callable[[Any], Reply]:
    """Describes a document, and replies to a prompt for questions with what `questions` makes of it."""

    def reply(sent: Any) -> Reply:
        prompt = sent["messages"][0]["content"]
        return questions(prompt) if "document number" in prompt else says(DESCRIPTION)

    return reply


@pytest.fixture
async def core(tmp_path: Path, server: Server, clock: HandClock) -> AsyncIterator[Core]:
    llm = LLM(discover=False, base_url=f"{server.url}/v1", model="scribe", retries=0)
    settings = Settings(footnote_data=tmp_path, ingest=Ingest(enrichment="questions"), llm=llm, embedding=Embedding(builtin=False))
    made = Core(settings, clock=clock)
    yield made
    await made.close()


async def add(core: Core, data: bytes, **given: Any) -> Document:
    groups = {"permission_groups": ["staff"], **given}
    document = await core.ingestor.accept(ME, data, file_name="towers.md", collection="default", **groups)
    await work_all(core)
    document = await core.ledger.get(ME, document.doc_id)
    assert document.state == "READY"
    await describe_all(core)
    return document


async def found(core: Core, question: str, caller: Caller = ME) -> list[str]:
    turn = await core.retrieve.finish(core.new_turn(Request(question, "default", retriever="bm25"), caller, HELD))
    assert all(hit.chunk.questions == () for hit in turn.evidence.hits)
    assert not any("vacation" in repr(hit.chunk) for hit in turn.evidence.hits)
    return [hit.chunk.headings[-1] for hit in turn.evidence.hits]


async def test_a_question_finds_its_passage_and_is_never_seen(core: Core, server: Server) -> None:
    server.replies[PATH] = answering(
        lambda _: says({"questions": ["1: Who swept chimneys?", "2: When is the **vacation** of [x](http://x)?"]})
    )
    document = await add(core, towers(3))
    assert await found(core, "vacation") == ["Tower 2"]
    assert await found(core, "chimneys") == ["Tower 1"]
    assert await found(core, "vacation", OTHER) == []
    assert document.chunks == 3
    assert not any("vacation" in chunk.text for chunk in await core.index.sample(ME, "default", 9))
    _, parsed = await core.sources.text(ME, document.doc_id)
    assert not any("vacation" in block.text for block in parsed.blocks)
    await core.ingestor.delete(ME, document.doc_id)
    assert await found(core, "vacation") == []


async def test_a_changed_document_has_new_questions(core: Core, server: Server) -> None:
    server.replies[PATH] = answering(lambda _: says({"questions": ["1: When is the vacation?"]}))
    document = await add(core, towers(2))
    server.replies[PATH] = answering(lambda _: says({"questions": ["2: Who has holidays?"]}))
    await add(core, towers(2) + b" More.", doc_id=document.doc_id)
    assert (await found(core, "vacation"), await found(core, "holidays")) == ([], ["Tower 2"])


async def test_several_passages_share_a_call(core: Core, server: Server) -> None:
    server.replies[PATH] = answering(lambda prompt: says({"questions": [f"{len(re.findall('document number', prompt))}: vacation?"]}))
    await add(core, towers(AT_ONCE + 2))
    assert len(server.requests) == 1 + 2
    assert sorted(await found(core, "vacation")) == sorted([f"Tower {AT_ONCE}", f"Tower {AT_ONCE + 2}"])


async def test_unusable_questions_are_left_out(core: Core, server: Server) -> None:
    written = [
        "9: Where is zebra one?",
        "0: Where is zebra two?",
        "Where is zebra three?",
        "1:",
        "1: a?",
        "1: b?",
        "1: b?",
        "1: c?",
        "1: zebra?",
    ]
    server.replies[PATH] = answering(lambda _: says({"questions": written}))
    await add(core, towers(2))
    assert await found(core, "zebra") == []


async def test_a_model_that_fails_is_asked_twice_at_most(core: Core, server: Server) -> None:
    server.replies[PATH] = answering(lambda _: Reply(500, ("{}",)))
    document = await add(core, towers(AT_ONCE * 8))
    assert document.chunks == AT_ONCE * 8
    assert len(server.requests) <= 1 + 2 + 3  # calls that ran at the same time end
    assert (await found(core, "stairs of tower 5"))[0] == "Tower 5"
