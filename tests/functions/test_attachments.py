"""Files attached to a conversation over HTTP: which questions find them, who reads them, and how they end."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.collections.attachments import MOST, TOO_MANY
from footnote.guard.identity import Session, make_caller
from footnote.ingest.attachments import DRAFT_S, purge_attachments
from footnote.settings import LLM, Embedding, Settings
from footnote.types import ATTACHED, SYSTEM, Caller
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from tests.conftest import HandClock
from tests.fakes import FakeModel, FakeModels, make_document, put_document, work_all
from tests.functions.conftest import ASK, BRIDGE, QUESTION, OpenClient, as_caller

ANN, BEN = make_caller(Session("ann")), make_caller(Session("ben"))
OFFER = "The repair of the mill costs 9000 crowns. The carpenter begins in May."
PRICE = "What does the repair of the mill cost?"


@dataclass
class Person:
    """A user's clients, and what they do with them."""

    core: Core
    query: httpx.AsyncClient
    ingest: httpx.AsyncClient

    async def attach(self, text: str = OFFER, *, room_id: str = "r1", name: str = "offer.txt", work: bool = True) -> str:
        """Attaches a file as the page does → its document's id."""
        wanted = {"file_name": name, "size": len(text), "room_id": room_id}
        target = (await self.ingest.post("/uploads", json=wanted)).json()
        reply = await self.ingest.post(target["url"], data=target["fields"], files={"file": (name, text.encode())})
        assert reply.status_code == 204, reply.text
        while work and await self.core.ingestor.work_one():
            pass
        return str(target["doc_id"])

    async def ask(self, text: str = PRICE, room_id: str | None = "r1", **fields: Any) -> dict[str, Any]:
        reply = await self.query.post("/ask", json=ASK | {"query_text": text, "room_id": room_id, "debug": True, **fields})
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    async def attached(self, room_id: str = "r1") -> list[str]:
        reply = await self.ingest.get("/documents", params={"room_id": room_id})
        return [document["file_name"] for document in reply.json()["data"]]


@pytest.fixture
async def people(core: Core, open_client: OpenClient) -> dict[str, Person]:
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
    return {
        caller.user_id: Person(core, *[await open_client(as_caller(caller, create)) for create in (create_query, create_ingest)])
        for caller in (ANN, BEN)
    }


@pytest.fixture
def ann(people: dict[str, Person]) -> Person:
    return people["ann"]


@pytest.fixture
def ben(people: dict[str, Person]) -> Person:
    return people["ben"]


def cited(reply: dict[str, Any]) -> list[str]:
    return sorted({citation["doc_id"] for citation in reply["citations"]})


async def ledger(core: Core) -> Sequence[str]:
    return [each.doc_id for each in (await core.ledger.list(SYSTEM, collection=ATTACHED)).data]


@pytest.fixture
async def doc_id(ann: Person) -> str:
    return await ann.attach()


async def test_questions_of_the_conversation_are_answered_from_file_and_collection(ann: Person, doc_id: str) -> None:
    assert cited(await ann.ask()) == [doc_id]
    assert cited(await ann.ask(QUESTION)) == ["bridge"]
    assert "9000 crowns" in (await ann.ask("Begins the carpenter in May, and how many crowns does the repair cost?"))["answer"]


async def test_a_file_answers_where_the_collection_is_empty(ann: Person, doc_id: str) -> None:
    assert cited(await ann.ask(index_name="empty")) == [doc_id]


async def test_of_sixty_files_attached_at_once_as_many_are_taken_as_are_allowed(ann: Person) -> None:
    wanted = [{"file_name": f"f{number}.txt", "size": 10, "room_id": "r1"} for number in range(60)]
    replies = await asyncio.gather(*(ann.ingest.post("/uploads", json=each) for each in wanted))
    assert Counter(reply.status_code for reply in replies) == {201: MOST, 409: 60 - MOST}
    assert {reply.json()["detail"] for reply in replies if reply.status_code == 409} == {TOO_MANY}
    assert (await ann.ingest.post("/uploads", json=wanted[0] | {"room_id": "r2"})).status_code == 201


