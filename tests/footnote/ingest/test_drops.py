"""The documents match the objects of the bucket in the end, whatever events arrive."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.collections.attachments import CONVERSATION
from footnote.errors import ModelUnavailable, NotFound
from footnote.ingest.ingestor import LEASE_S, Ingestor
from footnote.ports import Dropped, Job, UploadForm
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import ATTACHED, SYSTEM, Caller, CollectionSettings, Document
from footnote_ingest.drops import embed
from tests.conftest import HandClock
from tests.footnote.ingest.spies import Killed
from tests.footnote.ingest.test_ingestor import LOCAL, NEW, OLD, HereParser, accept, answering, work

KEY = "handbooks/tower.txt"
GROUPS = {"handbooks/": ["staff"], "other/": ["staff"]}


@dataclass(slots=True)
class FakeDrops:
    """`ports.Drops` in memory. `before_get` runs before a read, `after_get` and `after_head` run after one."""

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


class Forms:
    """Makes forms of keys."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, float]] = []

    async def form(self, key: str, max_bytes: int, valid_s: float) -> UploadForm:
        self.asked.append((key, max_bytes, valid_s))
        return UploadForm("https://bucket", {"key": key})


@pytest.fixture
def drops() -> FakeDrops:
    return FakeDrops()


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock, drops: FakeDrops) -> AsyncIterator[Core]:
    made = open_core(tmp_path, clock, drops)
    yield made
    await made.close()


def open_core(folder: Path, clock: HandClock, drops: FakeDrops, groups: dict[str, list[str]] = GROUPS) -> Core:
    settings = Settings(
        footnote_data=folder,
        embedding=Embedding(builtin=False),
        llm=LLM(discover=False),
        ingest=Ingest(drop_groups=groups, max_file_mb=1),
    )
    core = Core(settings, clock=clock, parser=HereParser())
    core.drops = drops
    return core


async def tell(core: Core, key: str = KEY) -> None:
    await core.bucket.converge("b", key)
    await work(core)


async def drop(core: Core, drops: FakeDrops, data: bytes, key: str = KEY) -> None:
    drops.put(key, data)
    await tell(core, key)


async def states(core: Core) -> list[tuple[str, str, int]]:
    return sorted((d.file_name, d.state, d.generation) for d in (await core.ledger.list(LOCAL)).data)


async def test_a_file_is_found_while_it_is_in_the_bucket(core: Core, drops: FakeDrops) -> None:
    await drop(core, drops, OLD)
    assert (await states(core), await answering(core)) == ([(KEY, "READY", 1)], [OLD])
    await drop(core, drops, NEW)
    assert (await states(core), await answering(core)) == ([(KEY, "READY", 2)], [NEW])
    drops.objects.clear()
    await tell(core)
    assert (await states(core), await answering(core), await core.origins.under("s3://")) == ([], [], {})


async def test_a_repeated_event_reads_nothing(core: Core, drops: FakeDrops) -> None:
    await drop(core, drops, OLD)
    drops.before_get.append(lambda: pytest.fail("it was read again"))
    for _ in range(10):
        await tell(core)
    assert await states(core) == [(KEY, "READY", 1)]


async def test_whenever_the_events_of_five_changes_arrive_the_bucket_decides(core: Core, drops: FakeDrops) -> None:
    """Sixty keys. Events may arrive late, early, together or ten times."""
    chance = random.Random(7)
    expected = set()
    for number in range(60):
        key, texts = f"handbooks/{number}.txt", [f"Tower {number} was built in {year}.".encode() for year in (1874, 1999, 2004)]
        changes: list[bytes | None] = [texts[0], None, texts[1], None, texts[2]][: 5 - number % 2]
        while changes:
            for data in changes[: (now := chance.randint(0, 2))]:
                drops.put(key, data) if data else await drops.delete("b", key)
            del changes[:now]
            await core.bucket.converge("b", key)
            if chance.random() < 0.5:
                await work(core)
        for _ in range(chance.choice([1, 10])):
            await core.bucket.converge("b", key)
        expected |= {texts[2]} if number % 2 == 0 else set()
    await work(core)
    assert set(await answering(core)) == expected
    assert set(await core.origins.under("s3://")) == {f"s3://b/{key}" for key in drops.objects}
    assert {state for _, state, _ in await states(core)} == {"READY"}


