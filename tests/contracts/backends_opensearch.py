"""`ports.Index` on OpenSearch; the prefix of the indexes identifies the test's folder."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from footnote.adapters.opensearch.client import OpenSearchClient
from footnote.adapters.opensearch.index import OpenSearchIndex
from footnote.ports import Clock
from footnote.settings import OpenSearch
from tests.engines.fixtures import address


def opensearch_settings(url: str, folder: Path, **changes: Any) -> OpenSearch:
    """Settings with a generous timeout: the first query of a kind takes a second on a busy machine."""
    prefix = f"test{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"
    return OpenSearch.model_validate({"url": url, "prefix": prefix, "limit_s": 20, **changes})


def make(folder: Path, clock: Clock) -> AbstractAsyncContextManager[OpenSearchIndex]:
    return opensearch_index(opensearch_settings(address("opensearch"), folder))


@asynccontextmanager
async def opensearch_index(settings: OpenSearch) -> AsyncIterator[OpenSearchIndex]:
    """The first client that is closed deletes the indexes; the clients of a test are closed together."""
    index = OpenSearchIndex(settings)
    try:
        yield index
    finally:
        await index.close()
        await delete_indexes(settings)


async def delete_indexes(settings: OpenSearch) -> None:
    client = OpenSearchClient(settings)
    await client.request("DELETE", f"/{settings.prefix}-*", timeout_s=60, ignore_unavailable=True)
    await client.close()
