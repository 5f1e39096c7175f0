"""Embeddings by Amazon Bedrock (InvokeModel). Region and credentials are the SDK's own.

Requests and limits: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
and https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnote.adapters.aws.client import TRIES, Client, Ours
from footnote.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

AT_ONCE = 8
"""Requests under way; the SDK's pool has ten connections."""
PATIENT_TRIES = 10
"""Of a document's text while the model is over its limit: half a minute at most. Titan takes one text a request, so files that are
read at the same time ask for more a minute than an account may; a question cannot wait."""


@dataclass(frozen=True, slots=True)
class Family:
    """Models that are asked in the same way."""

    lengths: tuple[int, ...]
    """Of a vector: the model can make any of them."""
    texts: int
    """Most in one request."""
    characters: int
    """Most of a text; the rest is cut off, or else the whole request would be refused."""
    request: Callable[[Sequence[str], int, bool], dict[str, Any]]
    """Texts, a vector's length, and whether they are questions → the body."""
    vectors: Callable[[Any], Any]
    """The reply → one vector for each text."""


def _titan(texts: Sequence[str], length: int, query: bool) -> dict[str, Any]:
    return {"inputText": texts[0], "dimensions": length, "normalize": True}


def _cohere_v3(texts: Sequence[str], length: int, query: bool) -> dict[str, Any]:
    # Its limit of 512 tokens is often met before that of characters.
    return {**_cohere(texts, query), "truncate": "END"}


def _cohere_v4(texts: Sequence[str], length: int, query: bool) -> dict[str, Any]:
    return {**_cohere(texts, query), "output_dimension": length}


def _cohere(texts: Sequence[str], query: bool) -> dict[str, Any]:
    return {"texts": texts, "input_type": "search_query" if query else "search_document", "embedding_types": ["float"]}


def _by_type(reply: Any) -> Any:
    """Cohere's models leave the type out where only one was asked for, or not."""
    found = reply["embeddings"]
    return found["float"] if isinstance(found, dict) else found


FAMILIES = {
    # 8,192 tokens at most: hardly a character makes more than one
    "amazon.titan-embed-text-v2:0": Family((256, 512, 1024), 1, 8_192, _titan, lambda reply: [reply["embedding"]]),
    "cohere.embed-multilingual-v3": Family((1024,), 96, 2_048, _cohere_v3, _by_type),
    "cohere.embed-v4:0": Family((256, 512, 1024, 1536), 96, 100_000, _cohere_v4, _by_type),
}
"""What a model's id has in it. An inference profile has it too: us.cohere.embed-v4:0."""


class BedrockEmbedder:
    """`ports.Embedder`. The length is part of the name: a model makes several, and they are never compared."""

    languages: frozenset[str] | None = None

    def __init__(self, model: str, dimension: int) -> None:
        self.name = f"{model}/{dimension}"
        self.dimension = dimension
        self._model = model
        self._known = _known(model)
        self._bedrock: Client[Any] = Client(
            "bedrock-runtime", (ModelUnavailable, "Amazon Bedrock does not answer. Check the AWS region and the credentials.")
        )

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        import numpy as np

        family = self._family()
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        whole = [(text.strip() or ".")[: family.characters] for text in texts]  # an empty text would be refused
        parts = [whole[start : start + family.texts] for start in range(0, len(whole), family.texts)]
        made: list[npt.NDArray[np.float32]] = []
        for start in range(0, len(parts), AT_ONCE):
            made += await asyncio.gather(*(self._ask(family, part, query) for part in parts[start : start + AT_ONCE]))
        return np.concatenate(made)

    async def _ask(self, family: Family, texts: Sequence[str], query: bool) -> npt.NDArray[np.float32]:
        import numpy as np

        body = json.dumps(family.request(texts, self.dimension, query))
        reply = await self._bedrock.call(
            lambda bedrock: bedrock.invoke_model(modelId=self._model, body=body)["body"].read(),
            self._known,
            throttled_tries=TRIES if query else PATIENT_TRIES,
        )
        try:
            vectors = np.array(family.vectors(json.loads(reply)), np.float32)
            rows, length = vectors.shape
        except (ValueError, LookupError, TypeError) as exc:
            raise self._malformed() from exc
        if length != self.dimension:
            raise self._wrong_length(str(length))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if rows != len(texts) or not (lengths > 0).all():
            raise self._malformed()
        return np.asarray(vectors / lengths, np.float32)

    def _family(self) -> Family:
        family = next((family for name, family in FAMILIES.items() if name in self._model), None)
        if family is None:
            known = ", ".join(FAMILIES)
            raise ModelUnavailable(f"EMBEDDING__MODEL is {self._model or 'not set'}; of Bedrock's models Footnote can ask {known}.")
        if self.dimension not in family.lengths:
            raise self._wrong_length(" or ".join(map(str, family.lengths)))
        return family

    def _wrong_length(self, makes: str) -> ModelUnavailable:
        return ModelUnavailable(
            f"The embedding model {self._model} makes vectors of length {makes}, not {self.dimension}. Set EMBEDDING__DIMENSION."
        )

    def _malformed(self) -> ModelUnavailable:
        return ModelUnavailable(f"The embedding model {self._model} answered with something that is not its vectors.")

    async def close(self) -> None:
        await self._bedrock.close()


def _known(model: str) -> dict[str, Ours]:
    told = {
        "AccessDeniedException": f"Amazon Bedrock does not let {model} be used."
        " Enable the model's access in Bedrock; the function needs bedrock:InvokeModel.",
        "ResourceNotFoundException": f"Amazon Bedrock does not know {model} in this region. Check EMBEDDING__MODEL.",
        "ValidationException": f"Amazon Bedrock refuses what {model} is asked."
        " Check EMBEDDING__MODEL: its version, and whether it is offered in this region or by an inference profile only.",
        "ThrottlingException": f"Amazon Bedrock is over its limit for {model}. Try again later.",
    }
    return {code: (ModelUnavailable, detail) for code, detail in told.items()}
