"""A LangChain retriever that searches Footnote's documents over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, SecretStr

TLS = httpx.create_ssl_context()
"""Made once: a client of its own for each search works in every thread and event loop, and has nothing to close."""


class FootnoteRetriever(BaseRetriever):
    """Finds the passages that a question is about, the best first, among the documents that the token's owner may read.

    A Document's `id` is the passage's (`handbook#003`). Its metadata are those of the Footnote document and `source` (the document's id),
    `title`, `url` (opens the passage), `page` (or None), `headings`, `chunk_id` and `score` (0 to 1).
    Raises httpx.HTTPStatusError with Footnote's reason if a search is refused, httpx.TransportError if the server cannot be reached.
    """

    base_url: str = "http://localhost:8000"
    token: SecretStr | None = None
    """Not needed for a server without sign-in."""
    collection: str = "default"
    k: int = Field(5, ge=1, le=100)
    """Number of passages."""
    timeout: float = 30.0
    """Seconds."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        with httpx.Client(verify=TLS, timeout=self.timeout) as client:
            return _documents(client.post(**self._request(query)))

    async def _aget_relevant_documents(self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun) -> list[Document]:
        async with httpx.AsyncClient(verify=TLS, timeout=self.timeout) as client:
            return _documents(await client.post(**self._request(query)))

    def _request(self, query: str) -> dict[str, Any]:
        return {
            "url": f"{self.base_url.rstrip('/')}/retrieval",
            "headers": {"authorization": f"Bearer {self.token.get_secret_value()}"} if self.token else {},
            "json": {"knowledge_id": self.collection, "query": query, "retrieval_setting": {"top_k": self.k, "score_threshold": None}},
        }


def _documents(reply: httpx.Response) -> list[Document]:
    if not reply.is_success:
        raise httpx.HTTPStatusError(f"Footnote: {_reason(reply)} ({reply.status_code})", request=reply.request, response=reply)
    return [
        Document(
            id=record["metadata"]["chunk_id"],
            page_content=record["content"],
            metadata=record["metadata"] | {"source": record["metadata"]["doc_id"], "title": record["title"], "score": record["score"]},
        )
        for record in reply.json()["records"]
    ]


def _reason(reply: httpx.Response) -> str:
    try:
        return str(reply.json()["error_msg"])
    except (ValueError, LookupError, TypeError):  # from a proxy
        return reply.reason_phrase
