"""A collection goes into an archive and comes out of it as it was."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import BadRequest, FootnoteError, NotFound
from footnote.guard.identity import LOCAL
from footnote.ingest.vectors import embedding_progress
from footnote.ports import Name
from footnote.types import SYSTEM, Chunk, CollectionSettings, Document, Profile, Request
from footnote_local.transfer.archive import ChunkEntry, CollectionEntry, DocumentEntry
from footnote_local.transfer.archive_reader import ArchiveReader
from footnote_local.transfer.collections import NO_QUESTIONS, export_collection, import_collection, summary
from footnote_local.transfer.copies import read_copy, write_copy
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.footnote.ingest.spies import Killed, Spied
from tests.footnote_local.conftest import Footnote, open_core
from tests.nightly import sampled

DOCS = Path(__file__).parents[2] / "docs"
FILES = ("quick-start.md", "limits.md", "clients.md", "troubleshooting.md", "backup.md")
QUESTIONS = (
    "How do I make a backup?", "What is deleted after a restore?", "How do I connect Open WebUI?", "Which formats can be read?",
    "Why is a page empty?", "How large may a file be?", "Where is my data stored?", "How do I use an MCP client?", "Who is my dentist?",
    "어떻게 백업하나요?", "Wie sichere ich meine Daten?",
)  # fmt: skip
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
Cores = Callable[..., Core]


def silent(what: str, done: int, total: int) -> None:
    """No progress is shown."""


@pytest.fixture
async def cores(tmp_path: Path, clock: HandClock) -> AsyncIterator[Cores]:
    """Opens data folders by name, each once."""
    made: dict[str, Core] = {}

    def open_one(name: str, embedder: FakeEmbedder | None = None) -> Core:
        if name not in made:
            made[name] = open_core(tmp_path / name, clock=clock)
            made[name].embedder = embedder or FakeEmbedder()
        return made[name]

    yield open_one
    for core in made.values():
        await core.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with five documents, two of them for other groups, one with a changed file, and one whose file cannot be read; and
    its archive."""
    folder, clock = tmp_path_factory.mktemp("filled"), HandClock()

    async def fill() -> None:
        core = open_core(folder / "source", clock=clock)
        core.embedder = FakeEmbedder()
        for number, name in enumerate(FILES):
            clock.advance(10)
            groups = ["*"] if number % 2 else ["staff", "hr"]
            await add(core, (DOCS / name).read_bytes(), name, groups, metadata={"number": number, "tags": ["a", "b"]})
        await add(core, (DOCS / "limits.md").read_bytes() + b"\n\nThe ferry carries ninety cars.\n", "limits.md", ["*"])
        await add(core, b"", "empty.txt", ["*"], origin="s3://bucket/empty.txt", version="v1")
        await export_collection(core, "handbooks", folder / "x.zip", silent)
        await core.close()

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        runner.run(fill())
    return folder


@pytest.fixture
def archive(filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(filled / "x.zip", tmp_path))


@pytest.fixture
def source(filled: Path, cores: Cores, tmp_path: Path) -> Core:
    """The deployment of which the archive is."""
    shutil.copytree(filled / "source", tmp_path / "source")
    return cores("source")


async def add(core: Core, data: bytes, name: str, groups: list[str], **given: Any) -> Document:
    document = await core.ingestor.accept(
        SYSTEM, data, file_name=name, collection="handbooks", permission_groups=groups, **given
    )  # fmt: skip
    await work(core)
    return document


async def work(core: Core) -> None:
    while await core.ingestor.work_one() or await core.ingestor.embed_some():
        pass


async def documents(core: Core, collection: str = "handbooks") -> list[Document]:
    page = await core.ledger.list(SYSTEM, collection=await core.collections.resolve(collection), limit=100)
    return [replace(document, updated_at=0.0) for document in page.data]


async def answers(core: Core, collection: str = "handbooks") -> list[Any]:
    """For each question: hits with their scores, the answer, its citations."""
    made: list[Any] = []
    for question in QUESTIONS:
        turn = await core.answer.finish(core.new_turn(Request(question, collection), LOCAL, PROFILE, trace_id="t"))
        hits = [(hit.chunk.chunk_id, hit.score, hit.chunk.metadata, hit.chunk.created_at) for hit in turn.evidence.hits]
        answer = turn.answer
        made.append((question, hits, turn.outcome, answer and (answer.text, answer.citations)))
    return made


async def export(core: Core, path: Path) -> Path:
    await export_collection(core, "handbooks", path, silent)
    return path


