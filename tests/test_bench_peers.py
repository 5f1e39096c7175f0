"""The comparison's own workings: what each system is given, what is timed, and how it is told."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bench.peers.__main__ import main
from bench.peers.environment import run_system, stub_model
from bench.peers.job import Job
from bench.peers.prepare import prepare
from bench.peers.report import BEGIN, END, Chatted, Report, Searched, as_markdown, as_picture, write_section
from bench.peers.worker import time_chat
from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.language_model import OpenAIModel
from footnote.learn.golden import load_golden
from footnote.types import Message, Usage

DOCUMENTS = {"bridge": "The bridge was built in 1901 in Cologne.", "tower": "The tower has stood in Bonn since 1850."}
REPORT = Report(
    [
        Searched("footnote", "tiny", 0.9, (0.85, 0.95), 1.5, 2.0, 0.3, 20.0, 120.0),
        Searched("txtai", "tiny", 0.8, (0.7, 0.9), 2.5, 0.5, 9.0, 200.0, 800.0),
    ],
    [Chatted("openai_sdk", 2.0, 3.0, 90.0, 127.0), Chatted("footnote", 4.25, 6.0, 95.0, 110.0)],
)


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    folder = tmp_path / "sets" / "tiny"
    folder.mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("".join(json.dumps({"_id": i, "title": "", "text": text}) + "\n" for i, text in DOCUMENTS.items()))
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "When was the bridge built? "}) + "\n")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tbridge\t1\n")
    return folder.parent


async def test_footnote_searches_and_answers_from_what_the_others_get(sets: Path, tmp_path: Path) -> None:
    job, index_s = await prepare(load_golden(sets / "tiny"), tmp_path / "cache", tmp_path / "job")
    assert (job.ids, job.texts, job.questions, job.lang) == (
        ["bridge", "tower"],
        list(DOCUMENTS.values()),
        ["When was the bridge built?"],
        "en",
    )
    assert job.passage_vectors.shape == (2, 384)
    assert index_s > 0
    found = run_system("footnote", "search", job, Path(sys.executable))
    assert found["found"][0][0] == "bridge"
    assert found["peak_mb"] >= found["import_mb"] > 10


async def test_the_first_piece_and_the_answers_of_sixteen_clients_are_timed() -> None:
    at_once, most = 0, 0

    async def chat(question: str) -> AsyncIterator[str]:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        yield "one"
        await asyncio.sleep(0)
        yield "two"
        at_once -= 1

    timed = await time_chat(chat, [f"question {i}" for i in range(100)])
    assert (len(timed["first_ms"]), len(timed["first_ms_together"]), most) == (50, 320, 16)
    assert timed["answers_per_s"] > 0


async def test_the_stub_quotes_the_longest_line_and_tells_the_usage() -> None:
    with stub_model() as url:
        endpoint = OpenAIEndpoint(url, None)
        model = OpenAIModel(endpoint, "stub", temperature=0, max_tokens=100)
        pieces = [delta async for delta in model.stream([Message("user", "When?\n" + "The bridge was built in 1894. " * 10)])]
        await endpoint.close()
    assert "".join(delta.text for delta in pieces) == " ".join((("The bridge was built in 1894. " * 10).split())[:49]) + " [1]"
    assert pieces[-1].usage == Usage(1000, 50)


def test_a_system_that_fails_is_told_by_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"txtai, search on job: ModuleNotFoundError: No module named 'txtai'"):
        run_system("txtai", "search", Job(tmp_path / "job", "en"), Path(sys.executable))


def test_the_stub_ends_with_whoever_started_it() -> None:
    process = subprocess.Popen([sys.executable, "-m", "bench.peers.stub_model"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.communicate("", timeout=20)
    assert process.returncode == 0


def test_the_tables_say_who_was_best() -> None:
    text = as_markdown(REPORT)
    assert "| Footnote | **0.900** (0.850–0.950) |" in text
    assert "| txtai | 0.800 |" in text
    assert "| Footnote | 4.2 | 6.0 | 95 | 110 |" in text


def test_the_picture_is_drawn_to_scale() -> None:
    picture = as_picture(REPORT)
    assert 'width="378" height="11" class="ours"' in picture  # .9 of 420
    assert 'width="336" height="11" class="theirs"' in picture
    assert "openai SDK alone" in picture


def test_the_result_replaces_what_was_measured_before(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    write_section(page, "new")
    assert page.read_text() == f"# Title\n\n{BEGIN}\n\nnew\n\n{END}\n\nAfter.\n"


def test_without_test_sets_it_says_how_to_name_them(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("DATA_SETS", raising=False)
    monkeypatch.setattr(sys, "argv", ["bench.peers"])
    assert main() == 1
    assert "make compare DATA_SETS=FOLDER" in capsys.readouterr().err
