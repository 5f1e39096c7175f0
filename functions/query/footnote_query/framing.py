"""Server-sent messages of a turn, as `/v2`, `/v1/chat` and `/api/chat` send them: `step`, `debug`, `think`, `token`, then `done` or
`error`. Each API brings its own `done`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel

from footnote.answer.toolbox import SEARCH
from footnote.events import Answering, Done, Event, Failed, LanguageKnown, Rewritten, Searching, Think, Token, ToolCalled
from footnote.guard.input_guard import clean_question
from footnote.types import Turn, Usage
from footnote_query.citations import answer_text
from footnote_query.replies import TokensUsed, tokens_used

Json = dict[str, Any]


class ProgressEvent(BaseModel, defer_build=True):
    """Progress: a step, a debug note, or the model's reasoning."""

    type: Literal["step", "debug", "think"]
    id: str
    content: str


class StreamError(BaseModel, defer_build=True):
    """The last message of a turn that failed."""

    type: Literal["error"]
    content: str
    detail: str
    final_response: str
    usage: TokensUsed


UNDERSTANDING = {
    "en": "Understanding the intent of the user's question…",
    "de": "Die Absicht der Frage wird ermittelt…",
    "ko": "사용자 질문의 의도를 파악하는 중…",
}
SEARCHING = {"en": "Searching for relevant documents…", "de": "Passende Dokumente werden gesucht…", "ko": "관련 문서를 검색하는 중…"}
ANSWERING = {"en": "Generating an answer…", "de": "Eine Antwort wird geschrieben…", "ko": "답변을 생성하는 중…"}
CALLING = {"en": "Calling a tool: {}…", "de": "Ein Werkzeug wird aufgerufen: {}…", "ko": "도구를 호출하는 중: {}…"}


class Events:
    """Encodes one turn's events as messages. Step texts follow the question's language. `done`: makes the last message."""

    def __init__(self, turn: Turn, done: Callable[[Turn], Json]) -> None:
        self._done = done
        self._lang = "en"
        self._question = turn.request.question
        self._queries: tuple[str, ...] = ()
        self._asks_documents = turn.request.search_type == "rag"
        self._told = self._searching = self._spoken = False

    def encode(self, event: Event) -> Iterator[Json]:
        """Returns the messages for one event; some events have none."""
        match event:
            case LanguageKnown(lang):
                self._lang = lang
                yield self._step(UNDERSTANDING)
            case Rewritten(queries):
                self._queries = queries
            case Searching() if not self._searching:
                self._searching = True
                yield from self._rewritten()
                yield self._step(SEARCHING)
            case Answering():
                yield from self._rewritten() if self._asks_documents else ()
                yield self._step(ANSWERING)
            case ToolCalled(name):
                yield self._step(SEARCHING) if name == SEARCH else self._step(CALLING, name)
            case Think(text):
                yield _progress("think", text)
            case Token(text):
                self._spoken = True
                yield {"type": "token", "content": text}
            case Done(turn):
                if not self._spoken:
                    yield {"type": "token", "content": answer_text(turn)}
                yield self._done(turn)
            case Failed(error, turn, text):
                yield failed(f"An error occurred: {error.title}", error.detail, turn.trace_id, text, turn.trace.usage)

    def _rewritten(self) -> Iterator[Json]:
        """Tells once what the question has become; small talk to the documents is told of, too, though not searched for."""
        if not self._told:
            self._told = True
            queries = self._queries or (clean_question(self._question),)
            yield _progress("debug", "Query rewriting complete: " + ", ".join(f'"{query}"' for query in queries))

    def _step(self, text: Mapping[str, str], *values: str) -> Json:
        return _progress("step", text.get(self._lang, text["en"]).format(*values))


def _progress(kind: str, text: str) -> Json:
    return {"type": kind, "id": str(uuid.uuid4()), "content": text}


def failed(content: str, detail: str, trace_id: str, text: str, usage: Usage) -> Json:
    """An error message: a `StreamError`. `text`: the part of the answer that was already sent."""
    return {
        "type": "error",
        "content": content,
        "detail": f"{detail} (trace {trace_id})",
        "final_response": text,
        "usage": tokens_used(usage),
    }
