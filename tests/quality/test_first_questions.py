"""The first questions that README and quick start suggest get good, cited answers from the first second on."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.answer import extract
from footnote.answer.messages import message
from footnote.bootstrap import Core
from footnote.settings import LLM, Caching, Settings
from footnote_local.server import _FirstDocuments, _start, create_app
from footnote_local.worker import Worker
from tests.footnote_local.conftest import HereParser

ROOT = Path(__file__).parents[2]
TOLD = re.compile(r'"query_text": "(.+?)"|footnote ask "(.+?)"')
HOLDS = {
    "How do I delete a document?": ("Quick start", "DELETE /documents/{doc_id}"),
    "What does it cost on AWS?": ("Deploy to AWS", "cents"),
    "How do I connect Open WebUI?": ("Connect a client", "WebUI"),
    "How do I make a backup?": ("Back up and restore", "backup"),
    "How do I use Ollama?": ("Quick start", "ollama pull"),
    "Can I use OpenAI?": ("", "OPENAI_API_KEY"),
    "How do I start the server on another port?": ("Quick start", "PORT=8080"),
    "Where is my data stored?": ("Concepts", "the folder DATA"),
    "What is an extractive answer?": ("Concepts", "Footnote quotes"),
}
"""Question → the document that must be cited first, "" = any; text that the answer must contain."""

NOT_ANSWERED = "Who is my dentist?"


def told_questions() -> set[str]:
    """The questions of the README and the quick start."""
    texts = [(ROOT / name).read_text("utf-8") for name in ("README.md", "docs/quick-start.md")]
    return {first or second for text in texts for first, second in TOLD.findall(text)}


def question_to_try(said: list[str]) -> str:
    (line,) = (line for line in said if line.startswith("Try: "))
    words = shlex.split(line)
    return str(json.loads(words[words.index("-d") + 1])["query_text"])


async def ask(client: httpx.AsyncClient, question: str) -> tuple[str, list[dict[str, Any]]]:
    body = {"query_text": question, "index_name": "default", "permission_groups": []}
    reply = (await client.post("/ask", json=body)).json()
    return reply["answer"], reply["citations"]


async def judge(client: httpx.AsyncClient, to_try: str) -> dict[str, str]:
    """Question → its wrong answer: without citations, with the wrong document first, or with table rows among the
    sentences of an answer. `to_try`: the first of the questions that were tried before they were suggested."""
    wrong = {}
    for question, (title, words) in {to_try: ("", ""), **HOLDS}.items():
        answer, citations = await ask(client, question)
        rows = [citation["snippet"].startswith("|") for citation in citations if not answer.startswith(message("closest", "en"))]
        if not citations or words not in answer or not citations[0]["title"].startswith(title) or any(rows) > rows[:1].count(True):
            wrong[question] = answer
    answer, citations = await ask(client, NOT_ANSWERED)
    return wrong | ({NOT_ANSWERED: answer} if citations else {})


async def keep_cited_pages(client: httpx.AsyncClient) -> None:
    """Deletes the documents that no question expects."""
    cited = tuple(title for title, _ in HOLDS.values() if title)
    for document in (await client.get("/documents", params={"limit": 100})).json()["data"]:
        if not document["title"].startswith(cited):
            assert (await client.delete(f"/documents/{document['doc_id']}")).status_code == 200


def test_every_question_of_readme_and_quick_start_is_asked_here() -> None:
    assert "How do I delete a document?" in told_questions()
    assert told_questions() <= set(HOLDS)


@pytest.mark.timeout(900)  # thousands of sentences are embedded, possibly on a busy machine
async def test_the_suggested_first_questions_are_answered_with_and_without_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "EMBED_S", 60.0)
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), cache=Caching(enabled=False)), parser=HereParser())
    embedder, said = core.embedder, list[str]()
    assert embedder is not None
    ingestor, worker = core.ingestor, Worker(core)
    ingestor.embedder = None  # vectors are computed later, on request
    await worker.start()
    await _start(core, _FirstDocuments(core, [ROOT / "docs"], said.append), "http://localhost", said.append, said.append)
    await worker.stop()
    to_try = question_to_try(said)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(core)), base_url="http://localhost") as client:
        assert (await core.index.progress(embedder.name, embedder.languages))[0] == 0
        assert await judge(client, to_try) == {}
        await keep_cited_pages(client)  # to embed all would take a minute
        ingestor.embedder = embedder
        while await ingestor.embed_some(32):
            pass
        done, total = await core.index.progress(embedder.name, embedder.languages)
        assert done == total > 50
        assert await judge(client, to_try) == {}
    await core.close()
