"""`footnote.open`: what a program sees that uses a folder of documents without a server."""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote import Citation, Hit, IngestedFile
from footnote.errors import BadRequest, NotFound, StoreUnavailable
from footnote.library.worker import Lock

ROOT = Path(__file__).parents[2]
WITHOUT_MODELS: dict[str, Any] = {"embedding__builtin": False, "llm__discover": False}
LEAVE = "# Leave\n\nEmployees have 30 days of annual leave. Unused days expire in March.\n"
QUESTION = "How many days of annual leave do employees have?"
LOOP = r"An event loop is running here, .* `await library\.ask\(…\)`"


def open_library(folder: Path, **settings: Any) -> footnote.Library:
    return footnote.open(folder / "data", **WITHOUT_MODELS, **settings)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "travel").mkdir(parents=True)
    (tmp_path / "docs" / "leave.md").write_text(LEAVE)
    (tmp_path / "docs" / "travel" / "trains.txt").write_text("Trains are booked in second class.")
    return tmp_path / "docs"


def test_a_program_ingests_asks_and_searches_without_an_event_loop(docs: Path, tmp_path: Path) -> None:
    with open_library(tmp_path) as library:
        done = library.ingest(docs)
        answer = library.ask(QUESTION)
        hits = library.search("trains", limit=1)
    assert [(file.name, file.state, file.passages) for file in done.files] == [("leave.md", "READY", 1), ("travel/trains.txt", "READY", 1)]
    assert (done.ready, done.failed, done.left_out, done.notice) == (done.files, (), (), None)
    assert (answer.text, str(answer)) == ("**Leave**\n\nEmployees have 30 days of annual leave. Unused days expire in March. [1]",) * 2
    assert (answer.tier, answer.model, answer.warnings) == ("answer", None, ())
    leave, trains = (file.doc_id for file in done.files)
    assert leave is not None
    assert trains is not None
    sentence = "Employees have 30 days of annual leave."
    assert answer.citations == (Citation("Leave", sentence, None, None, None, "leave.md", leave, number=1),)
    place = ("trains", "Trains are booked in second class.", None, None, None, "travel/trains.txt", trains)
    assert hits == [Hit(*place, score=hits[0].score)]
    assert 0 < hits[0].score <= 1


async def test_the_same_folder_is_used_in_an_event_loop_by_many_tasks(docs: Path, tmp_path: Path) -> None:
    async with open_library(tmp_path) as library:
        one, other = await asyncio.gather(library.ingest(docs / "leave.md"), library.ingest(docs / "travel"))
        answers = await asyncio.gather(*(library.ask(QUESTION) for _ in range(3)))
        (hit,) = await library.search("second class")
    assert [file.state for file in (*one.files, *other.files)] == ["READY", "READY"]
    assert {answer.text for answer in answers} == {"**Leave**\n\nEmployees have 30 days of annual leave. Unused days expire in March. [1]"}
    assert hit.file_name == "trains.txt"


async def test_a_library_is_opened_and_closed_without_a_block(tmp_path: Path) -> None:
    library = await open_library(tmp_path)
    assert isinstance(library, footnote.AsyncLibrary)
    assert await library.search("anything") == []
    await library.close()
    await library.close()
    for call in (library.ask(QUESTION), library.search("leave"), library.ingest(b"x", name="x.txt")):
        with pytest.raises(BadRequest, match=r"This library is closed\. Open the folder again with footnote\.open\."):
            await call


async def test_sync_forms_name_the_others_where_an_event_loop_runs(tmp_path: Path) -> None:
    library = open_library(tmp_path)
    for call in (lambda: library.ask(QUESTION), lambda: library.search("leave"), lambda: library.ingest(tmp_path), library.close):
        with pytest.raises(BadRequest, match=LOOP):
            call()
    async with library as opened:
        assert (await opened.ask(QUESTION)).tier == "nothing"
    with pytest.raises(BadRequest, match="This library is closed"):
        await library


def test_a_closed_library_says_so_and_one_is_used_in_one_form_only(tmp_path: Path) -> None:
    with open_library(tmp_path) as library:
        library.search("leave")

        async def enter() -> None:
            await library

        with pytest.raises(BadRequest, match="in use by its sync forms"):
            asyncio.run(enter())
    library.close()
    for call in (lambda: library.ask(QUESTION), lambda: library.search("leave"), lambda: library.ingest(tmp_path)):
        with pytest.raises(BadRequest, match="This library is closed"):
            call()