async def test_after_a_round_trip_every_answer_is_the_same_bit_for_bit(archive: Path, source: Core, cores: Cores) -> None:
    target = cores("target")
    arrived = await import_collection(target, archive, None, silent)
    assert (arrived.results, arrived.refused, arrived.remade) == ({"added": len(FILES) + 1}, {}, None)
    assert arrived.groups == {"*", "staff", "hr"}
    assert isinstance(target.embedder, FakeEmbedder)
    assert (target.embedder.embedded, await target.queue.size()) == ([], 0)
    expected, got = await answers(source), await answers(target)
    assert got == expected
    assert sum(bool(hits) for _, hits, _, _ in got) >= len(QUESTIONS) - 3
    assert len({score for _, hits, _, _ in got for _, score, _, _ in hits}) > 30


async def test_documents_files_and_names_are_kept(archive: Path, source: Core, cores: Cores) -> None:
    target = cores("target")
    await import_collection(target, archive, None, silent)
    before = await documents(source)
    assert (await documents(target), {document.state for document in before}) == (before, {"READY", "FAILED"})
    assert {document.generation for document in before} == {1, 2}
    for document in before:
        assert sorted(await target.origins.names(document.doc_id)) == sorted(await source.origins.names(document.doc_id))
        for folder in ("sources", "parsed"):
            keys = [[key async for key in core.files.keys(f"{folder}/{document.doc_id}/")] for core in (source, target)]
            assert keys[0] == keys[1]
            assert [await source.files.get(key) for key in keys[0]] == [await target.files.get(key) for key in keys[1]]
    (empty,) = [document for document in before if document.file_name == "empty.txt"]
    assert await target.origins.names(empty.doc_id) == [Name("empty.txt", "s3://bucket/empty.txt", "v1")]
    progress = [await embedding_progress(core.vectors, FakeEmbedder()) for core in (source, target)]
    assert progress[0] == progress[1]
    assert progress[0][0] == progress[0][1] > 0


async def test_an_export_of_an_import_is_the_same_archive(archive: Path, cores: Cores, tmp_path: Path) -> None:
    await import_collection(cores("target"), archive, None, silent)
    again = await export(cores("target"), tmp_path / "y.zip")

    def parts(path: Path) -> dict[str, bytes]:
        with zipfile.ZipFile(path) as file:
            return {name: file.read(name) for name in file.namelist() if not name.endswith(".json")}

    assert parts(again) == parts(archive)


async def test_another_name_and_the_settings_of_the_collection(archive: Path, source: Core, cores: Cores) -> None:
    settings = CollectionSettings(languages=("en",), permission_groups=("staff",), knowledge={"graph": "rules"})
    await source.collections.edit("handbooks", lambda was: replace(was, settings=settings, title="Our handbooks"), by="me")
    await export(source, archive)
    target = cores("target")
    await import_collection(target, archive, "manuals", silent)
    made = (await target.collections.directory()).find("manuals")
    assert (made.settings, made.title) == (settings, "Our handbooks")
    assert len(await documents(target, "manuals")) == len(FILES) + 1
    assert [each[1] for each in await answers(target, "manuals")] == [each[1] for each in await answers(source)]


async def test_another_embedder_makes_the_vectors_anew_and_says_so(archive: Path, cores: Cores) -> None:
    embedder = FakeEmbedder(name="other")
    target = cores("target", embedder)
    arrived = await import_collection(target, archive, None, silent)
    assert arrived.remade == "Its vectors are of fake-embedder, here other is used: vectors are made anew."
    done, total = await embedding_progress(target.vectors, embedder)
    assert (done, total > 0) == (0, True)
    await work(target)
    assert await embedding_progress(target.vectors, embedder) == (total, total)


async def test_an_import_says_that_questions_are_missing_where_a_model_writes_them(archive: Path, cores: Cores) -> None:
    for enrichment, told in (("questions", True), ("patterns", False)):
        core = cores(enrichment)
        core.live.current = core.settings.model_copy(update={"ingest": core.settings.ingest.model_copy(update={"enrichment": enrichment})})
        arrived = await import_collection(core, archive, None, silent)
        assert (NO_QUESTIONS in summary(arrived)) == told


