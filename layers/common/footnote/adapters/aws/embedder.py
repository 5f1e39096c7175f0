"""Embeddings by Amazon Bedrock (InvokeModel). Region and credentials are read by the SDK.

Requests and limits: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
and https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnote.adapters.aws.client import TRIES, Client, Failure
from footnote.adapters.shared.embedder import malformed, wrong_length
from footnote.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

CONCURRENCY = 8
"""Requests at a time; the SDK's pool has ten connections."""
TEXT_TRIES = 10
"""Most tries for the text of a document while the model is throttled: about half a minute. Titan takes one text per request, so
files that are ingested together exceed the account's rate limit. Questions are tried as often as any other call."""


@dataclass(frozen=True, slots=True)
class Family:
    """Models with the same request format."""

    lengths: tuple[int, ...]
    """Lengths of the vectors that the model can return."""
    texts: int
    """Most texts in one request."""
    characters: int
    """Longest text; the rest is cut off, otherwise the whole request would be rejected."""
    request: Callable[[Sequence[str], int, bool], dict[str, Any]]
    """(texts, vector length, whether they are questions) → request body."""
    vectors: Callable[[Any], Any]
    """Reply → one vector per text."""


def _titan(texts: Sequence[str], length: int, query: bool) -> dict[str, Any]:
    return {"inputText": texts[0], "dimensions": length, "normalize": True}


def _cohere_v3(texts: Sequence[str], length: int, query: bool) -> dict[str, Any]:
    # Its limit of 512 tokens is often reached before the limit of characters.
    return {**_cohere(texts, query), "truncate": "END"}


def _cohere_v4(texts: Sequence[str], length: int, query: bool) -> dict[str, Any]:
    return {**_cohere(texts, query), "output_dimension": length}


def _cohere(texts: Sequence[str], query: bool) -> dict[str, Any]:
    return {"texts": texts, "input_type": "search_query" if query else "search_document", "embedding_types": ["float"]}


def _by_type(reply: Any) -> Any:
    """Some of Cohere's models leave out the type if only one was requested."""
    found = reply["embeddings"]
    return found["float"] if isinstance(found, dict) else found


FAMILIES = {
    # at most 8,192 tokens; a character is rarely more than one
    "amazon.titan-embed-text-v2:0": Family((256, 512, 1024), 1, 8_192, _titan, lambda reply: [reply["embedding"]]),
    "cohere.embed-multilingual-v3": Family((1024,), 96, 2_048, _cohere_v3, _by_type),
    "cohere.embed-v4:0": Family((256, 512, 1024, 1536), 96, 100_000, _cohere_v4, _by_type),
}
"""Part of a model's id → family. The id of an inference profile contains it too: us.cohere.embed-v4:0."""


class BedrockEmbedder:
    """`ports.Embedder` on Bedrock. The length is part of the name, since vectors of different lengths cannot be compared."""

    languages: frozenset[str] | None = None

    def __init__(self, model: str, dimension: int) -> None:
        self.name = f"{model}/{dimension}"
        self.dimension = dimension
        self._model = model
        self._known = _known(model)
        self._bedrock: Client[Any] = Client(
            "bedrock-runtime", (ModelUnavailable, "Amazon Bedrock cannot be reached. Check the AWS region and the credentials.")
        )

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        import numpy as np

        family = self._family()
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        whole = [(text.strip() or ".")[: family.characters] for text in texts]  # an empty text would be rejected
        parts = [whole[start : start + family.texts] for start in range(0, len(whole), family.texts)]
        made: list[npt.NDArray[np.float32]] = []
        for start in range(0, len(parts), CONCURRENCY):
            made += await asyncio.gather(*(self._ask(family, part, query) for part in parts[start : start + CONCURRENCY]))
        return np.concatenate(made)

    async def _ask(self, family: Family, texts: Sequence[str], query: bool) -> npt.NDArray[np.float32]:
        import numpy as np

        body = json.dumps(family.request(texts, self.dimension, query))
        reply = await self._bedrock.call(
            lambda bedrock: bedrock.invoke_model(modelId=self._model, body=body)["body"].read(),
            self._known,
            throttled_tries=TRIES if query else TEXT_TRIES,
        )
        try:
            vectors = np.array(family.vectors(json.loads(reply)), np.float32)
            rows, length = vectors.shape
        except (ValueError, LookupError, TypeError) as exc:
            raise malformed(self._model) from exc
        if length != self.dimension:
            raise wrong_length(self._model, str(length), self.dimension)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if rows != len(texts) or not (lengths > 0).all():
            raise malformed(self._model)
        return np.asarray(vectors / lengths, np.float32)

    def _family(self) -> Family:
        family = next((family for name, family in FAMILIES.items() if name in self._model), None)
        if family is None:
            known = ", ".join(FAMILIES)
            raise ModelUnavailable(f"EMBEDDING__MODEL is {self._model or 'not set'}; Footnote supports these models of Bedrock: {known}.")
        if self.dimension not in family.lengths:
            raise wrong_length(self._model, " or ".join(map(str, family.lengths)), self.dimension)
        return family

    async def close(self) -> None:
        """Closes the connections."""
        await self._bedrock.close()


def _known(model: str) -> dict[str, Failure]:
    details = {
        "AccessDeniedException": f"Amazon Bedrock denies access to {model}."
        " Enable access to the model in Bedrock; the function needs bedrock:InvokeModel.",
        "ResourceNotFoundException": f"Amazon Bedrock has no model {model} in this region. Check EMBEDDING__MODEL.",
        "ValidationException": f"Amazon Bedrock rejected a request to {model}."
        " Check EMBEDDING__MODEL: its version, and whether this region offers it directly or only through an inference profile.",
        "ThrottlingException": f"Amazon Bedrock is throttling {model}. Try again later.",
    }
    return {code: (ModelUnavailable, detail) for code, detail in details.items()}
