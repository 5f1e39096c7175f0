"""The scheduled event of the ingest function: inconsistencies are repaired, and only kinds and counts are logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote_ingest.app import create_app, create_handler
from tests.conftest import HandClock
from tests.functions.conftest import LOCAL, body_of, get_event, sample_event


@pytest.fixture
def core(tmp_path: Path, clock: HandClock) -> Iterator[Core]:
    settings = Settings(
        footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), ingest=Ingest(drop_groups={"": ["staff"]})
    )
    made = Core(settings, clock=clock)
    yield made
    run(made.close)


def run(work: Callable[[], Any]) -> Any:
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work())


def test_a_file_whose_event_was_lost_answers_after_the_next_hour(core: Core, caplog: pytest.LogCaptureFixture) -> None:
    path = core.settings.data / "drops" / "footnote-documents" / "secret plans.txt"
    path.parent.mkdir(parents=True)
    path.write_text("Travel is paid for by the day.")
    handle = create_handler(create_app(lambda: core))
    with caplog.at_level(logging.INFO):
        assert handle(sample_event("ingest_verify"), None) == {"untaken": 1}
        assert handle(sample_event("ingest_verify"), None) == {}
    (document,) = body_of(handle(get_event("/documents", "limit=1"), None))["data"]
    assert document["state"] == "READY"
    assert [chunk.text for chunk in run(lambda: core.index.sample(LOCAL, "default", 9))] == ["Travel is paid for by the day."]
    assert ("WARNING", "verify found inconsistencies") in [(record.levelname, record.message) for record in caplog.records]
    lines = [record for record in caplog.records if record.name == "footnote_ingest.schedule"]
    assert not [record for record in lines if "secret" in str(vars(record))]
