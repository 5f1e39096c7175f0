"""Settings changed at runtime: what counts as set, what may change, and when other processes see it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.store import open_store
from footnote.errors import BadRequest, NotFound, StoreUnavailable
from footnote.live_settings import LiveSettings
from footnote.refresher import Refresher
from footnote.settings import DB, LLM, MCP, ApiKey, Auth, Fallback, OpenSearch, Price, Rag, Settings
from tests.conftest import HandClock


@pytest.fixture
async def records(tmp_path: Path, clock: HandClock) -> AsyncIterator[SqliteRecords]:
    database = open_store(tmp_path)
    yield SqliteRecords(database, clock)
    database.close()


async def put(records: Any, key: str, value: Any) -> None:
    await records.put("setting", key, {"value": value}, by="ann")


async def test_a_value_set_by_an_admin_overrides_the_environment_and_counts_as_set(records: Any) -> None:
    live = LiveSettings(Settings(rag=Rag(alpha=0.6)))
    await put(records, "rag.alpha", 0.7)
    await put(records, "rag.rrf_k", 60)
    await put(records, "llm.prices", {"small": {"input": 1, "output": 2}})
    await put(records, "retriever", "bm25")
    await live.load(records)
    now = live.current
    assert (now.rag.alpha, now.rag.rrf_k, now.rag.candidates, now.retriever) == (0.7, 60, 100, "bm25")
    assert now.llm.prices == {"small": Price(input=1, output=2)}
    assert (now.rag.model_fields_set, now.llm.model_fields_set) == ({"alpha", "rrf_k"}, {"prices"})
    assert {"rag", "llm", "retriever"} <= now.model_fields_set


async def test_a_reset_setting_has_the_environments_value_and_counts_as_set_only_there(records: Any) -> None:
    live = LiveSettings(Settings(rag=Rag(alpha=0.6)))
    for key in ("rag.alpha", "rag.rrf_k"):
        await put(records, key, 1)
        await live.load(records)
        await records.delete("setting", key)
    await live.load(records)
    assert (live.current.rag.alpha, live.current.rag.rrf_k, live.current.rag.model_fields_set) == (0.6, 30, {"alpha"})


async def test_a_setting_stored_by_an_alias_counts_unless_its_own_name_is_stored_too(records: Any) -> None:
    live = LiveSettings(Settings())
    await put(records, "rag.use_hybrid_search", False)
    await live.load(records)
    assert live.current.rag.hybrid is False
    assert [setting.key for setting in live.all() if setting.source == "runtime"] == ["rag.hybrid"]
    await put(records, "rag.hybrid", True)
    await live.load(records)
    assert live.current.rag.hybrid is True


async def test_an_invalid_stored_setting_is_ignored(records: Any) -> None:
    live = LiveSettings(Settings())
    stored = {"rag.alpha": 7, "conversation.keep_days": 9_999_999, "limits.user_per_minute": 10**30, "rag.gone": 1, "auth.mode": "none"}
    for key, value in (stored | {"rag.rrf_k": 60}).items():
        await put(records, key, value)
    await live.load(records)
    assert live.current.rag.model_fields_set == {"rrf_k"}
    assert (live.current.conversation.keep_days, live.current.limits.user_per_minute) == (None, 60)
    assert [setting.key for setting in live.all() if setting.source == "runtime"] == ["rag.rrf_k"]


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("rag.alpha", 1.5, "rag.alpha: Input should be less than or equal to 1. Weight of the dense list"),
        ("rag.alpha", "0.7", "rag.alpha: Input should be a valid number"),
        ("rag.alpha", True, "rag.alpha: Input should be a valid number"),
        ("rag.fusion", "sum", "rag.fusion: Input should be 'minmax', 'rrf' or 'convex'"),
        ("cache.recall", float("inf"), "cache.recall: the value is not JSON"),
        ("llm.prices", {"small": {"input": -1}}, "llm.prices: small: input: Input should be greater than or equal to 0"),
        ("llm.api_key", "k", "llm.api_key is set in the environment, as LLM__API_KEY, and cannot be changed at run time"),
        ("llm.base_url", "http://x/v1", "cannot be changed at run time"),
        ("auth.mode", "none", "cannot be changed at run time"),
        ("mcp.gateway", "http://x", "cannot be changed at run time"),
        ("footnote_data", "/tmp", "as FOOTNOTE_DATA, and cannot be changed at run time"),
        ("auth.mode", None, "cannot be changed at run time"),
    ],
)
def test_an_invalid_change_is_refused_with_the_allowed_values(key: str, value: Any, found: str) -> None:
    with pytest.raises(BadRequest) as refused:
        LiveSettings(Settings()).check(key, value)
    assert found in refused.value.detail


@pytest.mark.parametrize("key", ["rag", "rag.", "rag.gone", "llm.prices.small", "", "RAG__ALPHA", "model_config", "rag.alpha.x", "data"])
def test_an_unknown_setting_is_not_found(key: str) -> None:
    with pytest.raises(NotFound):
        LiveSettings(Settings()).check(key, 1)


def test_every_setting_is_listed_with_its_source_but_no_secret() -> None:
    secret = "s3cr3t-of-mine"
    settings = Settings(
        llm=LLM(
            api_key=secret,
            base_url=f"https://me:{secret}@models/v1",
            fallback=Fallback(base_url=f"http://me:{secret}@x", model="m", api_key=secret),
        ),
        auth=Auth(api_keys={"ann": ApiKey(key=secret)}),
        mcp=MCP(gateway=f"https://me:@{secret}@tools/mcp"),
        db=DB(uri=f"mongodb://me:{secret}@db"),
        opensearch=OpenSearch(url="https://search", password=secret),
        openrouter_api_key=secret,
    )
    rows = {setting.key: setting for setting in LiveSettings(settings).all()}
    assert secret not in repr(rows)
    assert (rows["llm.api_key"].value, rows["embedding.api_key"].value, rows["openrouter_api_key"].value) == (
        "**********",
        None,
        "**********",
    )
    assert (rows["llm.base_url"].value, rows["opensearch.url"].value) == ("https://…@models/v1", "https://search")
    assert (rows["rag.alpha"].value, rows["rag.alpha"].default, rows["rag.alpha"].source) == (0.5, 0.5, "default")
    assert (rows["opensearch.url"].source, rows["opensearch.url"].changeable, rows["rag.alpha"].changeable) == (
        "environment",
        False,
        True,
    )
    groups = [field.annotation for field in Settings.model_fields.values()]
    assert len(rows) == sum(len(getattr(group, "model_fields", [0])) for group in groups)


# --- refresh ----------------------------------------------------------------------------------------


class Store:
    """Counts its reads; blocks them until `free` is set."""

    def __init__(self) -> None:
        self.looked = 0
        self.broken = False
        self.free = asyncio.Event()
        self.free.set()

    async def load(self) -> None:
        self.looked += 1
        await self.free.wait()
        if self.broken:
            raise StoreUnavailable("down")


async def test_the_first_request_waits_and_those_soon_after_do_not_check(clock: HandClock) -> None:
    store = Store()
    refresher = Refresher(store.load, clock)
    await refresher.refresh()
    clock.advance(2.4)
    await refresher.refresh()
    assert store.looked == 1


async def test_a_request_some_seconds_later_does_not_wait_for_its_check(clock: HandClock) -> None:
    store = Store()
    refresher = Refresher(store.load, clock)
    await refresher.refresh()
    clock.advance(2.5)
    store.free.clear()
    for _ in range(3):
        await refresher.refresh()
        await asyncio.sleep(0)
    assert store.looked == 2
    store.free.set()
    await refresher.close()


async def test_settings_that_are_five_seconds_old_are_not_used(clock: HandClock) -> None:
    store = Store()
    refresher = Refresher(store.load, clock)
    await refresher.refresh()
    clock.advance(5)
    await refresher.refresh()
    assert store.looked == 2
    clock.advance(-100)  # a clock that was set back
    await refresher.refresh()
    assert store.looked == 3


async def test_a_store_that_is_down_or_hangs_delays_no_request(clock: HandClock) -> None:
    store = Store()
    refresher = Refresher(store.load, clock)
    store.broken = True
    await refresher.refresh()
    clock.advance(5)
    store.free.clear()
    async with asyncio.timeout(2):
        await asyncio.gather(*(refresher.refresh() for _ in range(10)))
        await refresher.refresh()
    assert store.looked == 2
    await refresher.close()


async def test_after_a_change_elsewhere_a_request_waits_for_a_check_that_began_later(clock: HandClock) -> None:
    store = Store()
    refresher = Refresher(store.load, clock)
    await refresher.refresh()
    refresher.expire()
    store.free.clear()
    waiting = asyncio.create_task(refresher.refresh())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    refresher.expire()  # the check that runs may have read what was there before
    store.free.set()
    await waiting
    assert store.looked == 3
    await refresher.refresh()
    assert store.looked == 3
