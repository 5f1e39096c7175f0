"""The header `Time-Zone`: a model is told the reader's day, whatever API it is asked through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote_query.app import create_app
from tests.conftest import HandClock
from tests.fakes import FakeModel, FakeModels, make_document, put_document
from tests.functions.conftest import ASK, QUESTION, OpenClient

SAID: Mapping[str, Mapping[str, Any]] = {
    "/ask": ASK,
    "/v2/rag/query": {"query": QUESTION},
    "/v2/gpt/query": {"query": QUESTION},
    "/v2/pa/query": {"query": QUESTION},
    "/v1/chat": {"message": QUESTION},
    "/v1/chat/completions": {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]},
}


@pytest.mark.parametrize("path", SAID)
async def test_a_model_is_told_the_readers_day_by_every_api(path: str, core: Core, clock: HandClock, open_client: OpenClient) -> None:
    clock.now = 1_767_222_000.0  # 2025-12-31 23:00 UTC
    model = FakeModel([["It was built in 1894 [1]."]] * 4)
    core._models = FakeModels(model)
    await put_document(core.generations, make_document("bridge", groups=("*",)), ["The bridge was built in 1894."])
    client = await open_client(create_app)
    for zone in ("Asia/Seoul", "America/New_York"):
        assert (await client.post(path, json=dict(SAID[path]), headers={"time-zone": zone})).status_code == 200
    told = "".join(message.content for sent in model.sent for message in sent.messages)
    assert "Today is Thursday, 1 January 2026 (2026-01-01), in the time zone Asia/Seoul." in told
    assert "Today is Wednesday, 31 December 2025 (2025-12-31), in the time zone America/New_York." in told
