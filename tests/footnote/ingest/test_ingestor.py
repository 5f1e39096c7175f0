"""Ingest on the embedded adapters: what is kept, replaced, deleted, and recovered after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import FootnoteError, ModelUnavailable, NotFound, StoreUnavailable, TooLarge, UnreadableFile
from footnote.ingest.ingestor import LEASE_S
from footnote.ingest.parse import parse
from footnote.ports import Job, VectorScope
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import Caller, Document, Parsed, Request, Search
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder, embed_all, work_all
from tests.footnote.ingest.spies import Killed, Spied
from tests.turns import HELD

LOCAL = Caller("local", sees_all=True, role="admin")
OLD = b"The lighthouse was lit in 1874."
NEW = b"The lighthouse was torn down in 1999."
NAMES = "Members: John Hancock, John Quincy Adams, Rutherford Hayes, Theodore Roosevelt, Franklin Roosevelt, Al Gore. " * 3
"""Hardly any word in it indicates a language."""
NOTHING = (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
"""No chunks, and the SHA-256 of nothing."""

FIRST_CALLS = ["lifecycle.accept", "files.put", "queue.put", "queue.take", "ledger.get", "lifecycle.lease", "lifecycle.update", "files.get"]
FIRST_CALLS += [
    "parser.parse",
    "files.put",
    "generations.stage",
    "generations.staged",
    "generations.activate",
    "lifecycle.update",
    "queue.finish",
]
FORGET_CALLS = ["index.read", "index.sentences", "vector_cache.delete"]
VECTOR_CALLS = ["vectors.pending", "vector_cache.get", "embedder.embed", "vector_cache.put", "vectors.put_vectors", "vectors.pending"]
CALLS = [
    *FIRST_CALLS[:-3],
    *FORGET_CALLS,
    *FIRST_CALLS[-3:-1],
    *["files.keys", "files.delete"] * 2,
    "queue.finish",
    "queue.take",
    *VECTOR_CALLS,
]
"""Calls of the ports for a changed file, from its arrival until there is nothing left to do."""
PORTS = ("ledger", "lifecycle", "origins", "files", "queue", "index", "generations", "vectors", "parser", "embedder", "vector_cache")


class HereParser:
    """The real parsers without the child process; counts calls, and fails or waits if a test wants it."""

    def __init__(self) -> None:
        self.parsed: list[str] = []
        self.error: Exception | None = None
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        self.parsed.append(file_name)
        self.reached.set()
        await self.go_on.wait()
        if self.error is not None:
            raise self.error
        return parse(data, file_name)


def open_core(folder: Path, clock: HandClock, parser: HereParser | None = None) -> Core:
    settings = Settings(footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False), ingest=Ingest(max_file_mb=1))
    core = Core(settings, clock=clock, parser=parser or HereParser())
    core.embedder = FakeEmbedder()
    return core


def spy(core: Core, tell: Callable[[str, bool], Awaitable[None]]) -> None:
    for name in PORTS:
        setattr(core, name, Spied(name, getattr(core, name), tell))


async def accept(core: Core, data: bytes = OLD, name: str = "tower.txt", groups: list[str] | None = None) -> Document:
    return await core.ingestor.accept(LOCAL, data, file_name=name, collection="default", permission_groups=groups or [])


async def work(core: Core) -> None:
    await work_all(core)
    await embed_all(core)


async def finish(core: Core, clock: HandClock) -> None:
    """Works like the worker until the queue is empty."""
    for _ in range(50):
        try:
            await work(core)
            if not await core.queue.size():
                return
        except FootnoteError:
            pass
        clock.advance(LEASE_S)
    raise AssertionError("there is no end to the work")


async def answering(core: Core) -> list[bytes]:
    """The texts that can be found now."""
    return [chunk.text.encode() for chunk in await core.index.sample(LOCAL, "default", 100)]


async def found(core: Core, word: str) -> list[str]:
    return [entry.chunk_id for entry in (await core.index.candidates(LOCAL, Search("default", word))).lexical]


async def state(core: Core, document: Document) -> str:
    return (await core.ledger.get(LOCAL, document.doc_id)).state


# --- one document ------------------------------------------------------------------------------


async def test_a_file_is_ready_once_its_passages_have_been_read_back(core: Core) -> None:
    document = await accept(core)
    assert (document.state, await answering(core)) == ("RECEIVED", [])
    assert await core.ingestor.work_one()
    ready = await core.ledger.get(LOCAL, document.doc_id)
    assert (ready.state, ready.generation, ready.active_generation, ready.chunks, ready.lang) == ("READY", 1, 1, 1, "en")
    assert await found(core, "lighthouse") == [f"{document.doc_id}|1|{ready.chunks - 1}"]
    assert await core.vectors.progress(VectorScope("fake-embedder")) == (0, 1)
    assert await core.ingestor.embed_some() == 1
    assert await core.vectors.progress(VectorScope("fake-embedder")) == (1, 1)
    assert not await core.ingestor.work_one()
    assert await core.ingestor.embed_some() == 0


async def test_a_passage_of_unknown_language_takes_its_documents_and_gets_a_vector(core: Core) -> None:
    prose = "The club was founded in the year of the great fire, and it has been in the harbour ever since. " * 12
    text = f"# The club\n\n{prose}\n\n# Members\n\n{NAMES}"
    document = await accept(core, text.encode(), "club.md")
    await work(core)
    chunks = await core.index.sample(LOCAL, "default", 10)
    assert [(NAMES[:30] in chunk.text, chunk.lang) for chunk in chunks if chunk.doc_id == document.doc_id] == [(False, "en"), (True, "en")]
    done, total = await core.vectors.progress(VectorScope("fake-embedder"))
    assert done == total


async def test_outlines_and_section_openings_are_embedded_once_somebody_searches_them(core: Core) -> None:
    text = "".join(f"# Part {i}\n\n{'The bridge was built in the year of the great fire. ' * 12}\n\n" for i in range(3))
    await accept(core, text.encode(), "bridge.md")
    await work(core)
    assert await core.vectors.progress(VectorScope("fake-embedder")) == (3, 3)
    question = Request("When was the bridge built?", "default", retriever="cc", limit=10, levels=(0, 1, 2))
    first = await core.retrieve.finish(core.new_turn(question, LOCAL, HELD, trace_id="a"))
    assert ({hit.chunk.level for hit in first.evidence.hits}, first.evidence.vectors_pending) == ({0, 1, 2}, True)
    assert await core.vectors.progress(VectorScope("fake-embedder")) == (3, 7)
    await work(core)
    assert await core.vectors.progress(VectorScope("fake-embedder")) == (7, 7)
    second = await core.retrieve.finish(core.new_turn(question, LOCAL, HELD, trace_id="b"))
    assert not second.evidence.vectors_pending


async def test_a_document_in_a_language_that_the_embedder_lacks_gets_no_vectors(core: Core) -> None:
    names = await accept(core, NAMES.encode(), "names.txt")
    russian = await accept(core, "Мост построен в 1894 году, его покрасили в синий цвет.".encode(), "most.txt")
    await work(core)
    assert [(await core.ledger.get(LOCAL, each.doc_id)).lang for each in (names, russian)] == ["en", "ru"]
    assert [waiting.lang for waiting in await core.vectors.pending(VectorScope("fake-embedder"), 9)] == ["ru"]


async def test_a_document_that_is_incomplete_in_the_index_is_not_ready(core: Core, clock: HandClock) -> None:
    kept = core.generations.staged

    async def lose_one(doc_id: str, generation: int) -> tuple[int, str]:
        count, digest = await kept(doc_id, generation)
        return count - 1, digest

    core.generations.staged = lose_one  # type: ignore[method-assign]
    document = await accept(core)
    await work(core)
    assert (await state(core, document), await answering(core)) == ("PROCESSING", [])
    core.generations.staged = kept  # type: ignore[method-assign]
    clock.advance(5)
    await work(core)
    assert (await state(core, document), await answering(core)) == ("READY", [OLD])


async def test_the_same_content_again_is_the_same_document_and_is_not_processed(core: Core, parser: HereParser) -> None:
    first = await accept(core)
    await work(core)
    for name in ("tower.txt", "copy.txt"):
        again = await accept(core, name=name)
        assert (again.doc_id, again.state, again.generation) == (first.doc_id, "READY", 1)
    assert (await core.queue.size(), parser.parsed) == (0, ["tower.txt"])


async def test_the_same_content_for_other_groups_is_another_document(core: Core) -> None:
    ids = [(await accept(core, groups=groups)).doc_id for groups in ([], ["hr"])]
    await work(core)
    assert len(set(ids)) == 2
    assert await answering(core) == [OLD, OLD]
    assert await core.index.sample(Caller("ann", frozenset({"eng"})), "default", 10) == [
        chunk for chunk in await core.index.sample(LOCAL, "default", 10) if chunk.doc_id == ids[0]
    ]


async def test_a_changed_file_replaces_the_old_one_atomically(core: Core) -> None:
    first = await accept(core)
    await work(core)
    seen: list[tuple[str, bool, bytes]] = []

    async def look(call: str, after: bool) -> None:
        chunks = await index.sample(LOCAL, "default", 100)
        hits = [entry for word in ("1874", "1999") for entry in (await index.candidates(LOCAL, Search("default", word))).lexical]
        assert (len(chunks), len(hits)) == (1, 1)
        seen.append((call, after, chunks[0].text.encode()))

    index = core.index
    spy(core, look)
    core.__dict__.pop("ingestor")
    second = await accept(core, NEW)
    await work(core)
    assert (second.doc_id, second.generation) == (first.doc_id, 2)
    flip = seen.index(("generations.activate", True, NEW))
    assert {text for _, _, text in seen[:flip]} == {OLD}
    assert {text for _, _, text in seen[flip:]} == {NEW}
    assert [call for call, after, _ in seen if after] == CALLS


async def test_concurrent_searches_see_either_the_old_text_or_the_new(core: Core) -> None:
    await accept(core)
    await work(core)
    seen: list[tuple[bytes, ...]] = []
    over = False

    async def search() -> None:
        while not over:
            seen.append(tuple(await answering(core)))

    searching = [asyncio.create_task(search()) for _ in range(3)]
    for number in range(10):
        await accept(core, NEW if number % 2 == 0 else OLD)
        await work(core)
    over = True
    await asyncio.gather(*searching)
    assert set(seen) == {(OLD,), (NEW,)}


async def test_only_the_newest_of_two_changes_is_found(core: Core) -> None:
    await accept(core)
    await accept(core, NEW)
    await work(core)
    assert await answering(core) == [NEW]


# --- deleting ----------------------------------------------------------------------------------


async def test_a_document_deleted_while_it_is_processed_stays_deleted(core: Core, parser: HereParser) -> None:
    document = await accept(core)
    await work(core)
    await accept(core, NEW)
    parser.reached.clear()
    parser.go_on.clear()
    working = asyncio.create_task(work(core))
    await parser.reached.wait()
    deleted = await core.ingestor.delete(LOCAL, document.doc_id)
    assert (deleted.state, await answering(core), await found(core, "lighthouse")) == ("DELETED", [], [])
    parser.go_on.set()
    await working
    assert (await answering(core), await core.queue.size()) == ([], 0)
    assert [await core.generations.staged(document.doc_id, generation) for generation in (1, 2)] == [NOTHING] * 2
    assert [path.name for path in (core.settings.data / "files").rglob("*") if path.is_file()] == []  # nor its text
    with pytest.raises(NotFound):
        await core.ledger.get(LOCAL, document.doc_id)
    for generation in (1, 2):
        with pytest.raises(NotFound):
            await core.files.get(f"sources/{document.doc_id}/{generation}")


@pytest.mark.parametrize("at", range(len(FIRST_CALLS[4:])), ids=lambda at: f"{at}-{FIRST_CALLS[4 + at]}")
async def test_a_delete_at_any_moment_of_processing_leaves_nothing(at: int, core: Core, clock: HandClock) -> None:
    document = await accept(core)
    deletes: list[asyncio.Task[Document]] = []
    calls: list[str] = []

    async def tell(call: str, after: bool) -> None:
        if not after:
            calls.append(call)
        if not deletes and len(calls) == at + 2:  # the first one takes the job
            deletes.append(asyncio.create_task(plain.delete(LOCAL, document.doc_id)))
            await deletes[0]

    plain = core.ingestor
    spies: dict[str, Any] = {name: Spied(name, getattr(plain, name), tell) for name in PORTS}
    taker = replace(plain, **spies)
    assert await taker.work_one()
    assert (await deletes[0]).state == "DELETED"
    await finish(core, clock)
    assert (await answering(core), await core.generations.staged(document.doc_id, 1)) == ([], NOTHING)


async def test_a_failed_delete_can_be_repeated(core: Core) -> None:
    document = await accept(core)
    await work(core)
    for port, name in ((core.generations, "remove"), (core.ledger, "delete")):
        works = getattr(port, name)

        async def fail(*args: Any, **options: Any) -> Any:
            raise StoreUnavailable("down")

        setattr(port, name, fail)
        with pytest.raises(StoreUnavailable):
            await core.ingestor.delete(LOCAL, document.doc_id)
        setattr(port, name, works)
    assert (await core.ingestor.delete(LOCAL, document.doc_id)).state == "DELETED"
    assert await answering(core) == []


async def test_a_failed_delete_is_finished_after_a_restart(core: Core) -> None:
    document = await accept(core)
    await work(core)

    async def fail(*args: Any) -> Any:
        raise Killed

    works, core.generations.remove = core.generations.remove, fail  # type: ignore[method-assign]
    with pytest.raises(Killed):
        await core.ingestor.delete(LOCAL, document.doc_id)
    core.generations.remove = works  # type: ignore[method-assign]
    assert [gone.doc_id for gone in await core.lifecycle.of_kind("unburied")] == [document.doc_id]
    await core.ingestor.recover()
    assert (await answering(core), await core.lifecycle.of_kind("unburied")) == ([], [])
    with pytest.raises(NotFound):
        await core.ingestor.delete(LOCAL, document.doc_id)


async def test_a_job_that_is_delivered_twice_is_processed_once(core: Core, parser: HereParser) -> None:
    document = await accept(core)
    await core.queue.put({"doc_id": document.doc_id, "generation": 1})
    parser.go_on.clear()
    first = asyncio.create_task(core.ingestor.work_one())
    await parser.reached.wait()
    parser.reached.clear()
    second, again = asyncio.create_task(core.ingestor.work_one()), asyncio.create_task(parser.reached.wait())
    await asyncio.wait((second, again), return_when=asyncio.FIRST_COMPLETED)
    assert not again.done()
    assert again.cancel()
    assert await second
    assert await core.queue.size() == 1
    parser.go_on.set()
    await first
    assert (await state(core, document), len(parser.parsed), await core.queue.size()) == ("READY", 1, 0)


async def test_a_redelivered_message_keeps_its_lease(core: Core, parser: HereParser) -> None:
    """SQS issues a new receipt each time, so the lease is held by the message's id."""
    document = await accept(core)
    body = {"doc_id": document.doc_id, "generation": 1}
    parser.go_on.clear()
    died = asyncio.create_task(core.ingestor.handle(Job("receipt-1", body, 1, "message-1")))
    await parser.reached.wait()
    died.cancel()
    await asyncio.wait([died])
    parser.go_on.set()
    await core.ingestor.handle(Job("receipt-2", body, 1, "message-2"))
    assert (await state(core, document), len(parser.parsed)) == ("PROCESSING", 1)
    await core.ingestor.handle(Job("receipt-3", body, 2, "message-1"))
    assert (await state(core, document), len(parser.parsed)) == ("READY", 2)


