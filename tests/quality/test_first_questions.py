"""The first questions that README and quick start suggest get good, cited answers from the first second on."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.first_answer import ASKED, HOLDS, is_right
from bench.first_answer import told_questions as readme_questions
from footnote.answer import extract
from footnote.bootstrap import Core
from footnote.library.worker import Worker
from footnote.ports import VectorScope
from footnote.settings import LLM, Caching, Settings
from footnote_local.server import FirstDocuments, begin, create_app
from tests.nightly import DEEP

ROOT = Path(__file__).parents[2]
CITES = {
    "How do I delete a document?": "Quick start",
    "What does it cost on AWS?": "Deploy to AWS",
    "How do I connect Open WebUI?": "Connect a client",
    "How do I restore a backup?": "Back up and restore",
    "How do I make a backup?": "Back up and restore",
    "How do I use Ollama?": "Quick start",
    "Can I use OpenAI?": "",
    "How do I start the server on another port?": "Quick start",
    "What is an extractive answer?": "Concepts",
}
"""Question → the document that must be cited first, "" = any."""
MORE = {
    "How do I use Ollama?": ("ollama pull",),
    "Can I use OpenAI?": ("OPENAI_API_KEY",),
    "How do I start the server on another port?": ("PORT=8080",),
    "What is an extractive answer?": ("Footnote quotes",),
}
"""Question of the quick start → text that the answer must contain, or the closest passages; the README's are in `bench.first_answer`."""

NOT_ANSWERED = "Who is my dentist?"


def told_questions() -> set[str]:
    """The questions of the README and the quick start."""
    texts = [(ROOT / name).read_text("utf-8") for name in ("README.md", "docs/quick-start.md")]
    return {first or second for text in texts for first, second in ASKED.findall(text)}


def question_to_try(said: list[str]) -> str:
    (line,) = (line for line in said if line.startswith("Try: "))
    words = shlex.split(line)
    return str(json.loads(words[words.index("-d") + 1])["query_text"])


async def ask(client: httpx.AsyncClient, question: str) -> dict[str, Any]:
    body = {"query_text": question, "index_name": "default", "permission_groups": []}
    return (await client.post("/ask", json=body)).json()


async def judge(client: httpx.AsyncClient, to_try: str) -> dict[str, str]:
    """Question → its wrong answer: no passages, or with the wrong document first, or without what it must hold. `to_try`: the first of
    the questions that were tried before they were suggested."""
    wrong = {}
    for question, title in {to_try: "", **CITES}.items():
        reply = await ask(client, question)
        citations, held = reply["citations"], (HOLDS | MORE).get(question, ())
        whole = all(words in reply["answer"] for words in held)
        if not whole or not citations or not citations[0]["title"].startswith(title):
            wrong[question] = reply["answer"]
    reply = await ask(client, NOT_ANSWERED)
    return wrong | ({NOT_ANSWERED: reply["answer"]} if reply["citations"] else {})


async def keep_cited_pages(client: httpx.AsyncClient, to_try: str) -> None:
    """Deletes the documents that no question expects and that `to_try` is not answered from."""
    answered_from = (await ask(client, to_try))["citations"][0]["title"]
    cited = (answered_from, *filter(None, CITES.values()))
    for document in (await client.get("/documents", params={"limit": 100})).json()["data"]:
        if not document["title"].startswith(cited):
            assert (await client.delete(f"/documents/{document['doc_id']}")).status_code == 200


def test_every_question_of_readme_and_quick_start_is_asked_here() -> None:
    assert "How do I delete a document?" in told_questions()
    assert told_questions() <= set(CITES) == set(HOLDS) | set(MORE)


def test_the_benchmark_asks_the_readmes_questions() -> None:
    assert readme_questions() == set(HOLDS)
    assert len(HOLDS) == 5


def test_an_answer_without_what_a_person_needs_is_not_right() -> None:
    question = "How do I connect Open WebUI?"
    said = "Open Admin Panel → Settings → Connections, enter the URL http://host.docker.internal:8000/v1 and any key. [1]"
    reply = {"tier": "answer", "citations": [{}], "answer": said}
    assert is_right(question, reply)
    assert not is_right(question, reply | {"answer": "Users. With one key, all Open WebUI users count as one user. [1]"})
    assert not is_right(question, reply | {"citations": []})
    assert not is_right(question, reply | {"tier": "closest"})


def pages(folder: Path) -> Path:
    """The project's documentation: in the gate those of its pages that are to be cited, and one beside each."""
    if DEEP:
        return ROOT / "docs"
    chosen, titles = dict[Path, None](), tuple(filter(None, CITES.values()))
    every = sorted((ROOT / "docs").glob("*.md"))
    for at, page in enumerate(every):
        if page.read_text("utf-8").startswith(tuple(f"# {title}" for title in titles)):
            chosen |= dict.fromkeys(every[at - 1 : at + 1])
    folder.mkdir()
    for page in chosen:
        shutil.copy(page, folder)
    return folder


@pytest.mark.slow("ingests the project's own documentation")
@pytest.mark.timeout(900)  # with vectors, thousands of sentences are embedded, possibly on a busy machine
@pytest.mark.parametrize("embeds", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["by words", "with vectors"])
async def test_the_suggested_first_questions_are_answered(embeds: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "EMBED_S", 60.0)
    core = Core(Settings(footnote_data=tmp_path / "data", llm=LLM(discover=False), cache=Caching(enabled=False)))
    embedder, said = core.embedder, list[str]()
    assert embedder is not None
    ingestor, worker = core.ingestor, Worker(core)
    ingestor.embedder = None  # vectors are computed later, on request
    await worker.start()
    await begin(core, FirstDocuments(core, [pages(tmp_path / "docs")], said.append), "http://localhost", said.append, said.append)
    await worker.stop()
    to_try = question_to_try(said)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(core)), base_url="http://localhost") as client:
        assert (await core.vectors.progress(VectorScope(embedder.name, embedder.languages)))[0] == 0
        if embeds:
            await keep_cited_pages(client, to_try)  # to embed all would take a minute
            ingestor.embedder = embedder
            while await ingestor.embed_some(32):
                pass
            done, total = await core.vectors.progress(VectorScope(embedder.name, embedder.languages))
            assert done == total > 50
        assert await judge(client, to_try) == {}
    await core.close()