@pytest.mark.parametrize("moment", ["before_get", "after_get"])
async def test_the_last_version_wins_if_a_file_changes_while_it_is_read_or_soon_after(core: Core, drops: FakeDrops, moment: str) -> None:
    """The event of the change may already have been processed, so no other event triggers a check."""
    drops.put(KEY, OLD)
    getattr(drops, moment).append(lambda: drops.put(KEY, NEW))
    await tell(core)
    assert await answering(core) == [NEW]


@pytest.mark.parametrize("moment", ["before_get", "after_get"])
async def test_a_file_that_is_removed_while_it_is_read_or_soon_after_leaves_no_document(core: Core, drops: FakeDrops, moment: str) -> None:
    drops.put(KEY, OLD)
    getattr(drops, moment).append(drops.objects.clear)
    await tell(core)
    assert (await states(core), await answering(core), await core.origins.under("s3://")) == ([], [], {})


async def test_a_file_that_appears_after_the_first_look_is_found(core: Core, drops: FakeDrops) -> None:
    drops.after_head.append(lambda: drops.put(KEY, NEW))
    await tell(core)
    assert await answering(core) == [NEW]


async def test_the_same_content_under_two_keys_is_found_until_both_are_gone(core: Core, drops: FakeDrops) -> None:
    for key in (KEY, "other/copy.txt"):
        await drop(core, drops, OLD, key)
    assert await answering(core) == [OLD]
    await drops.delete("b", KEY)
    await tell(core)
    assert (await answering(core), [name for name, *_ in await states(core)]) == ([OLD], ["other/copy.txt"])
    await drops.delete("b", "other/copy.txt")
    await tell(core, "other/copy.txt")
    assert await answering(core) == []


async def test_an_upload_of_the_same_name_stays_when_the_drop_is_removed(core: Core, drops: FakeDrops) -> None:
    await core.ingestor.accept(LOCAL, NEW, file_name=KEY, collection="default", permission_groups=["staff"])
    await drop(core, drops, OLD)
    assert sorted(await answering(core)) == sorted([OLD, NEW])
    drops.objects.clear()
    await tell(core)
    assert await answering(core) == [NEW]


async def test_with_other_groups_the_new_document_replaces_the_old_one(tmp_path: Path, clock: HandClock, drops: FakeDrops) -> None:
    before = open_core(tmp_path, clock, drops)
    drops.put(KEY, OLD)
    await tell(before)
    await before.close()
    after = open_core(tmp_path, clock, drops, {"handbooks/": ["board"]})
    drops.put(KEY, NEW)
    await tell(after)
    (document,) = (await after.ledger.list(LOCAL)).data
    assert document.permission_groups == frozenset({"board"})
    assert await after.index.sample(Caller("ann", frozenset({"staff"})), "default", 9) == []
    await after.close()


async def test_a_deleted_document_does_not_come_back_until_its_file_is_dropped_again(core: Core, drops: FakeDrops) -> None:
    await drop(core, drops, OLD)
    (document,) = (await core.ledger.list(LOCAL)).data
    await core.ingestor.delete(LOCAL, document.doc_id)
    await tell(core)
    assert await answering(core) == []
    await drop(core, drops, OLD)
    assert await answering(core) == [OLD]


async def test_a_crash_between_ledger_and_queue_is_repaired_by_the_repeated_event(core: Core, drops: FakeDrops) -> None:
    async def die(*args: Any) -> str:
        raise Killed

    drops.put(KEY, OLD)
    put, core.queue.put = core.queue.put, die  # type: ignore[method-assign]
    with pytest.raises(Killed):
        await tell(core)
    core.queue.put = put  # type: ignore[method-assign]
    await tell(core)
    assert await answering(core) == [OLD]


async def test_a_key_without_a_usable_name_and_a_file_that_is_too_large_are_reported(core: Core, drops: FakeDrops) -> None:
    drops.put("handbooks/..", OLD)
    drops.put("other/huge.txt", b"x" * (2**20 + 1))
    drops.put("other/huge too.txt", b"y" * (2**20 + 1))
    for key in list(drops.objects):
        await tell(core, key)
    assert await states(core) == [
        ("handbooks", "READY", 1),
        ("other/huge too.txt", "FAILED", 1),
        ("other/huge.txt", "FAILED", 1),
    ]