async def test_no_other_conversation_search_or_list_of_the_user_finds_it(ann: Person, doc_id: str) -> None:
    for room_id in ("r2", None):
        assert doc_id not in str(await ann.ask(room_id=room_id))
    for name in ("default", ATTACHED, f"{ATTACHED}~"):
        body = {"query_text": PRICE, "index_name": name, "permission_groups": []}
        assert doc_id not in (await ann.query.post("/retrieve-bm25", json=body)).text
    assert (await ann.ingest.get("/documents")).json() == {"data": [], "has_more": False, "last_id": None}
    assert ATTACHED not in (await ann.query.get("/collections")).text
    assert (await ann.query.get("/v1/models")).json()["data"] == [
        {"id": "footnote", "object": "model", "created": 0, "owned_by": "footnote"}
    ]


async def test_the_same_file_is_another_document_in_another_conversation(ann: Person) -> None:
    first, second = await ann.attach(), await ann.attach(room_id="r2")
    assert first != second
    assert (cited(await ann.ask()), cited(await ann.ask(room_id="r2"))) == ([first], [second])


async def test_the_files_of_a_conversation_are_listed_with_their_states(ann: Person, clock: HandClock) -> None:
    await ann.attach()
    clock.advance(1)
    await ann.attach("", name="nothing.txt")
    clock.advance(1)
    await ann.attach("Wool is sold by weight.", name="wool.txt", work=False)
    listed = (await ann.ingest.get("/documents", params={"room_id": "r1"})).json()
    assert [(each["file_name"], each["state"]) for each in listed["data"]] == [
        ("offer.txt", "READY"), ("nothing.txt", "FAILED"), ("wool.txt", "RECEIVED"),
    ]  # fmt: skip
    assert listed["data"][1]["remedy"]
    assert {tuple(each["permission_groups"]) for each in listed["data"]} == {("user:ann",)}
    assert await ann.attached("r2") == []


async def test_nobody_else_finds_opens_lists_or_deletes_it(ann: Person, doc_id: str, ben: Person) -> None:
    assert cited(await ann.ask()) == [doc_id]
    mine = await ben.ask()  # the same question in a conversation of the same name
    assert (doc_id in str(mine), mine["outcome"] == "cached") == (False, False)
    assert await ben.attached() == []
    for method, path in (("GET", ""), ("GET", "/content"), ("DELETE", ""), ("POST", "/retry")):
        replies = [await ben.ingest.request(method, f"/documents/{name}{path}") for name in (doc_id, "nobodys")]
        assert [reply.status_code for reply in replies] == [404, 404]
        assert replies[0].json()["detail"] == replies[1].json()["detail"]


async def test_who_opens_a_link_to_the_conversation_reads_nothing_of_it(ann: Person, ben: Person) -> None:
    await ann.attach()
    await ann.ask()
    await ann.ask(QUESTION)
    token = (await ann.query.post("/shares", json={"room_id": "r1"})).json()["token"]
    shown = (await ben.query.post("/shares/open", json={"token": token})).json()
    assert [turn["question"] for turn in shown["data"]] == [PRICE, QUESTION]
    assert not re.search(r"\b9000\b", str(shown))
    assert "offer.txt" not in str(shown)
    assert "1894" in shown["data"][1]["answer"]


async def test_an_answer_is_not_reused_once_files_were_attached_or_removed(ann: Person) -> None:
    question = "When was the mill built?"
    assert "1911" not in (await ann.ask(question))["answer"]
    doc_id = await ann.attach("The mill was built in 1911.")
    assert "1911" in (await ann.ask(question))["answer"]
    assert (await ann.ingest.delete(f"/documents/{doc_id}")).status_code == 200
    assert "1911" not in (await ann.ask(question))["answer"]
    assert await ann.attached() == []


async def test_filters_of_a_question_are_for_the_collection_alone(ann: Person, doc_id: str) -> None:
    assert cited(await ann.ask(filters={"team": ["sales"]})) == [doc_id]
    assert cited(await ann.ask("What did the repair of the mill cost before 2020?")) == [doc_id]


