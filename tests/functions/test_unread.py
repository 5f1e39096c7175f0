"""While documents are being read, every API says so, and a file that could not be read is named to who may read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.types import Caller, Document
from footnote_query.app import create_app
from tests.fakes import work_all
from tests.functions.conftest import LOCAL, OpenClient, as_caller

Body = Mapping[str, Any]
ANN, BOB = (Caller(name, groups=frozenset({name})) for name in ("ann", "bob"))
HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
QUESTION = "When was the lighthouse of Hagen lit?"
APIS: dict[str, tuple[str, Any]] = {
    "ask": ("/ask", lambda said: {"query_text": said, "index_name": "default", "permission_groups": []}),
    "ask_stream": ("/ask/stream", lambda said: {"query_text": said, "index_name": "default", "permission_groups": []}),
    "chat": ("/chat", lambda said: {"query": said}),
    "v2": ("/v2/rag/query", lambda said: {"query": said, "user_id": "local", "room_id": "r", "search_type": "rag"}),
    "v1_chat": ("/v1/chat", lambda said: {"message": said}),
    "api_chat": ("/api/chat", lambda said: {"messages": [{"role": "user", "content": said}], "rag": {"enabled": True}}),
    "openai": ("/v1/chat/completions", lambda said: {"model": "footnote", "messages": [{"role": "user", "content": said}]}),
    "responses": ("/v1/responses", lambda said: {"model": "footnote", "input": said}),
    "mcp": (
        "/mcp",
        lambda said: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": {"question": said}}},
    ),
}


async def ask(client: httpx.AsyncClient, api: str, question: str = QUESTION) -> str:
    """All that the API replies; of a stream the last text, without what is between its pieces."""
    path, body = APIS[api]
    reply = await client.post(path, json=body(question), headers=HEADERS)
    assert reply.status_code == 200, reply.text
    events = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: {")]
    return json.dumps(events or reply.json(), ensure_ascii=False)


async def add(core: Core, name: str, text: str, *readers: str) -> Document:
    groups = list(readers) or ["*"]
    return await core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="default", permission_groups=groups)


async def read_all(core: Core) -> None:
    await work_all(core)


async def fail(core: Core, name: str, *readers: str, words: str = "") -> None:
    document = await add(core, name, f"text of {name}", *readers)
    failed = {"state": "FAILED", "reason": "The file is encrypted.", "remedy": "Remove its password and add it again.", "words": words}
    assert await core.lifecycle.update(document.doc_id, 1, **failed)


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(as_caller(LOCAL, create_app))


@pytest.mark.parametrize("api", APIS)
async def test_nothing_to_find_yet_is_not_told_as_no_documents(core: Core, client: httpx.AsyncClient, api: str) -> None:
    for number in range(3):
        await add(core, f"{number}.md", f"The lighthouse {number}.")
    said = await ask(client, api)
    assert "3 of 3 documents are still being read." in said
    assert "no documents here" not in said
    assert "still_reading" in said
    assert "No relevant" not in said


@pytest.mark.parametrize("api", APIS)
async def test_an_answer_from_a_part_of_the_documents_says_so_until_all_are_read(core: Core, client: httpx.AsyncClient, api: str) -> None:
    await add(core, "hagen.md", "The lighthouse of Hagen was lit in 1874. Its keeper lived in the tower.")
    await work_all(core)
    await add(core, "kiel.md", "The lighthouse of Kiel was lit in 1901.")
    said = await ask(client, api)
    assert "1874" in said
    assert "still_reading" in said
    await work_all(core)
    said = await ask(client, api)
    assert "1874" in said
    assert "still_reading" not in said
    assert "being read" not in said


async def test_the_notice_of_an_answer_has_the_numbers(core: Core, client: httpx.AsyncClient) -> None:
    await add(core, "hagen.md", "The lighthouse of Hagen was lit in 1874.")
    await work_all(core)
    await add(core, "kiel.md", "The lighthouse of Kiel was lit in 1901.")
    notice = (await client.post("/ask", json={"query_text": QUESTION, "index_name": "default", "permission_groups": []})).json()["notice"]
    assert notice.startswith("1 of 2 documents is still being read. This answer is from the others.")
    collection = (await client.get("/collections")).json()["data"][0]
    assert (collection["documents"], collection["reading"]) == (1, 1)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wann wurde der Leuchtturm von Hagen angezündet?", "2 von 2 Dokumenten werden noch gelesen."),
        ("하겐의 등대는 언제 처음 불을 밝혔나요?", "문서 2개 중 2개를 아직 읽고 있습니다."),
    ],
)
async def test_it_is_said_in_the_language_of_the_question(core: Core, client: httpx.AsyncClient, question: str, said: str) -> None:
    for number in range(2):
        await add(core, f"{number}.md", f"The lighthouse {number}.")
    assert said in await ask(client, "ask", question)


async def test_only_documents_that_the_caller_may_read_are_counted(core: Core, open_client: OpenClient) -> None:
    await add(core, "hagen.md", "The lighthouse of Hagen was lit in 1874.", "ann", "bob")
    await work_all(core)
    for number in range(3):
        await add(core, f"{number}.md", f"The lighthouse {number}.", "ann")
    asked = {"query_text": QUESTION, "index_name": "default", "permission_groups": []}
    ann, bob = [(await (await open_client(as_caller(each, create_app))).post("/ask", json=asked)).json() for each in (ANN, BOB)]
    assert "3 of 4 documents are still being read." in ann["notice"]
    assert bob["warnings"] == []
    assert "being read" not in str(bob)


@pytest.mark.usefixtures("sure_of_little")
async def test_a_cached_answer_does_not_outlive_the_reading_of_a_document(core: Core, client: httpx.AsyncClient) -> None:
    await add(core, "hagen.md", "The lighthouse of Hagen was lit in 1874.")
    await work_all(core)
    await add(core, "hagen-2.md", "The lighthouse of Hagen was lit in 1874, and again in 1899 after the great fire in the tower of Hagen.")
    first, second = [
        (await client.post("/ask", json={"query_text": QUESTION, "index_name": "default", "permission_groups": []})).json()
        for _ in range(2)
    ]
    assert (first["outcome"], second["outcome"], second["warnings"]) == ("answered", "cached", ["still_reading"])
    await work_all(core)
    third = (await client.post("/ask", json={"query_text": QUESTION, "index_name": "default", "permission_groups": []})).json()
    assert (third["outcome"], third["warnings"]) == ("answered", [])
    assert {hit["doc_id"].rpartition("-")[0] for hit in third["hits"]} == {"hagen", "hagen-2"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("api", APIS)
async def test_a_question_with_words_of_a_failed_files_name_gets_its_remedy(core: Core, client: httpx.AsyncClient, api: str) -> None:
    await add(core, "hagen.md", "The lighthouse of Hagen was lit in 1874.")
    await work_all(core)
    await fail(core, "travel/Travel-Policy_2024.pdf")
    await fail(core, "minutes.pdf")
    said = await ask(client, api, "What does the travel policy say about hotels?")
    assert "“travel/Travel-Policy_2024.pdf” could not be read: The file is encrypted. Remove its password and add it again." in said
    assert "file_failed" in said
    assert "minutes" not in said
    assert "Policy_2024" not in await ask(client, api)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Urlaubsregelung.docx", "Wie viele Tage Urlaub habe ich im Jahr?"),
        ("휴가 규정.hwp", "휴가는 며칠까지 쓸 수 있나요?"),
        ("OnboardingGuide.pdf", "What should I do during onboarding?"),
        ("Q3 report.xlsx", "What was the revenue in Q3?"),
    ],
)
async def test_one_word_of_the_name_is_enough_where_nothing_answers(
    core: Core, client: httpx.AsyncClient, name: str, question: str
) -> None:
    await add(core, "hagen.md", "The lighthouse of Hagen was lit in 1874.")
    await work_all(core)
    await fail(core, name)
    reply = (await client.post("/ask", json={"query_text": question, "index_name": "default", "permission_groups": []})).json()
    assert (name in reply["answer"], reply["warnings"]) == (True, ["file_failed"])


async def test_a_question_about_the_text_of_a_failed_file_names_it(core: Core, client: httpx.AsyncClient) -> None:
    await fail(core, "scan-0007.pdf", words="hotel reimbursement limit berlin travel")
    reply = (
        await client.post(
            "/ask", json={"query_text": "What is the reimbursement limit of a hotel?", "index_name": "default", "permission_groups": []}
        )
    ).json()
    assert "“scan-0007.pdf” could not be read" in reply["answer"]
    other = (
        await client.post(
            "/ask",
            json={"query_text": "Who repairs the limit switch of the lighthouse lamp?", "index_name": "default", "permission_groups": []},
        )
    ).json()
    assert "scan-0007" not in str(other)


async def test_a_failed_file_is_named_to_those_only_who_may_read_it(core: Core, open_client: OpenClient) -> None:
    await fail(core, "Merger-Plan.pdf", "ann")
    asked = {"query_text": "What does the merger plan say?", "index_name": "default", "permission_groups": []}
    ann, bob = [(await (await open_client(as_caller(each, create_app))).post("/ask", json=asked)).json() for each in (ANN, BOB)]
    assert "Merger-Plan.pdf" in ann["answer"]
    assert "Merger-Plan" not in str(bob)
    assert bob["warnings"] == []


async def test_notices_about_files_are_not_kept_in_the_conversation(core: Core, client: httpx.AsyncClient) -> None:
    await fail(core, "Merger-Plan.pdf")
    reply = (
        await client.post("/ask", json={"query_text": "What does the merger plan say?", "index_name": "default", "permission_groups": []})
    ).json()
    assert "Merger-Plan.pdf" in reply["answer"]
    assert "Merger-Plan.pdf" not in (await client.get(f"/turns/{reply['trace_id']}")).text


async def test_a_ledger_that_is_down_costs_no_answer(core: Core, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from footnote.errors import StoreUnavailable

    async def fail_to_count(*given: Any) -> dict[str, int]:
        raise StoreUnavailable("The store is down.")

    await add(core, "hagen.md", "The lighthouse of Hagen was lit in 1874.")
    await work_all(core)
    monkeypatch.setattr(core.ledger, "readable_states", fail_to_count)
    reply = (await client.post("/ask", json={"query_text": QUESTION, "index_name": "default", "permission_groups": []})).json()
    assert (reply["outcome"], reply["warnings"]) == ("answered", [])
    assert (
        await client.post("/ask", json={"query_text": "zebra quagga", "index_name": "default", "permission_groups": []})
    ).status_code == 200
