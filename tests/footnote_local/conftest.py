"""The command line on a temporary folder, without models."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

from footnote.bootstrap import Core
from footnote.library.worker import Worker
from footnote.ports import Parser
from footnote.settings import KDB, LLM, MCP, Auth, Embedding, Ingest, Rerank, Settings, Verifying
from footnote_local.cli import app

Footnote = Callable[..., Result]


def open_core(
    folder: Path,
    *,
    auth: Auth | None = None,
    mcp: MCP | None = None,
    kdb: KDB | None = None,
    rerank: Rerank | None = None,
    verifier: Verifying | None = None,
    parser: Parser | None = None,
    **options: Any,
) -> Core:
    settings = Settings(
        footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False), ingest=Ingest(max_file_mb=1),
        auth=auth or Auth(), mcp=mcp or MCP(), kdb=kdb or KDB(), rerank=rerank or Rerank(), verifier=verifier or Verifying(),
    )  # fmt: skip
    return Core(settings, parser=parser, **options)


@asynccontextmanager
async def working(core: Core) -> AsyncIterator[Worker]:
    """Closes the core too."""
    worker = Worker(core)
    await worker.start()
    yield worker
    await worker.stop()
    await core.close()


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Environment variables of a command: this folder, which is empty, and no models."""
    (tmp_path / "data").mkdir(exist_ok=True)
    for name in list(os.environ):
        if name.startswith(
            ("LLM", "OPENAI", "MODEL_NAME", "PRIMARY_MODEL", "EMBEDDING", "INGEST", "INDEX_NAME", "RETRIEVER", "RAG_", "REDIS_")
        ):
            monkeypatch.delenv(name)
    ours = {"FOOTNOTE_DATA": str(tmp_path / "data"), "EMBEDDING__BUILTIN": "false", "LLM__DISCOVER": "false", "INGEST__MAX_FILE_MB": "1"}
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


COMMAND = cache(get_command)
"""Typer would build all commands anew for each that is run, which takes longer than most of them."""


@pytest.fixture
def footnote(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Footnote]:
    """Runs a command in this process, and restores logging and signals."""
    monkeypatch.setattr("typer.testing._get_command", COMMAND)
    logger, on_term = logging.getLogger("footnote"), signal.getsignal(signal.SIGTERM)
    before = list(logger.handlers), logger.level, logger.propagate

    def run(*args: str | Path) -> Result:
        return CliRunner().invoke(app, list(map(str, args)))

    yield run
    logger.handlers[:], logger.level, logger.propagate = before
    signal.signal(signal.SIGTERM, on_term)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "tower.md").write_text("# Tower\n\nThe lighthouse was lit in 1874.\n")
    (folder / "sub" / "ferry.txt").write_text("Ferries cross the river at noon.")
    return folder


@pytest.fixture
def ingested(footnote: Footnote, docs: Path) -> None:
    """The documents are READY."""
    footnote("ingest", docs)


def write_beir(folder: Path, corpus: dict[str, str], queries: dict[str, tuple[str, str]]) -> Path:
    """`queries`: id → (text, the one relevant document)."""
    folder.mkdir(exist_ok=True)
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": key, "title": "", "text": text}) + "\n" for key, text in corpus.items())
    )
    (folder / "queries.jsonl").write_text("".join(json.dumps({"_id": key, "text": text}) + "\n" for key, (text, _) in queries.items()))
    lines = "".join(f"{key}\t{document}\t1\n" for key, (_, document) in queries.items())
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + lines)
    return folder