async def test_a_deleted_conversation_takes_its_files_with_it(ann: Person, core: Core) -> None:
    doc_id, kept = await ann.attach(), await ann.attach(room_id="r2")
    for room_id in ("r1", "r2"):
        await ann.ask(room_id=room_id)
    assert (await ann.query.delete("/conversations/r1")).status_code == 204
    for path in ("", "/content"):  # at once, for everybody
        assert (await ann.ingest.get(f"/documents/{doc_id}{path}")).status_code == 404
    assert await core.index.read(ANN, [f"{doc_id}|1|0"]) == []
    assert cited(await ann.ask()) == []
    assert await purge_attachments(core.ingestor, core.turns) == 1
    assert await ledger(core) == [kept]
    assert await core.engine.read(SYSTEM, [f"{doc_id}|1|0"]) == []
    assert [key async for key in core.files.keys("") if doc_id in key] == []
    assert cited(await ann.ask(room_id="r2")) == [kept]


async def test_whoever_deletes_their_data_deletes_their_files(ann: Person, ben: Person, core: Core) -> None:
    gone = [await ann.attach(room_id=room_id) for room_id in ("r1", "r2")]
    kept = await ben.attach()
    assert (await ann.query.delete("/me/data")).status_code == 204
    assert [(await ann.ingest.get(f"/documents/{doc_id}")).status_code for doc_id in gone] == [404, 404]
    assert await purge_attachments(core.ingestor, core.turns) == 2
    assert await ledger(core) == [kept]


