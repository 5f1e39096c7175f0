"""A question about the last answer keeps that answer's passages, in every API that has a conversation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, LOCAL, QUESTION, OpenSite, Site

FIRST = "It was built in 1894 [1]."
PASSAGE = "The bridge was built in 1894. It is painted blue."
Said = list[tuple[str, str]]


def in_room(path: str, key: str, room: str, **more: Any) -> tuple[str, Callable[[str, Said], Any]]:
    """A request of an API that stores the conversation."""
    return path, lambda question, said: {key: question, room: "r", **more}


def with_messages(path: str, key: str = "messages", **more: Any) -> tuple[str, Callable[[str, Said], Any]]:
    """A request of an API whose client sends the conversation."""
    return path, lambda question, said: {key: [{"role": role, "content": text} for role, text in [*said, ("user", question)]], **more}


STORED = [
    in_room("/ask", "query_text", "room_id", **{key: value for key, value in ASK.items() if key != "query_text"}),
    in_room("/chat", "query", "session_id"),
    in_room("/v1/chat", "message", "session_id"),
    in_room("/v2/rag/query", "query", "room_id"),
]
DIALECTS = {"/ask": "trd", "/chat": "chat_service", "/v1/chat": "pipeline", "/v2/rag/query": "chat_core"}
SENT = [
    with_messages("/v1/chat/completions", model="footnote"),
    with_messages("/v1/responses", "input", model="footnote"),
    with_messages("/api/chat", rag={"enabled": True}),
]


async def ask(site: Site, api: tuple[str, Callable[[str, Said], Any]], question: str, said: Said) -> Any:
    reply = await site.client.post(api[0], json=api[1](question, said))
    assert reply.status_code == 200, reply.text
    return reply


async def last_prompt(site: Site, api: tuple[str, Callable[[str, Said], Any]], question: str) -> tuple[str, ...]:
    """The contents of the messages that the model gets for a question after a first one was answered."""
    model: Any = site.core.models.model  # type: ignore[attr-defined]
    model.replies[:] = [[FIRST + (" SOURCES_USED: 1" if api[0] == "/v2/rag/query" else "")], ["1894 [1]. SOURCES_USED: 1"], ["1894 [1]."]]
    await ask(site, api, QUESTION, [])
    await ask(site, api, question, [("user", QUESTION), ("assistant", FIRST)])
    asked = next(sent for sent in reversed(model.sent) if question in sent.messages[-1].content)  # behind it, a critique may come
    return tuple(message.content for message in asked.messages)


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site("")


@pytest.mark.sample
@pytest.mark.parametrize("api", [*STORED, *SENT], ids=lambda api: api[0])
@pytest.mark.parametrize("question", ["put that into a table", "Fass das bitte kürzer", "출처가 뭐예요?"])
async def test_a_question_about_the_last_answer_keeps_its_passages(api: Any, question: str, site: Site) -> None:
    for name in ("table", "kurz"):  # what a search for these words would find
        await put_document(
            site.core.generations, make_document(name, title=name, groups=("*",)), [f"{name}: das Fass, die Quelle, 출처, a table."]
        )
    *earlier, last = await last_prompt(site, api, question)
    assert PASSAGE in "".join((*earlier, last))
    assert "das Fass" not in "".join((*earlier, last))
    assert earlier[1] == QUESTION
    assert "built in 1894" in earlier[2]
    assert question in last


@pytest.mark.parametrize("api", STORED, ids=lambda api: api[0])
async def test_for_what_is_about_the_last_answer_nothing_is_searched(api: Any, site: Site) -> None:
    await last_prompt(site, api, "are you sure about that?")
    record = (await site.core.turns.history(LOCAL, "r", DIALECTS[api[0]], 1))[-1]
    ran = {span["name"] for span in record["spans"]}
    assert ran.isdisjoint({"rewrite", "embed", "search", "read", "find_answer"})
    assert [hit["passage"] for hit in record["hits"]][:1] == ["bridge|1|0"]


async def test_a_table_of_something_else_is_searched_for(site: Site) -> None:
    await put_document(
        site.core.generations, make_document("lifts", title="Lifts", groups=("*",)), ["The prices of the lifts are 4 and 7 euros."]
    )
    prompt = await last_prompt(site, STORED[2], "show me the prices of the lifts as a table")
    assert "4 and 7 euros" in "".join(prompt)


@pytest.mark.parametrize("api", [STORED[1], SENT[0]], ids=lambda api: api[0])
async def test_a_question_about_the_conversation_needs_no_citation(api: Any, site: Site) -> None:
    model: Any = site.core.models.model  # type: ignore[attr-defined]
    model.replies[:] = []
    model.replies += [[FIRST], [f"You asked: {QUESTION}"]]
    await ask(site, api, QUESTION, [])
    reply = await ask(site, api, "what did I ask before?", [("user", QUESTION), ("assistant", FIRST)])
    assert f"You asked: {QUESTION}" in reply.text


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (
            "put that into a table",
            "Changing, checking or explaining an answer needs a language model, and none answers here.",
        ),
        ("stimmt das wirklich?", "Eine Antwort zu ändern, zu prüfen oder zu erklären braucht ein Sprachmodell"),
        ("더 짧게 말해 줘", "답변을 바꾸거나 확인하거나 설명하려면 언어 모델이 필요한데"),
    ],
)
@pytest.mark.parametrize("api", [STORED[2], SENT[0]], ids=lambda api: api[0])
async def test_without_a_model_it_is_said_what_was_asked_and_what_the_answer_is_from(
    api: Any, question: str, says: str, open_site: OpenSite
) -> None:
    site = await open_site()
    await ask(site, api, QUESTION, [])
    text = (await ask(site, api, question, [("user", QUESTION), ("assistant", FIRST)])).text
    assert says in text
    assert f"“{QUESTION}”" in text
    assert "The bridge was built in 1894. It is painted blue. [" in text
