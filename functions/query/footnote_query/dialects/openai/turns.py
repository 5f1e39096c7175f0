"""Converts requests of OpenAI's API into turns. The model names a collection; the last user message is the question."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from footnote.answer.small_talk import without_search
from footnote.errors import BadRequest
from footnote.events import Event
from footnote.memory.stored_turn import replay
from footnote.plan import limit_of
from footnote.types import LEVELS, Answer, Caller, Conversation, Exchange, IntelligenceLevel, Profile, Request, Turn
from footnote_query.collections import has_collection
from footnote_query.dialects.openai.open_webui import is_side_task, read_message
from footnote_query.dialects.openai.replies import UnknownModel
from footnote_query.exchanges import exchanges_of

if TYPE_CHECKING:
    from footnote.bootstrap import Core

NAME = "footnote"
PROFILE = Profile(
    "openai", live=True, citation_style="numbered", prompt="answer_numbered", answer_cache_s=300, options={"answer_cache": True}
)
ANSWERED = ("user", "assistant")
TEXTS = ("text", "input_text", "output_text")
SUFFIXES = tuple(f":{level}" for level in LEVELS)


class Part(BaseModel):
    """A part of a message's content."""

    model_config = ConfigDict(extra="allow")

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """A message of a conversation."""

    model_config = ConfigDict(extra="allow")

    role: str
    content: str | list[Part] | None = None


class Options(BaseModel):
    """Fields of both request types. Unknown fields are ignored."""

    model: str = Field(description="`footnote`, or `footnote/<collection>`; with an intelligence level behind it: `footnote:basic`.")
    intelligence_level: IntelligenceLevel | None = Field(
        None, description="How much work to spend. Default: the level in `model`, else `standard`."
    )
    stream: bool = False
    temperature: float | None = Field(None, ge=0, le=2)
    tool_choice: Literal["none", "auto"] | None = Field(None, description="Tools are never called.")
    citation_style: Literal["markers", "links"] = Field(
        "markers",
        description="markers: `[1]`; links: Markdown links, `[1](https://…)`, for clients that show the text only.",
    )


async def make_turn(
    options: Options, messages: Sequence[ChatMessage], max_tokens: int | None, caller: Caller, core: Core, trace_id: str, origin: str
) -> Turn:
    """The turn for a request. For a task of Open WebUI it already has its answer and is not run. BadRequest, UnknownModel."""
    text = last_question(messages)
    asked = read_message(text)
    collection, level = await read_model(options.model, caller, core)
    request = Request(
        question=asked.question,
        attached=asked.attached,
        first_number=asked.sources + 1,
        link_origin=origin if options.citation_style == "links" else None,
        collection=collection,
        limit=limit_of(PROFILE, core.settings),
        temperature=options.temperature,
        max_tokens=max_tokens,
        level=options.intelligence_level or level,
    )
    request, profile = without_search(request, replace(PROFILE, live=options.stream))
    turn = core.new_turn(request, caller, profile, trace_id=trace_id)
    return replace(turn, conversation=Conversation(earlier(messages)), answer=NOTHING if is_side_task(text) else None)


NOTHING = Answer("{}")
"""The answer to Open WebUI's tasks: it then uses the question as title, without tags, follow-ups or searches."""


async def finish(turn: Turn, core: Core) -> Turn:
    """Runs the turn unless it has an answer."""
    return turn if turn.answer else await core.answer.finish(turn)


def run(turn: Turn, core: Core) -> AsyncGenerator[Event, None]:
    """The turn's events; those of its answer if it has one."""
    return replay(turn) if turn.answer else core.answer.run(turn)


def last_question(messages: Sequence[ChatMessage]) -> str:
    """The text of the last user message. BadRequest if there is none or it is not only text."""
    content = next((message.content for message in reversed(messages) if message.role == "user"), None)
    if content is None:
        raise BadRequest("There is no message with role user.")
    if isinstance(content, str):
        return content
    if foreign := next((part.type for part in content if part.type not in TEXTS), None):
        raise BadRequest(f"The question contains a part of type “{foreign[:40]}”. Only text is supported.")
    return _text_of(content)


def earlier(messages: Sequence[ChatMessage]) -> tuple[Exchange, ...]:
    """The exchanges before the last question."""
    texts = [(message.role, _text_of(message.content)) for message in messages if message.role in ANSWERED]
    said = [(role, read_message(text).question if role == "user" else text) for role, text in texts]
    return exchanges_of(said)


def _text_of(content: str | Sequence[Part] | None) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content or ())


async def read_model(model: str, caller: Caller, core: Core) -> tuple[str, IntelligenceLevel | None]:
    """The collection and the level that a model names: “footnote”, “footnote/COLLECTION”, either with “:LEVEL” behind it.
    ("", None) = the defaults. UnknownModel if the caller has no such collection, or there is no such level."""
    path, names_level, level = model.partition(":")
    name, names_collection, collection = path.partition("/")
    asked = next((known for known in LEVELS if known == level), None)
    is_known = name == NAME and (not names_level or asked is not None)
    if not is_known or (names_collection and not await has_collection(collection, caller, core)):
        raise UnknownModel(f"There is no such model. GET /v1/models lists the models. A level may follow: {', '.join(SUFFIXES)}.")
    return collection, asked