async def test_closing_ends_what_is_running_and_spares_the_task_that_waits(docs: Path, tmp_path: Path) -> None:
    held = Lock(tmp_path / "data")
    held.take()  # another process works, and never finishes
    library = await open_library(tmp_path)
    waiting = asyncio.create_task(library.ingest(docs))
    await asyncio.sleep(0.2)
    await library.close()
    with pytest.raises(BadRequest, match="This library is closed"):
        await waiting
    assert not waiting.cancelled()
    held.release()


async def test_a_task_that_is_cancelled_ends_its_ingest(docs: Path, tmp_path: Path) -> None:
    held = Lock(tmp_path / "data")
    held.take()
    async with open_library(tmp_path) as library:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await library.ingest(docs)
        held.release()
        assert [file.state for file in (await library.ingest(docs)).files] == ["READY", "READY"]


def test_two_libraries_use_one_folder_at_a_time(docs: Path, tmp_path: Path) -> None:
    with open_library(tmp_path) as one, open_library(tmp_path) as other:
        assert len(one.ingest(docs).ready) == 2
        assert other.ask(QUESTION).tier == "answer"
        assert len(other.ingest(LEAVE.replace("30", "31").encode(), name="leave.md").ready) == 1
        assert one.ask(QUESTION).text == "**Leave**\n\nEmployees have 31 days of annual leave. Unused days expire in March. [1]"


def test_files_that_fail_are_told_with_reason_and_remedy(docs: Path, tmp_path: Path) -> None:
    (docs / "empty.txt").write_text("")
    (docs / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (docs / "long.txt").write_bytes(b"x" * (2**20 + 1))
    (docs / "out.md").symlink_to(tmp_path)
    with open_library(tmp_path, ingest__max_file_mb=1) as library:
        done = library.ingest(docs)
    failed = {file.name: file for file in done.failed}
    assert sorted(failed) == ["empty.txt", "long.txt", "photo.png"]
    empty = failed["empty.txt"]
    assert (empty.state, empty.reason) == ("FAILED", "This file is empty.")
    assert empty.remedy == "Check that it was saved completely and add it again."
    assert failed["photo.png"].reason == "This is an image (.png), which is not supported."
    too_long = "The file has 1.0 MB; 1 MB are allowed. Split it, or raise INGEST__MAX_FILE_MB."
    assert failed["long.txt"] == IngestedFile("long.txt", "REFUSED", 0, too_long, None, None)
    assert [file.name for file in done.ready] == ["leave.md", "travel/trains.txt"]
    assert done.left_out == ("out.md",)


def test_invalid_input_of_ingest_is_refused(docs: Path, tmp_path: Path) -> None:
    with open_library(tmp_path) as library:
        with pytest.raises(BadRequest, match=r"No such file or folder: .*nowhere"):
            library.ingest(tmp_path / "nowhere")
        with pytest.raises(BadRequest, match=r"Give the bytes a name, .*ingest\(data, name='report\.pdf'\)"):
            library.ingest(b"text")
        with pytest.raises(BadRequest, match="A name is for bytes only"):
            library.ingest(docs, name="other.md")
        with pytest.raises(BadRequest, match=r"groups must be a list of names, such as \['hr'\]"):
            library.ingest(docs, groups="hr")
        with pytest.raises(BadRequest, match=r"is the data folder, in which Footnote keeps its own files"):
            library.ingest(tmp_path / "data")


def test_an_empty_folder_is_no_error_and_the_answer_says_that_nothing_is_there(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with open_library(tmp_path) as library:
        assert library.ingest(tmp_path / "docs").files == ()
        answer = library.ask(QUESTION)
        assert library.search(QUESTION) == []
    assert (answer.text, answer.tier, answer.citations) == ("There are no documents here yet. Add some, then ask again.", "nothing", ())


def test_the_data_folder_within_the_documents_is_left_out(docs: Path) -> None:
    with open_library(docs) as library:
        assert [file.name for file in library.ingest(docs).files] == ["leave.md", "travel/trains.txt"]
        assert [file.name for file in library.ingest(docs).files] == ["leave.md", "travel/trains.txt"]


def test_groups_decide_what_a_question_and_a_search_find(docs: Path, tmp_path: Path) -> None:
    with open_library(tmp_path) as library:
        library.ingest(docs / "leave.md", groups=["hr"])
        library.ingest(docs / "travel")
        assert [len(library.search("leave", groups=groups)) for groups in (None, ["hr"], ["sales"], [])] == [1, 1, 0, 0]
        assert [library.ask(QUESTION, groups=groups).tier for groups in (["hr"], [])] == ["answer", "nothing"]
        with pytest.raises(BadRequest, match="groups must be a list"):
            library.ask(QUESTION, groups="hr")


def test_a_collection_is_searched_by_itself(docs: Path, tmp_path: Path) -> None:
    with open_library(tmp_path) as library:
        library.ingest(docs / "leave.md", collection="staff", groups=["hr"])
        assert library.search("leave") == []
        assert library.ask(QUESTION, collection="staff").tier == "answer"
        with pytest.raises(NotFound, match=r"There is no collection “stuff”\. Existing collections: staff\."):
            library.ask(QUESTION, collection="stuff")
        with pytest.raises(NotFound, match=r"There is no collection “staff”\. Existing collections: none yet\."):
            library.search("leave", collection="staff", groups=["sales"])


def test_citations_lead_to_the_address_of_their_document(docs: Path, tmp_path: Path) -> None:
    with open_library(tmp_path, public_url="https://docs.example.org/") as library:
        library.ingest(docs / "leave.md", metadata={"url": "https://wiki.example.org/leave"})
        trains = library.ingest(docs / "travel").files[0].doc_id
        assert library.ask(QUESTION).citations[0].url == "https://wiki.example.org/leave"
        assert library.search("trains")[0].url == f"https://docs.example.org/documents/{trains}/content?chunk_id={trains}%23000"


@pytest.mark.parametrize("limit", [0, 101])
def test_a_search_without_words_or_with_a_wrong_limit_is_refused(limit: int, tmp_path: Path) -> None:
    with open_library(tmp_path) as library:
        with pytest.raises(BadRequest, match=f"limit must be 1 to 100, not {limit}"):
            library.search("leave", limit=limit)
        with pytest.raises(BadRequest, match="The question is empty"):
            library.ask(" \n")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"llm__modle": "a"}, "llm__modle is no setting, so it has no effect. Did you mean llm__model?"),
        ({"colour": "red"}, "colour is no setting, so it has no effect. docs/settings.md lists the settings."),
        ({"footnote_data": "elsewhere"}, "footnote_data is no setting, so it has no effect. docs/settings.md lists the settings."),
        ({"rag__top_k": "many"}, "RAG__TOP_K: Input should be a valid integer, unable to parse string as an integer"),
    ],
)
def test_a_wrong_setting_is_named_when_a_folder_is_opened(settings: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest) as caught:
        footnote.open(tmp_path / "data", **settings)
    assert caught.value.detail == told
    assert not (tmp_path / "data").exists()