async def test_a_file_that_arrives_while_others_are_purged_stays(ann: Person, core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await ann.attach()
    arrived: list[str] = []

    def after(owner: Any, name: str) -> None:
        """The file arrives after this was read, if it was read first."""
        read = getattr(owner, name)

        async def then_arrive(*args: Any, **options: Any) -> Any:
            found = await read(*args, **options)
            if not arrived:
                arrived.append("")
                arrived[0] = await ann.attach(name="late.txt")
            return found

        monkeypatch.setattr(owner, name, then_arrive)

    after(core.ledger, "list")
    after(core.collections.attachments, "all")
    assert await purge_attachments(core.ingestor, core.turns) == 0
    assert set(await ledger(core)) == {first, *arrived}


async def test_remains_of_crashes_and_timeouts_are_removed_after_a_day(ann: Person, core: Core, clock: HandClock) -> None:
    asked, draft = await ann.attach(), await ann.attach(room_id="r2")
    await ann.ask()
    await ann.ingest.post("/uploads", json={"file_name": "never sent.txt", "size": 1, "room_id": "r1"})
    clock.advance(DRAFT_S - 1)
    assert await purge_attachments(core.ingestor, core.turns) == 0
    clock.advance(2)
    assert await purge_attachments(core.ingestor, core.turns) == 1
    assert (await ann.ingest.get(f"/documents/{draft}")).status_code == 404
    assert [each.doc_id for each in await core.collections.attachments.all()] == [asked]
    await core.turns.delete_room(ANN, "r1")  # and then the process died
    assert await purge_attachments(core.ingestor, core.turns) == 1
    assert (await ledger(core), await core.collections.attachments.all()) == ([], [])


async def test_a_file_that_arrives_after_its_conversation_was_deleted_is_removed(ann: Person, core: Core) -> None:
    await ann.ask()
    target = (await ann.ingest.post("/uploads", json={"file_name": "late.txt", "size": 9, "room_id": "r1"})).json()
    await ann.query.delete("/conversations/r1")
    await ann.ingest.post(target["url"], data=target["fields"], files={"file": ("late.txt", OFFER.encode())})
    await work_all(core)
    assert (await ann.attached(), (await ann.ingest.get(f"/documents/{target['doc_id']}")).status_code) == ([], 404)
    assert await purge_attachments(core.ingestor, core.turns) == 1
    assert await ledger(core) == []


async def test_while_the_ledger_is_down_nothing_is_forgotten(
    ann: Person, core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ann.attach()

    async def down(caller: Caller, **options: Any) -> Any:
        raise OSError("down")

    with monkeypatch.context() as broken:
        broken.setattr(core.ledger, "list", down)
        clock.advance(DRAFT_S)
        assert await purge_attachments(core.ingestor, core.turns) == 0
    assert len(await core.collections.attachments.all()) == 1


@pytest.mark.parametrize("fields", [{"index_name": "default"}, {"permission_groups": ["*"]}, {"metadata": {"team": "sales"}}])
async def test_an_attachment_has_no_collection_readers_or_metadata_of_its_own(ann: Person, fields: dict[str, Any]) -> None:
    reply = await ann.ingest.post("/uploads", json={"file_name": "a.txt", "size": 1, "room_id": "r1"} | fields)
    assert (reply.status_code, "attached to a conversation" in reply.text) == (422, True)


async def test_no_name_leads_to_the_collection_of_attachments(ann: Person) -> None:
    for path, body in (
        ("/uploads", {"file_name": "a.txt", "size": 1, "index_name": ATTACHED}),
        ("/insert-doc", {"index_name": ATTACHED, "data": {"doc_id": "d1", "content": "text"}}),
    ):
        assert (await ann.ingest.post(path, json=body)).status_code == 422


async def test_a_user_whose_name_is_no_name_of_a_group_attaches_files(core: Core, open_client: OpenClient) -> None:
    odd = make_caller(Session("auth0|Zoë +1"))
    person = Person(core, *[await open_client(as_caller(odd, create)) for create in (create_query, create_ingest)])
    doc_id = await person.attach()
    assert cited(await person.ask()) == [doc_id]


async def test_the_only_user_of_a_machine_attaches_files_that_are_theirs_alone(core: Core, open_client: OpenClient) -> None:
    async with AsyncExitStack():
        person = Person(core, *[await open_client(create) for create in (create_query, create_ingest)])
        doc_id = await person.attach()
        assert (await core.ledger.get(SYSTEM, doc_id)).permission_groups == {"user:local"}
        assert cited(await person.ask()) == [doc_id]
        assert cited(await person.ask(room_id="r2")) == []


REPORT = """# Annual report

The guild built four mills in this year. Two of them stand in Linz.

# Staff

The guild employs 40 millers. Leave is 30 days a year.

# Outlook

Next year the guild wants to build a bridge of stone.
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Summarise the attached file.", "A summary in other words needs a language model."),
        ("What is this document about?", "A summary in other words needs a language model."),
        ("What are the main points?", "A summary in other words needs a language model."),
        ("Fasse den Anhang zusammen.", "braucht ein Sprachmodell"),
        ("Worum geht es in der angehängten Datei?", "braucht ein Sprachmodell"),
        ("첨부 파일을 요약해 주세요.", "언어 모델이 필요합니다"),
    ],
)
async def test_a_question_about_the_whole_file_quotes_from_all_its_parts(ann: Person, question: str, said: str) -> None:
    doc_id = await ann.attach(REPORT, name="report.md")
    reply = await ann.ask(question)
    assert (reply["outcome"], cited(reply)) == ("answered", [doc_id]), reply["answer"]
    for sentence in ("The guild built four mills in this year.", "The guild employs 40 millers.", "Next year the guild wants", said):
        assert sentence in reply["answer"]


@pytest.mark.parametrize(
    "question",
    [
        "What does the attached file say about the bridge?",
        "What does the PDF I uploaded say about a bridge?",
        "Was steht im Anhang zu bridge?",
    ],
)
async def test_a_question_that_names_the_file_is_answered_from_it_alone(ann: Person, question: str) -> None:
    doc_id = await ann.attach(REPORT, name="report.md")
    reply = await ann.ask(question)
    assert {hit["doc_id"] for hit in reply["hits"]} == {doc_id}
    assert "bridge of stone" in reply["answer"]


@pytest.mark.parametrize(("years", "quoted"), [(20, [0, 4, 8, 12, 16]), (7, [0, 1, 2, 4, 5]), (3, [0, 1, 2])])
async def test_of_a_long_file_its_beginning_middle_and_end_are_quoted(ann: Person, years: int, quoted: list[int]) -> None:
    lines = [f"In year {number} mill {number} was built. " + "It grinds rye and wheat for the abbey. " * 20 for number in range(years)]
    await ann.attach("\n\n".join(f"# Year {number}\n\n{line}" for number, line in enumerate(lines)), name="report.md")
    reply = await ann.ask("Summarise the attached file.", num_result_doc=5)
    assert sorted({int(number) for number in re.findall(r"mill (\d+) was built", str(reply["hits"]))}) == quoted


async def test_each_of_several_files_has_its_share_and_one_that_is_not_read_yet_has_none(ann: Person) -> None:
    for name in ("mill", "barn"):
        lines = [f"In year {number} the {name} was built. " + "It is made of oak from the abbey. " * 25 for number in range(12)]
        await ann.attach("\n\n".join(f"# Year {number}\n\n{line}" for number, line in enumerate(lines)), name=f"{name}.md")
    await ann.attach("# Later\n\nNothing is known yet.", name="later.md", work=False)
    hits = str((await ann.ask("Summarise the attached files.", num_result_doc=6))["hits"])
    assert {name: len(set(re.findall(rf"In year (\d+) the {name} was", hits))) for name in ("mill", "barn")} == {"mill": 3, "barn": 3}


async def test_questions_asked_before_a_file_was_ready_are_searched_again(ann: Person) -> None:
    """It was attached all along, and searches of this API are kept for minutes."""
    body = {"query": PRICE, "room_id": "r1", "user_id": "ann"}
    await ann.attach(work=False)
    assert "9000 crowns" not in (await ann.query.post("/v2/rag/query", json=body)).text
    await work_all(ann.core)
    assert "9000 crowns" in (await ann.query.post("/v2/rag/query", json=body)).text


async def test_a_comparison_with_the_collection_reads_both(ann: Person) -> None:
    doc_id = await ann.attach(REPORT, name="report.md")
    reply = await ann.ask("How does the bridge in the attached file differ from the bridge that was built in 1894?")
    assert {doc_id, "bridge"} <= {hit["doc_id"] for hit in reply["hits"]}


async def test_without_attached_files_such_questions_are_like_others(ann: Person) -> None:
    reply = await ann.ask("What does the attached file say about the bridge that was built?")
    assert {hit["doc_id"] for hit in reply["hits"]} == {"bridge"}
    assert "language model" not in (await ann.ask("Summarise the document."))["answer"]


async def test_every_api_with_conversations_finds_the_files_of_its_own(ann: Person) -> None:
    await ann.attach()
    for path, body in (
        ("/chat", {"query": PRICE, "session_id": "r1"}),
        ("/v1/chat", {"message": PRICE, "session_id": "r1"}),
        ("/v2/rag/query", {"query": PRICE, "room_id": "r1", "user_id": "ann"}),
    ):
        reply = await ann.query.post(path, json=body)
        assert (reply.status_code, "9000 crowns" in reply.text) == (200, True), path


async def test_a_model_that_summarises_reads_more_of_the_file_than_was_searched_for(
    tmp_path: Path, open_client: OpenClient, clock: HandClock
) -> None:
    model = FakeModel([("The guild has mills [1].",), ("It tells of it [1].",)])
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    core = Core(settings, clock=clock, models=FakeModels(model))
    async with AsyncExitStack() as stack:
        stack.push_async_callback(core.close)
        clients = []
        for create in (create_query, create_ingest):
            transport = httpx.ASGITransport(as_caller(ANN, create)(lambda: core), raise_app_exceptions=False)
            clients.append(await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test")))
        person = Person(core, *clients)
        parts = [f"# Part {number}\n\n" + f"In part {number} the guild tells of mill {number}. " * 15 for number in range(12)]
        await person.attach("\n\n".join(parts), name="report.md")
        reply = await person.ask("Summarise the attached file.")
        assert (reply["answer"].startswith("The guild has mills"), len(reply["hits"])) == (True, 5)
        prompt = str(model.sent[-1].messages)
        assert [number for number in range(12) if f"mill {number}." in prompt] == list(range(12))
        question = "What does the attached file tell of mill 7?"
        await person.ask(question)
        assert model.sent[-1].messages[-1].content.endswith(question)