async def test_a_superseded_worker_changes_nothing(core: Core, parser: HereParser) -> None:
    await accept(core)
    parser.go_on.clear()
    late = asyncio.create_task(core.ingestor.work_one())
    await parser.reached.wait()
    document = await accept(core, NEW)
    parser.go_on.set()
    await work(core)
    await late
    assert (await answering(core), await state(core, document)) == ([NEW], "READY")
    assert sorted(path.parent.parent.name for path in (core.settings.data / "files").rglob("2")) == ["parsed", "sources"]
    assert list((core.settings.data / "files").rglob("1")) == []


async def test_a_document_can_only_be_deleted_by_its_readers(core: Core) -> None:
    document = await accept(core, groups=["hr"])
    await work(core)
    with pytest.raises(NotFound):
        await core.ingestor.delete(Caller("ann", frozenset({"eng"})), document.doc_id)
    assert await answering(core) == [OLD]


def letter(*attachments: str) -> bytes:
    """A mail with these texts attached to it, the last of them to a mail that is attached."""
    message, inner = EmailMessage(), EmailMessage()
    for each in (message, inner):
        each["Subject"], each["From"] = "Lighthouse", "keeper@example.org"
        each.set_content("The records are attached.")
    for number, text in enumerate(attachments, start=1):
        target = inner if number == len(attachments) else message
        target.add_attachment(text.encode(), maintype="application", subtype="octet-stream", filename=f"{number}.txt")
    message.add_attachment(inner)
    return bytes(message)