CALLS = [
    "files.put",
    "files.put",
    "lifecycle.restore",
    "generations.stage",
    "generations.staged",
    "generations.activate",
    "vectors.put_vectors",
    "lifecycle.update",
]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", [sampled(at, at == 4, f"{at}-{CALLS[at]}") for at in range(len(CALLS))])
async def test_a_killed_import_can_be_run_again(
    at: int, after: bool, archive: Path, source: Core, cores: Cores, tmp_path: Path, clock: HandClock
) -> None:
    calls = 0
    core = cores("killed")

    async def kill(call: str, is_after: bool) -> None:
        nonlocal calls
        calls += call in CALLS and is_after == after
        if calls == len(CALLS) + at + 1:  # in the second document
            raise Killed

    for name in ("files", "ledger", "lifecycle", "index"):
        setattr(core, name, Spied(name, getattr(core, name), kill))
    with pytest.raises(Killed):
        await import_collection(core, archive, None, silent)
    again = open_core(tmp_path / "killed", clock=clock)
    again.embedder = FakeEmbedder()
    assert {document.state for document in await documents(again)} <= {"READY", "PROCESSING"}
    await import_collection(again, archive, None, silent)
    assert await documents(again) == await documents(source)
    assert await answers(again) == await answers(source)
    arrived = await import_collection(again, archive, None, silent)
    assert (arrived.results, arrived.refused) == ({"there": len(FILES) + 1}, {})
    await again.close()


async def test_a_half_written_document_is_also_finished_by_the_server(
    archive: Path, cores: Cores, tmp_path: Path, clock: HandClock
) -> None:
    core = cores("killed")

    async def kill(call: str, is_after: bool) -> None:
        if call == "generations.activate":
            raise Killed

    core.generations = Spied("generations", core.generations, kill)  # type: ignore[assignment]
    with pytest.raises(Killed):
        await import_collection(core, archive, None, silent)
    again = open_core(tmp_path / "killed", clock=clock)
    assert await again.ingestor.recover() == 1
    await work(again)
    assert [document.state for document in await documents(again)] == ["READY"]
    await again.close()


async def test_a_document_that_is_different_or_was_deleted_here_stays_so(archive: Path, cores: Cores) -> None:
    target = cores("target")
    await import_collection(target, archive, None, silent)
    changed, deleted = [each for each in await documents(target) if each.file_name in ("clients.md", "backup.md")]
    await target.ingestor.delete(SYSTEM, deleted.doc_id)
    await add(target, b"The lighthouse was lit in 1874.", changed.file_name, sorted(changed.permission_groups))
    arrived = await import_collection(target, archive, None, silent)
    assert arrived.refused == {changed.doc_id: "differs", deleted.doc_id: "deleted"}
    assert deleted.doc_id not in {document.doc_id for document in await documents(target)}


async def test_an_older_version_that_still_answers_is_what_is_exported(archive: Path, source: Core, cores: Cores) -> None:
    before = await answers(source)
    (document,) = [each for each in await documents(source) if each.file_name == "limits.md"]
    await source.ingestor.accept(
        SYSTEM, b"\x00\x01\x02", file_name="limits.md", collection="handbooks", permission_groups=["*"]
    )  # fmt: skip
    await work(source)
    assert (await source.ledger.get(SYSTEM, document.doc_id)).state == "FAILED"
    await export(source, archive)
    target = cores("target")
    await import_collection(target, archive, None, silent)
    assert await answers(target) == before
    kept = await target.ledger.get(SYSTEM, document.doc_id)
    assert (kept.state, kept.content_hash, kept.generation) == ("READY", document.content_hash, document.generation)