async def test_an_announced_upload_has_the_usual_size_limit(core: Core) -> None:
    forms = Forms()
    bucket = replace(core.bucket, uploads=forms)
    form = await bucket.announce("a-0001", file_name="a.txt", collection="default", permission_groups=["staff"])
    assert form == UploadForm("https://bucket", {"key": "uploads/a-0001"})
    assert forms.asked == [("uploads/a-0001", 1_048_576, 900.0)]  # INGEST__MAX_FILE_MB is 1 here


async def test_an_announced_upload_is_stored_once_and_then_deleted(core: Core, drops: FakeDrops) -> None:
    bucket = replace(core.bucket, uploads=Forms())
    await bucket.announce("a-0001", file_name="a.txt", collection="default", permission_groups=["staff"], owner="ann")
    drops.put("uploads/a-0001", OLD)
    for _ in range(3):
        await tell(core, "uploads/a-0001")
    assert (await states(core), await answering(core), drops.objects) == ([("a.txt", "READY", 1)], [OLD], {})
    document = await core.ledger.get(LOCAL, "a-0001")
    assert (document.permission_groups, document.owner) == (frozenset({"staff"}), "ann")


async def arrive(core: Core, drops: FakeDrops) -> Document:
    await drop(core, drops, NEW, "uploads/a-0001")
    return await core.ledger.get(LOCAL, "a-0001")


@pytest.fixture
async def announced(core: Core) -> Core:
    """An upload to “reports” was announced, which has no document yet."""
    bucket = replace(core.bucket, uploads=Forms())
    await bucket.announce("a-0001", file_name="a.txt", collection="reports", permission_groups=["staff"])
    return core


async def test_an_upload_arrives_where_its_collections_name_leads_by_then(announced: Core, drops: FakeDrops) -> None:
    await accept(announced, OLD)
    await announced.collections.create("docs", CollectionSettings(), title="", description="", by="ann")
    await announced.collections.edit("docs", lambda docs: replace(docs, name="reports"), by="ann")
    document = await arrive(announced, drops)
    assert (document.state, document.collection) == ("READY", "reports")
    assert [each.doc_id for each in (await announced.ledger.list(LOCAL, collection="docs")).data] == ["a-0001"]
    assert [each.doc_id for each in (await announced.ledger.list(LOCAL, collection="reports")).data] == ["a-0001"]


async def test_an_upload_to_a_collection_that_was_deleted_meanwhile_is_restored_with_it(announced: Core, drops: FakeDrops) -> None:
    await announced.collections.create("reports", CollectionSettings(), title="", description="", by="ann")
    await announced.collections.delete("reports", by="ann")
    with pytest.raises(NotFound):
        await arrive(announced, drops)
    await announced.collections.restore("reports", by="ann")
    assert (await announced.ledger.get(LOCAL, "a-0001")).state == "READY"


async def test_a_file_attached_to_a_conversation_arrives_as_its_users_alone(core: Core, drops: FakeDrops) -> None:
    conversation = await core.collections.attachments.add("ann", "r1", "a-0001")
    await replace(core.bucket, uploads=Forms()).announce(
        "a-0001", file_name="a.txt", collection=ATTACHED, permission_groups=["user:ann"], metadata={CONVERSATION: conversation}
    )
    drops.put("uploads/a-0001", NEW)
    for _ in range(2):
        await tell(core, "uploads/a-0001")
    ann, ben = Caller("ann", frozenset({"user:ann"})), Caller("ben", frozenset({"user:ben"}), role="admin")
    assert (await core.ledger.get(ann, "a-0001")).state == "READY"
    with pytest.raises(NotFound):
        await core.ledger.get(ben, "a-0001")
    assert await core.ledger.collections(SYSTEM) == {}


async def test_an_upload_that_was_not_announced_is_ignored(core: Core, drops: FakeDrops) -> None:
    await drop(core, drops, OLD, "uploads/other")
    assert (await states(core), list(drops.objects)) == ([], ["uploads/other"])


async def test_interrupted_embedding_continues_in_its_job_and_a_failed_start_is_retried(
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
    assert (job.body, job.attempt) == (body, 1)
    with pytest.raises(ModelUnavailable):
        await embed(core, job, lambda: 60.0)
