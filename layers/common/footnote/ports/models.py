"""Embedders, language models, rerankers, verifiers, tools, parsers, and the clock."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeGuard, runtime_checkable

from footnote.types import UNKNOWN_LANGUAGE, Cut, Matrix, Message, ModelLimits, ModelSource, Parsed, ToolCall, Usage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Embedder(Protocol):
    """Text → unit vectors."""

    @property
    def name(self) -> str:
        """Identifies the vectors: those of different names are never compared."""

    @property
    def dimension(self) -> int:
        """Length of the vectors."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages with useful vectors; None = all."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Matrix:
        """(len(texts), dimension), rows of length 1. `query`: the texts are questions. Raises ModelUnavailable or ModelTimeout."""


@dataclass(frozen=True, slots=True)
class EmbeddedPassage:
    """A passage as it is embedded, with its title and headings before it. `bounds`: of its sentences, in order; `heading`: the nearest one
    above them."""

    text: str
    bounds: tuple[tuple[int, int], ...]
    heading: str


@runtime_checkable
class PassageEmbedder(Embedder, Protocol):
    """An embedder that makes the vectors of sentences while it reads their passage."""

    async def embed_passages(self, passages: Sequence[EmbeddedPassage]) -> list[Matrix]:
        """For each passage (1 + sentences, dimension), rows of length 1: its own vector, then those of its sentences. The same text has
        the same vectors, whatever is embedded beside it. Raises ModelUnavailable or ModelTimeout."""


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also makes a small vector for each token of a text, for late interaction."""

    async def embed_tokens(self, texts: Sequence[str], *, query: bool = False) -> list[npt.NDArray[np.int8]]:
        """For each text (tokens, 64), in the order of its tokens, of length 127 but for rounding; an empty text has none. `query`: the
        texts are questions. The same text has the same vectors, whatever is embedded beside it. Raises ModelUnavailable or ModelTimeout."""


@runtime_checkable
class CrossLingualEmbedder(Embedder, Protocol):
    """An embedder whose vectors tell the language of a text, too, and which can leave that out."""

    def across_languages(self, vectors: Matrix) -> Matrix:
        """The vectors of questions without what tells their language, rows of length 1: texts of any language are as near to them as their
        meaning is."""


def embedded_languages(embedder: Embedder) -> frozenset[str] | None:
    """Languages whose texts are embedded, None = all: those of the embedder, and text of no recognised language."""
    return None if embedder.languages is None else embedder.languages | {UNKNOWN_LANGUAGE}


def speaks(embedder: Embedder | None, lang: str) -> TypeGuard[Embedder]:
    """Whether texts in `lang` are embedded."""
    return embedder is not None and ((languages := embedded_languages(embedder)) is None or lang in languages)


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a model's reply. `usage` comes with the last one, if the provider reports it."""

    text: str = ""
    thinking: str = ""
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    """Complete calls, returned when the model has finished all of them."""
    cut: Cut | None = None
    """Why the reply was truncated; None = it was not."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call. `parameters`: a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Tools(Protocol):
    """Tools on other servers."""

    async def list(self, scope: str) -> Sequence[Tool]:
        """The tools of one organisation; Unavailable if the server cannot be reached."""

    async def call(self, name: str, arguments: Mapping[str, Any], *, timeout_s: float) -> str:
        """The result as untrusted text, including errors that the tool itself reports. Unavailable if the tool cannot be
        reached."""


class KnowledgeBase(Protocol):
    """A search service of another system with documents of its own."""

    async def search(self, arguments: Mapping[str, Any]) -> str | None:
        """The results as untrusted JSON text; None for an unknown collection. Unavailable if the service cannot be reached."""


class Images(Protocol):
    """Fetches images that users name by URL."""

    async def fetch(self, url: str, *, max_bytes: int, timeout_s: float) -> str:
        """An image as a `data:` URI. BadRequest: not an image, too large, or not a public URL."""


Effort = Literal["none", "low", "medium", "high"]
"""How long a reasoning model thinks; none = not at all, where that can be switched off."""


class LanguageModel(Protocol):
    """One language model at one endpoint."""

    @property
    def name(self) -> str:
        """The model's name; after a reply, the name of the model that gave it."""

    def stream(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        effort: Effort | None = None,
        first_token_s: float = 120.0,
        total_s: float = 120.0,
    ) -> AsyncGenerator[Delta, None]:
        """Streams a reply. `schema`: JSON schema of the object to reply with; an endpoint may ignore it, so the messages have to
        ask for JSON too. `effort`: None = the endpoint's default; one that cannot be told ignores it. Time limits in seconds: until
        the first piece, and in total. Raises ModelUnavailable or ModelTimeout; nothing is retried after the first piece."""


class Parser(Protocol):
    """Reads files."""

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        """The text of a file. Raises UnreadableFile, with a reason and a remedy for the user."""


class Models(Protocol):
    """Chooses the language model: the configured one, or one found at its usual local address."""

    @property
    def address(self) -> str | None:
        """Base URL of the models, without credentials; None = none is configured or found."""

    @property
    def source(self) -> ModelSource:
        """Where the model of the last `pick` comes from, or why there is none."""

    async def pick(self, name: str | None) -> LanguageModel | None:
        """The model called `name`, or the default one; None if there is no model."""


class ModelServer(Protocol):
    """Knows the limits of the models that it serves."""

    async def limits(self, model: str) -> ModelLimits:
        """What the server says of a model. Never raises: a server that is silent or has no such route says nothing."""


class Clock(Protocol):
    """The time; tests set their own."""

    def __call__(self) -> float:
        """Seconds since the epoch."""


class Reranker(Protocol):
    """Scores texts for a question, by reading both together."""

    async def rerank(self, query: str, texts: Sequence[str]) -> Mapping[int, float]:
        """Position in `texts` → score 0..1, higher = better; texts that the model did not score are missing. Scores of different
        models cannot be compared. Unavailable if there is no usable reply in time."""

    async def close(self) -> None:
        """Closes connections."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim of an answer. `start`, `end`: the place of its sentence in the answer; `passages`: the texts to check it against."""

    claim: str
    start: int
    end: int
    passages: tuple[str, ...]


class Verifier(Protocol):
    """Judges the claims of an answer."""

    async def verify(self, question: str, answer: str, statements: Sequence[Statement]) -> Sequence[bool | None]:
        """For each statement, in their order, whether its passages support it; None = the model could not say. `question` may be empty.
        Unavailable if there is no usable reply in time."""

    async def close(self) -> None:
        """Closes connections."""
