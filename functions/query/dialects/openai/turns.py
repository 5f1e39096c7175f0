"""From what OpenAI's clients send to a Turn. A model is a collection; messages are a conversation whose last question is asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from footnote.errors import BadRequest
from footnote.events import Event
from footnote.guard.input_guard import LONGEST
from footnote.memory.stored_turn import replay
from footnote.types import Answer, Caller, Conversation, Exchange, Profile, Request, Turn
from query.collections import has_collection
from query.dialects.openai.open_webui import is_side_task, read_message
from query.dialects.openai.replies import UnknownModel

if TYPE_CHECKING:
    from footnote.bootstrap import Core

NAME = "footnote"
PROFILE = Profile(
    "openai", live=True, citation_style="numbered", prompt="answer_numbered", answer_cache_s=300, options={"answer_cache": True}
)
EARLIER = 4
"""Exchanges before the question that a follow-up is understood by."""
ANSWERED = ("user", "assistant")
TEXTS = ("text", "input_text", "output_text")


class Part(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="allow")

    role: str
    content: str | list[Part] | None = None


class Options(BaseModel):
    """What both kinds of request have. What is not named is accepted and changes nothing."""

    model: str = Field(description="`footnote`, or `footnote/<collection>`.")
    stream: bool = False
    temperature: float | None = Field(None, ge=0, le=2)
    tool_choice: Literal["none", "auto"] | None = Field(None, description="Tools are never called.")
    citation_style: Literal["markers", "links"] = Field(
        "markers",
        description="How the text cites: `[1]`, or for clients that show nothing but the text, a Markdown link, `[1](https://…)`.",
    )


async def make_turn(
    options: Options, messages: Sequence[ChatMessage], max_tokens: int | None, caller: Caller, core: Core, trace_id: str, origin: str
) -> Turn:
    """A turn that is not to be run has its answer: what Open WebUI asks a model beside its users' questions."""
    text = last_question(messages)
    asked = read_message(text)
    request = Request(
        question=asked.question,
        attached=asked.attached,
        first_number=asked.sources + 1,
        link_origin=origin if options.citation_style == "links" else None,
        collection=await collection_of(options.model, caller, core),
        temperature=options.temperature,
        max_tokens=max_tokens,
    )
    turn = core.new_turn(request, caller, PROFILE, trace_id=trace_id)
    return replace(turn, conversation=Conversation(earlier(messages)), answer=NOTHING if is_side_task(text) else None)


NOTHING = Answer("{}")
"""For Open WebUI's tasks: it then takes the question as the title, and no tags, follow-ups or searches."""


async def finish(turn: Turn, core: Core) -> Turn:
    return turn if turn.answer else await core.answer.finish(turn)


def run(turn: Turn, core: Core) -> AsyncGenerator[Event, None]:
    return replay(turn) if turn.answer else core.answer.run(turn)


def last_question(messages: Sequence[ChatMessage]) -> str:
    """The words of the last user message."""
    content = next((message.content for message in reversed(messages) if message.role == "user"), None)
    if content is None:
        raise BadRequest("There is no message of the user.")
    if isinstance(content, str):
        return content
    if foreign := next((part.type for part in content if part.type not in TEXTS), None):
        raise BadRequest(f"The question holds a part of type “{foreign[:40]}”. Only text can be asked.")
    return _text_of(content)


def earlier(messages: Sequence[ChatMessage]) -> tuple[Exchange, ...]:
    """The last EARLIER questions before the last one, each with the answer that follows it. Of what is longer than a question
    may be, the beginning: a model that understands a follow-up by it would read all of it."""
    said = [(message.role, _text_of(message.content)) for message in messages if message.role in ANSWERED]
    pairs = [
        Exchange(read_message(question).question[:LONGEST], answer)
        for (asker, question), (answerer, answer) in pairwise(said)
        if (asker, answerer) == ANSWERED
    ]
    return tuple(pairs[-EARLIER:])


def _text_of(content: str | Sequence[Part] | None) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content or ())


async def collection_of(model: str, caller: Caller, core: Core) -> str:
    name, _, collection = model.partition("/")
    if name != NAME or (collection and not await has_collection(collection, caller, core)):
        raise UnknownModel("There is no such model. GET /v1/models lists those that there are.")
    return collection
