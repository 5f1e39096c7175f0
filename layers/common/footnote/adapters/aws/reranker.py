"""Rerankers of Amazon Bedrock (Rerank). Region and credentials are read by the SDK.

Request and limits: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from footnote.adapters.aws.client import Client, Failure
from footnote.adapters.shared.reranker import read_scores, scaled
from footnote.errors import Unavailable

CHARACTERS = 32_000
"""Longest text; the rest is cut off, otherwise the whole request would be rejected."""
TEXTS = 1_000
"""Most texts in one request. Those after them are not scored."""


class BedrockReranker:
    """`ports.Reranker` on Bedrock. `timeout_s`: time limit of a question, in seconds."""

    def __init__(self, model: str, timeout_s: float) -> None:
        self._model = model
        self._timeout_s = timeout_s
        self._known = _known(model)
        self._bedrock: Client[Any] = Client(
            "bedrock-agent-runtime", (Unavailable, "Amazon Bedrock cannot be reached. Check the AWS region and the credentials.")
        )

    async def rerank(self, query: str, texts: Sequence[str]) -> dict[int, float]:
        if not texts:
            return {}
        region = await self._bedrock.call(lambda bedrock: bedrock.meta.region_name)  # opens it, which does not count towards the limit
        sent = texts[:TEXTS]
        request = {
            "queries": [{"type": "TEXT", "textQuery": {"text": query}}],
            "sources": [_source(text) for text in sent],
            "rerankingConfiguration": {
                "type": "BEDROCK_RERANKING_MODEL",
                "bedrockRerankingConfiguration": {
                    "modelConfiguration": {"modelArn": _arn(self._model, region)},
                    "numberOfResults": len(sent),
                },
            },
        }
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await self._bedrock.call(lambda bedrock: bedrock.rerank(**request), self._known)
        except TimeoutError as exc:
            raise Unavailable(f"Amazon Bedrock did not rerank within {self._timeout_s:g} s. RERANK__TIMEOUT_S is the limit.") from exc
        return scaled(read_scores(reply.get("results"), len(sent)).items())

    async def close(self) -> None:
        """Closes the connections."""
        await self._bedrock.close()


def _source(text: str) -> dict[str, Any]:
    """An empty text would be rejected."""
    content = {"text": (text.strip() or ".")[:CHARACTERS]}
    return {"type": "INLINE", "inlineDocumentSource": {"type": "TEXT", "textDocument": content}}


def _arn(model: str, region: str) -> str:
    return model if model.startswith("arn:") else f"arn:aws:bedrock:{region}::foundation-model/{model}"


def _known(model: str) -> dict[str, Failure]:
    details = {
        "AccessDeniedException": f"Amazon Bedrock denies access to {model}."
        " Enable access to the model in Bedrock; the function needs bedrock:Rerank and bedrock:InvokeModel.",
        "ResourceNotFoundException": f"Amazon Bedrock has no model {model} in this region. Check RERANK__MODEL.",
        "ValidationException": f"Amazon Bedrock rejected a request to {model}. Check RERANK__MODEL.",
        "ThrottlingException": f"Amazon Bedrock is throttling {model}. Try again later.",
    }
    return {code: (Unavailable, detail) for code, detail in details.items()}
