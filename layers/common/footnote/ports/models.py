"""What computes: embedders, language models, parsers; and the clock."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from footnote.types import UNKNOWN_LANGUAGE, Cut, Message, Parsed, ToolCall, Usage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Embedder(Protocol):
    """Text → unit vectors. `languages` None = all."""

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def languages(self) -> frozenset[str] | None: ...
    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """(len(texts), dimension), rows of length 1."""
        ...


def embedded_languages(embedder: Embedder) -> frozenset[str] | None:
    """Languages whose texts get vectors, None = all: those that the embedder speaks, and text of no recognised language."""
    return None if embedder.languages is None else embedder.languages | {UNKNOWN_LANGUAGE}


def speaks(embedder: Embedder | None, lang: str) -> TypeGuard[Embedder]:
    """Whether vectors of texts in `lang` count."""
    return embedder is not None and ((languages := embedded_languages(embedder)) is None or lang in languages)


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a model's reply; `usage` comes with the last one, where the provider tells it."""

    text: str = ""
    thinking: str = ""
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    """Whole ones: they come when the model has said all of them."""
    cut: Cut | None = None
    """Why the reply ends here although the model had not finished."""


@dataclass(frozen=True, slots=True)
class Tool:
    """What a model may call. `parameters`: a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Tools(Protocol):
    """Tools on other servers."""

    async def list(self, scope: str) -> Sequence[Tool]:
        """The tools of one organisation; Unavailable where they cannot be reached."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any], *, timeout_s: float) -> str:
        """The result as text, which nobody vouches for; what a tool says of its own failure is one. Unavailable where the
        tool cannot be reached."""
        ...


class KnowledgeBase(Protocol):
    """A search service of another system, over documents of its own."""

    async def search(self, arguments: Mapping[str, Any]) -> str:
        """What it finds, as JSON, which nobody vouches for; "[]" where it does not know the collection. Unavailable where it
        cannot be reached."""
        ...


class Images(Protocol):
    """Fetches what users point at."""

    async def fetch(self, url: str, *, max_bytes: int, timeout_s: float) -> str:
        """An image as a `data:` URI; BadRequest for what is none, is too large, or lies where nobody may look."""
        ...


class LanguageModel(Protocol):
    @property
    def name(self) -> str:
        """Of the model that is to answer; after a reply, of the one that did."""
        ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        first_token_s: float = 120.0,
        total_s: float = 120.0,
    ) -> AsyncIterator[Delta]:
        """`schema`: JSON schema of the object that the reply shall be. It may be ignored: the messages have to ask for JSON as well.
        Raises ModelUnavailable or ModelTimeout; nothing is retried after the first piece."""
        ...


class Parser(Protocol):
    async def parse(self, data: bytes, file_name: str) -> Parsed:
        """UnreadableFile, with a reason and a remedy for a person, for whatever cannot be read."""
        ...


class Models(Protocol):
    """Which language model answers now? What was configured, or what answers at a usual local address."""

    @property
    def address(self) -> str | None:
        """Base URL where models are asked, without credentials; None = nothing is configured, and nothing was found."""
        ...

    async def pick(self, name: str | None) -> LanguageModel | None:
        """The model called `name`, or the default one; None when there is no model at all."""
        ...


class Clock(Protocol):
    def __call__(self) -> float:
        """Seconds since the epoch."""
        ...