async def test_an_export_that_fails_leaves_the_earlier_archive(source: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.zip").write_bytes(b"earlier")

    async def damaged(doc_id: str, generation: int) -> None:
        raise NotFound

    monkeypatch.setattr(source.index, "sentences", damaged)
    with pytest.raises((FootnoteError, TypeError)):
        await export(source, tmp_path / "x.zip")
    assert ([path.name for path in tmp_path.glob("x.zip*")], (tmp_path / "x.zip").read_bytes()) == (["x.zip"], b"earlier")


async def test_an_archive_is_readable_by_its_owner_only(source: Core, tmp_path: Path) -> None:
    assert (await export(source, tmp_path / "x.zip")).stat().st_mode & 0o777 == 0o600


async def test_an_unknown_collection_is_named(source: Core, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no collection “nowhere”"):
        await export_collection(source, "nowhere", tmp_path / "x.zip", silent)


# --- archives that cannot be imported ---------------------------------------------------------


def changed(archive: Path, change: Callable[[dict[str, bytes]], None], *, sign: bool = True) -> Path:
    """The archive after a change of its entries, with new digests as somebody who made it on purpose would write."""
    with zipfile.ZipFile(archive) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    change(entries)
    if sign:
        for name in [each for each in entries if each.endswith("document.json")]:
            folder, told = name.rpartition("/")[0], json.loads(entries[name])
            told["sha256"] = {part: hashlib.sha256(entries[f"{folder}/{part}"]).hexdigest() for part in told["sha256"]}
            entries[name] = json.dumps(told).encode()
        manifest = json.loads(entries["manifest.json"])
        whole = b"".join(entries[f"documents/{n}/document.json"] for n in range(1, manifest["counts"]["documents"] + 1))
        manifest["counts"]["sha256"] = hashlib.sha256(whole).hexdigest()
        entries["manifest.json"] = json.dumps(manifest).encode()
    made = archive.with_name("changed.zip")
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return made


def of_json(name: str, **fields: Any) -> Callable[[dict[str, bytes]], None]:
    def change(entries: dict[str, bytes]) -> None:
        entries[name] = json.dumps(json.loads(entries[name]) | fields).encode()

    return change


def of_bytes(name: str, make: Callable[[bytes], bytes]) -> Callable[[dict[str, bytes]], None]:
    def change(entries: dict[str, bytes]) -> None:
        entries[name] = make(entries[name])

    return change


FIRST = "documents/1/document.json"
BAD: dict[str, tuple[Callable[[dict[str, bytes]], None], bool, str]] = {
    "a newer version": (of_json("manifest.json", version=2), True, "version 2 of the format.*upgrade"),
    "another format": (of_json("manifest.json", format="other"), True, "manifest.json is not valid"),
    "a field of a newer version": (of_json(FIRST, colour="red"), True, "document 1 is not valid"),
    "no manifest": (lambda entries: entries.pop("manifest.json") and None, False, "no manifest.json"),
    "a path": (lambda entries: entries.update({"../../etc/passwd": b"x"}), True, "which no export contains"),
    "an absolute path": (lambda entries: entries.update({"/etc/passwd": b"x"}), True, "which no export contains"),
    "an id that is a path": (of_json(FIRST, doc_id="../../store"), True, "an id that is not allowed"),
    "a changed file": (of_bytes("documents/1/source", lambda data: data + b"x"), False, "source of document 1 is not what was exported"),
    "changed passages": (of_bytes("documents/1/chunks.jsonl", lambda data: data.replace(b"a", b"b")), False, "chunks.jsonl of document 1"),
    "a missing document": (lambda entries: entries.pop(FIRST) and None, False, "document 1 is missing"),
    "a missing passage": (
        of_bytes("documents/1/chunks.jsonl", lambda data: data[: data.rindex(b"\n")]),
        True,
        "vectors of document 1|its manifest",
    ),
    "a group that is not allowed": (of_json(FIRST, permission_groups=["a b\n"]), True, "permission groups that are not allowed"),
    "no groups": (of_json(FIRST, permission_groups=[]), True, "permission groups that are not allowed"),
    "a state that is not allowed": (of_json(FIRST, state="DELETED"), True, "document 1 is not valid"),
    "a state that contradicts": (of_json(FIRST, active_generation=9), True, "contradicts itself"),
    "a javascript link": (of_json(FIRST, metadata={"url": "javascript:alert(1)"}), True, "must start with http"),
    "a document twice": (lambda entries: twice(entries), True, "in it twice|vectors of document 2"),
    "other counts": (lambda entries: count(entries, chunks=1), False, "not those that its manifest names"),
    "vectors that are no numbers": (of_bytes("documents/1/vectors.bin", lambda data: b"\xff" * len(data)), True, "is not a vector"),
    "a collection's name": (of_json("manifest.json", collection={"name": "../x"}), True, "An index name has"),
    "an unknown chunker": (of_json("manifest.json", collection={"name": "x", "chunker": "magic"}), True, "chunker.*upgrade"),
}


def twice(entries: dict[str, bytes]) -> None:
    for name in [each for each in entries if each.startswith("documents/2/")]:
        del entries[name]
    entries.update({name.replace("/1/", "/2/"): data for name, data in entries.items() if name.startswith("documents/1/")})


def count(entries: dict[str, bytes], **counts: int) -> None:
    manifest = json.loads(entries["manifest.json"])
    manifest["counts"] |= counts
    entries["manifest.json"] = json.dumps(manifest).encode()


@pytest.mark.parametrize("case", BAD)
async def test_a_damaged_or_forged_archive_is_refused_and_changes_nothing(case: str, archive: Path, cores: Cores, tmp_path: Path) -> None:
    change, sign, why = BAD[case]
    archive = changed(archive, change, sign=sign)
    with pytest.raises(BadRequest, match=why):
        await import_collection(cores("target"), archive, None, silent)
    assert (await documents(cores("target")), sum((await cores("target").lifecycle.counts()).values())) == ([], 0)
    assert not (tmp_path / "target" / "files").exists()


async def test_an_archive_that_was_cut_off_or_is_no_archive_is_refused(archive: Path, cores: Cores, tmp_path: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-2000])
    (tmp_path / "text.zip").write_text("nothing")
    for path in (archive, tmp_path / "text.zip"):
        with pytest.raises(BadRequest, match="not a whole ZIP file"):
            await import_collection(cores("target"), path, None, silent)
    with pytest.raises(BadRequest, match="There is no file"):
        await import_collection(cores("target"), tmp_path / "nowhere.zip", None, silent)


async def test_a_zip_bomb_is_not_unpacked(archive: Path) -> None:
    archive = changed(archive, of_bytes("documents/1/source", lambda data: bytes(3 * 2**20)))
    assert archive.stat().st_size < 2**20
    with pytest.raises(FootnoteError, match=r"more than 1 MB\. Raise INGEST__MAX_FILE_MB"):
        list(ArchiveReader(archive, 1).check())


# --- passages with metadata of their own -------------------------------------------------------


async def test_every_voice_keeps_its_own_metadata_in_an_archive_and_in_a_migration(cores: Cores, tmp_path: Path) -> None:
    source, imported, moved = cores("source"), cores("imported"), cores("moved")
    await source.collections.create("handbooks", CollectionSettings("voices"), title="", description="", by="me")
    rows = (
        b"date,channel,rating,product,text\n"
        b"2024-01-02,mail,1,Ferry,The ferry was late and cold and nobody said why it was.\n"
        b"2024-03-05,app,5,Ferry,The tower visit was wonderful and the staff were kind.\n"
        b",,,Ferry,I have nothing else to say about it but the queue was long.\n"
    )
    document = await add(source, rows, "voices.csv", ["*"], metadata={"of": "spring"})
    await import_collection(imported, await export(source, tmp_path / "voices.zip"), None, silent)
    copy = await read_copy(source, document.doc_id, False)
    assert copy is not None
    await write_copy(moved, copy)
    for core in (source, imported, moved):
        chunks = await core.index.read(SYSTEM, [f"{document.doc_id}|1|{ordinal}" for ordinal in range(3)])
        assert [(each.metadata.get("date"), each.metadata.get("channel"), each.metadata.get("rating")) for each in chunks] == [
            ("2024-01-02", "mail", 1.0), ("2024-03-05", "app", 5.0), (None, None, None),
        ]  # fmt: skip
        assert {(each.metadata["product"], each.metadata["of"]) for each in chunks} == {("Ferry", "spring")}


# --- the commands ------------------------------------------------------------------------------


@pytest.mark.usefixtures("ingested")
def test_the_commands_export_and_import_a_collection(footnote: Footnote, tmp_path: Path) -> None:
    archive = tmp_path / "x.zip"
    exported = footnote("export", "default", archive, "--json")
    assert (exported.exit_code, json.loads(exported.stdout)["documents"]) == (0, 2)
    imported = footnote("import", archive, "--collection", "manuals", "--data", tmp_path / "other", "--json")
    told = json.loads(imported.stdout)
    assert (imported.exit_code, told["collection"], told["results"]) == (0, "manuals", {"added": 2})
    assert "1874" in footnote("ask", "When was the lighthouse lit?", "--collection", "manuals", "--data", tmp_path / "other").stdout
    again = footnote("import", archive, "--collection", "manuals", "--data", tmp_path / "other")
    assert "2 there already" in again.stderr
    here = footnote("import", archive, "--collection", "manuals")
    assert (here.exit_code, here.stdout.count("differs")) == (1, 2)
    assert footnote("export", "nowhere", archive).exit_code == 2


def test_every_field_of_a_document_a_passage_and_a_collection_is_exported() -> None:
    of_documents = set(Document.__dataclass_fields__) - set(DocumentEntry.model_fields)
    of_chunks = set(Chunk.__dataclass_fields__) - set(ChunkEntry.model_fields)
    of_collections = set(CollectionSettings.__dataclass_fields__) - set(CollectionEntry.model_fields)
    assert (of_documents, of_collections) == ({"collection", "described_by", "words"}, set())
    told_by_the_document = {"title", "permission_groups", "created_at", "collection"}
    never_returned_by_an_index = {"questions"}  # docs/cli.md says so
    told_to_a_reader = {"file_label"}
    left = of_chunks - never_returned_by_an_index - told_to_a_reader
    assert left == {
        "chunk_id",
        "doc_id",
        "generation",
        "ordinal",
        *told_by_the_document,
    }