async def test_attachments_of_a_mail_have_its_readers_and_end_with_it(core: Core) -> None:
    async def readers(word: str) -> list[str]:
        return [
            group
            for group in ("hr", "eng")
            if (await core.index.candidates(Caller(group, frozenset({group})), Search("default", word))).lexical
        ]

    document = await accept(core, letter("Sanchez painted it.", "Okafor repaired it."), "l.eml", ["hr"])
    await work(core)
    assert [await readers(word) for word in ("Sanchez", "Okafor")] == [["hr"], ["hr"]]
    again = await accept(core, letter("Okafor repaired it."), "l.eml", ["hr"])
    await work(core)
    assert (again.doc_id, again.generation) == (document.doc_id, 2)
    assert [await readers(word) for word in ("Sanchez", "Okafor")] == [[], ["hr"]]
    await core.ingestor.delete(LOCAL, document.doc_id)
    assert [await readers(word) for word in ("Sanchez", "Okafor", "records")] == [[], [], []]


async def test_a_mail_is_ready_and_says_which_attachment_was_not_read(core: Core) -> None:
    message = EmailMessage()
    message["Subject"] = "Lighthouse"
    message.set_content("The plan is attached.")
    message.add_attachment(b"\x89PNG\r\n\x1a\n", maintype="image", subtype="png", filename="plan.png")
    document = await accept(core, bytes(message), "l.eml")
    await work(core)
    ready = await core.ledger.get(LOCAL, document.doc_id)
    assert (ready.state, ready.format) == ("READY", "eml")
    assert ready.reason == "The attachment plan.png was not read. This is an image (.png), which is not supported."


