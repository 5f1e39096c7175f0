"""What lies in the bucket and what answers: the same in the end, whatever the events were."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import ModelUnavailable, NotFound
from footnote.ingest.drops import upload_cache_key
from footnote.ingest.pipeline import LEASE_S, Ingestor
from footnote.ports import Dropped, Job, UploadForm
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import Caller
from ingest.drops import embed
from tests.conftest import HandClock
from tests.footnote.ingest.test_pipeline import LOCAL, NEW, OLD, HereParser, Killed, accept, answering, work

KEY = "handbooks/tower.txt"
GROUPS = {"handbooks/": ["staff"], "other/": ["staff"]}


@dataclass(slots=True)
class Shelf:
    """`ports.Drops` in memory; `before_get` runs when somebody is about to read, `after_get` and `after_head` when they have."""

    objects: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    puts: int = 0
    before_get: list[Any] = field(default_factory=list)
    after_get: list[Any] = field(default_factory=list)
    after_head: list[Any] = field(default_factory=list)

    def put(self, key: str, data: bytes) -> None:
        self.puts += 1
        self.objects[key] = data, f"v{self.puts}"

    async def get(self, bucket: str, key: str) -> tuple[bytes, str]:
        while self.before_get:
            self.before_get.pop()()
        if key not in self.objects:
            raise NotFound
        found = self.objects[key]
        while self.after_get:
            self.after_get.pop()()
        return found

    async def head(self, bucket: str, key: str) -> Dropped | None:
        data, version = self.objects.get(key, (b"", ""))
        while self.after_head:
            self.after_head.pop()()
        return Dropped(key, version, len(data)) if version else None

    async def delete(self, bucket: str, key: str) -> None:
        self.objects.pop(key, None)

    async def list(self, bucket: str) -> AsyncIterator[Dropped]:
        for key, (data, version) in sorted(self.objects.items()):
            yield Dropped(key, version, len(data))


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock, shelf: Shelf) -> AsyncIterator[Core]:
    made = open_core(tmp_path, clock, shelf)
    yield made
    await made.close()


def open_core(folder: Path, clock: HandClock, shelf: Shelf, groups: dict[str, list[str]] = GROUPS) -> Core:
    settings = Settings(
        footnote_data=folder,
        embedding=Embedding(builtin=False),
        llm=LLM(discover=False),
        ingest=Ingest(drop_groups=groups, max_file_mb=1),
    )
    core = Core(settings, clock=clock, parser=HereParser())
    core.drops = shelf
    return core


async def tell(core: Core, key: str = KEY) -> None:
    await core.bucket.converge("b", key)
    await work(core)


async def states(core: Core) -> list[tuple[str, str, int]]:
    return sorted((d.file_name, d.state, d.generation) for d in (await core.ledger.list(LOCAL)).data)


async def test_a_file_answers_while_it_lies_in_the_bucket(core: Core, shelf: Shelf) -> None:
    shelf.put(KEY, OLD)
    await tell(core)
    assert (await states(core), await answering(core)) == ([(KEY, "READY", 1)], [OLD])
    shelf.put(KEY, NEW)
    await tell(core)
    assert (await states(core), await answering(core)) == ([(KEY, "READY", 2)], [NEW])
    shelf.objects.clear()
    await tell(core)
    assert (await states(core), await answering(core), await core.ledger.origins("s3://")) == ([], [], {})


async def test_an_event_that_comes_again_reads_nothing(core: Core, shelf: Shelf) -> None:
    shelf.put(KEY, OLD)
    await tell(core)
    shelf.before_get.append(lambda: pytest.fail("it was read again"))
    for _ in range(10):
        await tell(core)
    assert await states(core) == [(KEY, "READY", 1)]


async def test_whenever_the_events_of_five_changes_come_the_end_is_the_state_of_the_bucket(core: Core, shelf: Shelf) -> None:
    """Sixty keys. Events may come late, early, together or ten times over: each is told at some moment of the changes."""
    chance = random.Random(7)
    expected = set()
    for number in range(60):
        key, texts = f"handbooks/{number}.txt", [f"Tower {number} was built in {year}.".encode() for year in (1874, 1999, 2004)]
        changes: list[bytes | None] = [texts[0], None, texts[1], None, texts[2]][: 5 - number % 2]
        while changes:
            for data in changes[: (now := chance.randint(0, 2))]:
                shelf.put(key, data) if data else await shelf.delete("b", key)
            del changes[:now]
            await core.bucket.converge("b", key)
            if chance.random() < 0.5:
                await work(core)
        for _ in range(chance.choice([1, 10])):
            await core.bucket.converge("b", key)
        expected |= {texts[2]} if number % 2 == 0 else set()
    await work(core)
    assert set(await answering(core)) == expected
    assert set(await core.ledger.origins("s3://")) == {f"s3://b/{key}" for key in shelf.objects}
    assert {state for _, state, _ in await states(core)} == {"READY"}


@pytest.mark.parametrize("moment", ["before_get", "after_get"])
async def test_a_file_that_changes_while_it_is_read_or_soon_after_ends_as_it_is_now(core: Core, shelf: Shelf, moment: str) -> None:
    """The event of the change may have been done with before: nobody else comes to look."""
    shelf.put(KEY, OLD)
    getattr(shelf, moment).append(lambda: shelf.put(KEY, NEW))
    await tell(core)
    assert await answering(core) == [NEW]


@pytest.mark.parametrize("moment", ["before_get", "after_get"])
async def test_a_file_that_is_removed_while_it_is_read_or_soon_after_leaves_nothing(core: Core, shelf: Shelf, moment: str) -> None:
    shelf.put(KEY, OLD)
    getattr(shelf, moment).append(shelf.objects.clear)
    await tell(core)
    assert (await states(core), await answering(core), await core.ledger.origins("s3://")) == ([], [], {})


async def test_a_file_that_comes_once_nothing_was_there_answers(core: Core, shelf: Shelf) -> None:
    shelf.after_head.append(lambda: shelf.put(KEY, NEW))
    await tell(core)
    assert await answering(core) == [NEW]


async def test_the_same_content_under_two_keys_answers_until_both_are_gone(core: Core, shelf: Shelf) -> None:
    for key in (KEY, "other/copy.txt"):
        shelf.put(key, OLD)
        await tell(core, key)
    assert await answering(core) == [OLD]
    await shelf.delete("b", KEY)
    await tell(core)
    assert (await answering(core), [name for name, *_ in await states(core)]) == ([OLD], ["other/copy.txt"])
    await shelf.delete("b", "other/copy.txt")
    await tell(core, "other/copy.txt")
    assert await answering(core) == []


async def test_an_upload_of_the_same_name_stays_when_the_drop_goes(core: Core, shelf: Shelf) -> None:
    await core.ingestor.accept(LOCAL, NEW, file_name=KEY, collection="default", permission_groups=["staff"])
    shelf.put(KEY, OLD)
    await tell(core)
    assert sorted(await answering(core)) == sorted([OLD, NEW])
    shelf.objects.clear()
    await tell(core)
    assert await answering(core) == [NEW]


async def test_with_other_readers_the_old_document_goes_when_the_new_one_comes(tmp_path: Path, clock: HandClock, shelf: Shelf) -> None:
    before = open_core(tmp_path, clock, shelf)
    shelf.put(KEY, OLD)
    await tell(before)
    await before.close()
    after = open_core(tmp_path, clock, shelf, {"handbooks/": ["board"]})
    shelf.put(KEY, NEW)
    await tell(after)
    (document,) = (await after.ledger.list(LOCAL)).data
    assert document.permission_groups == frozenset({"board"})
    assert await after.index.sample(Caller("ann", frozenset({"staff"})), "default", 9) == []
    await after.close()


async def test_what_somebody_deleted_does_not_come_back_until_it_is_dropped_anew(core: Core, shelf: Shelf) -> None:
    shelf.put(KEY, OLD)
    await tell(core)
    (document,) = (await core.ledger.list(LOCAL)).data
    await core.ingestor.delete(LOCAL, document.doc_id)
    await tell(core)
    assert await answering(core) == []
    shelf.put(KEY, OLD)
    await tell(core)
    assert await answering(core) == [OLD]


async def test_a_crash_between_ledger_and_queue_is_mended_by_the_event_that_comes_again(core: Core, shelf: Shelf) -> None:
    async def die(*args: Any) -> str:
        raise Killed

    shelf.put(KEY, OLD)
    put, core.queue.put = core.queue.put, die  # type: ignore[method-assign]
    with pytest.raises(Killed):
        await tell(core)
    core.queue.put = put  # type: ignore[method-assign]
    await tell(core)
    assert await answering(core) == [OLD]


async def test_a_key_that_makes_no_name_and_a_file_that_is_too_large_are_told(core: Core, shelf: Shelf) -> None:
    shelf.put("handbooks/..", OLD)
    shelf.put("other/huge.txt", b"x" * (2**20 + 1))
    shelf.put("other/huge too.txt", b"y" * (2**20 + 1))
    for key in list(shelf.objects):
        await tell(core, key)
    assert await states(core) == [
        ("handbooks", "READY", 1),
        ("other/huge too.txt", "FAILED", 1),
        ("other/huge.txt", "FAILED", 1),
    ]


async def test_an_announced_upload_may_have_as_many_bytes_as_any_file(core: Core) -> None:
    asked: list[tuple[str, int, float]] = []

    class Forms:
        async def form(self, key: str, max_bytes: int, valid_s: float) -> UploadForm:
            asked.append((key, max_bytes, valid_s))
            return UploadForm("https://bucket", {"key": key})

    bucket = replace(core.bucket, uploads=Forms())
    form = await bucket.announce("a-0001", file_name="a.txt", collection="default", permission_groups=["staff"])
    assert form == UploadForm("https://bucket", {"key": "uploads/a-0001"})
    assert asked == [("uploads/a-0001", 1_048_576, 900.0)]  # INGEST__MAX_FILE_MB is 1 here


async def test_an_announced_upload_is_taken_once_and_then_removed(core: Core, shelf: Shelf) -> None:
    announced = {"file_name": "a.txt", "collection": "default", "permission_groups": ["staff"], "doc_id": "a-0001"}
    await core.cache.put(upload_cache_key("a-0001"), announced, 60)
    shelf.put("uploads/a-0001", OLD)
    for _ in range(3):
        await tell(core, "uploads/a-0001")
    assert (await states(core), await answering(core), shelf.objects) == ([("a.txt", "READY", 1)], [OLD], {})
    assert (await core.ledger.get(LOCAL, "a-0001")).permission_groups == frozenset({"staff"})


async def test_an_upload_that_nobody_announced_is_left_alone(core: Core, shelf: Shelf) -> None:
    shelf.put("uploads/other", OLD)
    await tell(core, "uploads/other")
    assert (await states(core), list(shelf.objects)) == ([], ["uploads/other"])


async def test_vectors_that_broke_off_go_on_in_a_job_of_their_own_and_those_that_never_began_are_tried_again(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await accept(core)
    assert await core.ingestor.work_one()
    replies: list[int | Exception] = [1, ModelUnavailable("over its limit"), ModelUnavailable("over its limit")]

    async def embed_some(self: Ingestor, limit: int, doc_id: str) -> int:
        if isinstance(reply := replies.pop(0), Exception):
            raise reply
        return reply

    monkeypatch.setattr(Ingestor, "embed_some", embed_some)
    body = {"doc_id": document.doc_id, "generation": 1}
    await embed(core, Job("j", body, 1), lambda: 60.0)
    job = await core.queue.take(LEASE_S)
    assert job is not None
    assert (job.body, job.attempt) == (body, 1)
    with pytest.raises(ModelUnavailable):
        await embed(core, job, lambda: 60.0)