def test_arguments_win_over_the_environment_setting_by_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from footnote.library.opening import make_settings

    monkeypatch.setenv("LLM__MODEL", "of-the-environment")
    monkeypatch.setenv("LLM__BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("MODEL_NAME", "alias-of-the-environment")
    monkeypatch.setenv("FOOTNOTE_DATA", "elsewhere")
    made = make_settings("~/data", {"LLM__MODEL": "given", "model_name": "alias", "llm_base_url": "http://127.0.0.1:2/v1", "rag__top_k": 7})
    assert (made.llm.model, made.llm.base_url, made.rag.top_k) == ("given", "http://127.0.0.1:2/v1", 7)
    assert made.data == Path("~/data").expanduser()


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StoreUnavailable, match=r"The data folder .*/data cannot be used \(File exists\)\."):
        open_library(tmp_path)


def test_the_public_names_are_those_of_the_docs() -> None:
    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    assert [name for name in footnote.__all__ if getattr(footnote, name) is None or not re.search(rf"`(footnote\.)?{name}\b", text)] == []
    with pytest.raises(AttributeError, match="module 'footnote' has no attribute 'Libary'"):
        _ = footnote.Libary  # type: ignore[attr-defined]


def test_a_program_that_configures_no_logging_sees_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger("footnote")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "propagate", False)  # to pytest's own handler
    with open_library(tmp_path):
        assert logger.hasHandlers()  # else Python itself prints warnings to standard error


def test_a_program_that_forgets_to_close_ends_and_importing_costs_nothing(tmp_path: Path) -> None:
    program = f"""
import sys
before = set(sys.modules)
import footnote
print(sorted(name for name in set(sys.modules) - before if name.startswith(("footnote", "numpy", "pydantic", "asyncio"))))
library = footnote.open({str(tmp_path / "data")!r}, embedding__builtin=False, llm__discover=False)
print(library.ask("Anything?"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=100)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == ["['footnote']", "There are no documents here yet. Add some, then ask again."]