# --- repeated failures ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("a secret of the file"), "An unexpected error occurred while this file was read."),
        (StoreUnavailable("The disk is full."), "The disk is full."),
    ],
)
async def test_after_five_attempts_with_growing_delays_a_document_is_failed(
    error: Exception, reason: str, core: Core, clock: HandClock, parser: HereParser
) -> None:
    parser.error = error
    document = await accept(core)
    for longest in (5, 60, 720, 7200):
        assert await core.ingestor.work_one()
        assert await state(core, document) == "PROCESSING"
        clock.advance(longest / 2 - 0.5)
        assert not await core.ingestor.work_one()
        clock.advance(longest / 2 + 0.5)
    assert await core.ingestor.work_one()
    failed = await core.ledger.get(LOCAL, document.doc_id)
    assert (failed.state, failed.reason, failed.remedy) == ("FAILED", reason, "Try again; if it fails again, report the file.")
    assert (await core.queue.size(), len(parser.parsed)) == (0, 5)
    parser.error = None
    again = await core.ingestor.retry(LOCAL, document.doc_id)
    assert (again.doc_id, again.state, again.generation) == (document.doc_id, "RECEIVED", 1)
    await work(core)
    assert (await state(core, document), await answering(core)) == ("READY", [OLD])
    assert (await core.ingestor.retry(LOCAL, document.doc_id)).state == "READY"


