"""A LlamaIndex retriever that searches Footnote's documents over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

TLS = httpx.create_ssl_context()
"""Made once: a client of its own for each search works in every thread and event loop, and has nothing to close."""
FOR_MODELS = {"title", "page", "headings"}
"""Metadata that language models and embedders are shown; ids and addresses tell them nothing."""


class FootnoteRetriever(BaseRetriever):
    """Finds the passages that a question is about, the best first, among the documents that the token's owner may read.

    A node's id is the passage's (`handbook#003`), its `ref_doc_id` the document's, its score 0 to 1. Its metadata are those of the
    Footnote document and `title`, `url` (opens the passage), `page` (or None), `headings`, `chunk_id` and `doc_id`.
    Raises httpx.HTTPStatusError with Footnote's reason if a search is refused, httpx.TransportError if the server cannot be reached.
    """

    def __init__(
        self,
        base_url: str = "http://localhost:8000",
        *,
        token: str | None = None,
        collection: str = "default",
        similarity_top_k: int = 5,
        timeout: float = 30.0,
        **options: Any,
    ) -> None:
        """`token`: not needed for a server without sign-in. `similarity_top_k`: number of passages, 1 to 100. `timeout`: seconds.
        `options`: BaseRetriever's."""
        super().__init__(**options)
        self._url = f"{base_url.rstrip('/')}/retrieval"
        self._collection, self._top_k = collection, similarity_top_k
        self._client: dict[str, Any] = {
            "verify": TLS,
            "timeout": timeout,
            "headers": {"authorization": f"Bearer {token}"} if token else {},
        }

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with httpx.Client(**self._client) as client:
            return _nodes(client.post(self._url, json=self._body(query_bundle)))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        async with httpx.AsyncClient(**self._client) as client:
            return _nodes(await client.post(self._url, json=self._body(query_bundle)))

    def _body(self, query: QueryBundle) -> dict[str, Any]:
        setting = {"top_k": self._top_k, "score_threshold": None}
        return {"knowledge_id": self._collection, "query": query.query_str, "retrieval_setting": setting}


def _nodes(reply: httpx.Response) -> list[NodeWithScore]:
    if not reply.is_success:
        raise httpx.HTTPStatusError(f"Footnote: {_reason(reply)} ({reply.status_code})", request=reply.request, response=reply)
    return [NodeWithScore(node=_node(record), score=record["score"]) for record in reply.json()["records"]]


def _node(record: dict[str, Any]) -> TextNode:
    metadata = record["metadata"] | {"title": record["title"]}
    hidden = [name for name in metadata if name not in FOR_MODELS or metadata[name] is None]
    return TextNode(
        id_=metadata["chunk_id"],
        text=record["content"],
        metadata=metadata,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=metadata["doc_id"])},
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )


def _reason(reply: httpx.Response) -> str:
    try:
        return str(reply.json()["error_msg"])
    except (ValueError, LookupError, TypeError):  # from a proxy
        return reply.reason_phrase