async def test_an_unreadable_file_fails_at_once_and_the_old_version_is_still_found(core: Core, parser: HereParser) -> None:
    document = await accept(core)
    await work(core)
    parser.error = UnreadableFile("It is torn.", "Glue it.")
    await accept(core, NEW)
    await work(core)
    failed = await core.ledger.get(LOCAL, document.doc_id)
    assert (failed.state, failed.reason, failed.remedy, failed.active_generation) == ("FAILED", "It is torn.", "Glue it.", 1)
    assert (await answering(core), await core.queue.size()) == ([OLD], 0)


async def test_a_failed_document_has_the_words_that_were_read_until_it_is_ready(
    core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*given: Any) -> None:
        raise StoreUnavailable("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(core.generations, "stage", fail)
        document = await accept(core)
        for _ in range(5):
            await work(core)
            clock.advance(7200)
    failed = await core.ledger.get(LOCAL, document.doc_id)
    assert (failed.state, failed.reason, failed.words) == ("FAILED", "The disk is full.", "tower lighthouse lit")
    await core.ingestor.retry(LOCAL, document.doc_id)
    await work(core)
    ready = await core.ledger.get(LOCAL, document.doc_id)
    assert (ready.state, ready.words) == ("READY", "")


async def test_a_file_without_text_is_failed_with_a_remedy(core: Core) -> None:
    document = await accept(core, b" \n\n ")
    await work(core)
    failed = await core.ledger.get(LOCAL, document.doc_id)
    assert failed.state == "FAILED"
    assert failed.reason
    assert failed.remedy


async def test_while_the_embedder_is_down_documents_are_ready_and_found_by_lexical_search(core: Core) -> None:
    class Down(FakeEmbedder):
        async def embed(self, texts: Any, *, query: bool = False) -> Any:
            raise ModelUnavailable("down")

    core.embedder = Down()
    document = await accept(core)
    assert await core.ingestor.work_one()
    with pytest.raises(ModelUnavailable):
        await core.ingestor.embed_some()
    assert (await state(core, document), len(await found(core, "lighthouse"))) == ("READY", 1)
    assert await core.vectors.progress(VectorScope("fake-embedder")) == (0, 1)
    core.ingestor.embedder = FakeEmbedder()
    assert await core.ingestor.embed_some() == 1


async def test_without_an_embedder_no_vectors_are_pending(core: Core) -> None:
    core.embedder = None
    await accept(core)
    await work(core)
    assert (await core.ingestor.embed_some(), await answering(core)) == (0, [OLD])


async def test_a_file_above_the_limit_is_not_recorded(core: Core) -> None:
    with pytest.raises(TooLarge):
        await accept(core, b"x" * (2**20 + 1))
    assert (await core.ledger.list(LOCAL)).data == ()
