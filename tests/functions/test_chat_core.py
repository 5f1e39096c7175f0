"""`/v2/*`: conversations, requests, on whose behalf callers may ask, and errors. Whole replies are in tests/recordings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from footnote.answer.messages import message
from footnote.errors import StoreUnavailable
from footnote.ports import Delta
from footnote.text.tokens import count_tokens
from footnote.types import Caller, Usage
from tests.fakes import make_document, put_document
from tests.functions.conftest import BRIDGE, LOCAL, QUESTION, OpenSite, Site, read_events
from tests.recordings.play import Failing

RAG: dict[str, Any] = {"query": QUESTION, "collection_name": "default", "room_id": "room_123", "user_id": "user_456"}
NO_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


async def ask(site: Site, path: str = "/v2/rag/query", **changes: Any) -> list[dict[str, Any]]:
    reply = await site.client.post(path, json=RAG | changes)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream; charset=utf-8"), reply.text
    return read_events(reply.text)


def text_of(events: list[dict[str, Any]]) -> str:
    return "".join(event["content"] for event in events if event["type"] == "token")


# --- events of a stream -----------------------------------------------------------------------


async def test_of_many_passages_the_model_reads_what_fits_into_2500_tokens(open_site: OpenSite) -> None:
    site = await open_site("In 1894. SOURCES_USED: 1", filled=False)
    texts = [f"The bridge number {number} was built in {1800 + number}. " + "It is blue. " * 25 for number in range(90)]
    await put_document(site.core.generations, make_document("bridge", groups=("*",)), texts)
    await ask(site, query="Which bridge was built when?")
    (sent,) = site.sent
    prompt = "\n".join(said.content for said in sent.messages)
    assert prompt.count("\nReference [") > 5
    assert count_tokens(prompt) <= 2500


async def test_a_follow_up_is_understood_by_its_room_and_the_model_sees_the_conversation(open_site: OpenSite) -> None:
    site = await open_site("In 1894. SOURCES_USED: 1")
    model: Any = site.core.models.model  # type: ignore[attr-defined]
    await ask(site)
    model.replies += [['{"queries": ["What colour is the bridge?"]}'], ["Blue. SOURCES_USED: 1"]]
    events = await ask(site, query="And what colour is it?")
    assert [event["content"] for event in events if event["type"] == "debug"] == ['Query rewriting complete: "What colour is the bridge?"']
    assert text_of(events) == "Blue."
    assert [(said.role, said.content) for said in site.sent[2].messages[1:3]] == [("user", QUESTION), ("assistant", "In 1894.")]
    assert "[Question]\nAnd what colour is it?" in site.sent[2].messages[3].content
    model.replies += [["Blue. SOURCES_USED: 1"]] * 2
    for elsewhere in ({"user_id": "somebody"}, {"room_id": "another"}):
        await ask(site, query="And what colour is the bridge?", **elsewhere)
        assert len(site.sent[-1].messages) == 2


@pytest.mark.parametrize(
    ("written", "expected", "outcome", "warnings"),
    [
        ("In 1894, I think.", "In 1894, I think.", "refused", ["uncited"]),
        ("The references do not say when. SOURCES_USED: none", "The references do not say when.", "refused", ["insufficient"]),
        ("It was built in 1894. SOURCES_USED: 1", "It was built in 1894.", "answered", []),
    ],
)
async def test_warnings_of_a_check_after_the_stream_do_not_change_the_answer(
    written: str, expected: str, outcome: str, warnings: list[str], open_site: OpenSite
) -> None:
    site = await open_site(written)
    events = await ask(site)
    assert text_of(events) == events[-1]["final_response"] == expected
    body = (await site.client.get(f"/turns/{events[-1]['trace_id']}")).json()
    assert (body["answer"], body["outcome"], body["warnings"], events[-1]["warnings"]) == (expected, outcome, warnings, warnings)


@pytest.mark.parametrize(("name", "key"), [("default", "no_hits"), ("never-made", "empty")])
async def test_a_search_without_hits_is_an_empty_result_and_no_error(name: str, key: str, open_site: OpenSite) -> None:
    events = await ask(await open_site("An invention."), query="Zebras?", collection_name=name)
    assert [event["type"] for event in events] == ["step", "debug", "step", "token", "done"]
    assert (events[-1]["final_response"], events[-1]["references"]) == (message(key, "en"), [])


async def test_where_a_model_finds_no_answer_in_the_documents_the_nearest_passages_show(open_site: OpenSite) -> None:
    done = (await ask(await open_site("The references do not say who. SOURCES_USED: none"), query="Who owns the bridge, and why?"))[-1]
    assert (done["tier"], done["verdict"], done["references"]) == ("nothing", None, [])
    assert [(near["index"], near["p_id"], near["page"], near["context"]) for near in done["nearest"]] == [(1, "bridge#000", 3, BRIDGE[0])]


@pytest.mark.parametrize("model", [(), ("Hey!",)], ids=["without a model", "with one"])
@pytest.mark.parametrize(("said", "lang"), [("Hi", "en"), ("Guten Morgen!", "de"), ("안녕하세요", "ko"), ("Who are you?", "en")])
async def test_small_talk_stays_a_turn_of_rag(said: str, lang: str, model: tuple[str, ...], open_site: OpenSite) -> None:
    site = await open_site(*model)
    events = await ask(site, query=said)
    assert [event["type"] for event in events] == ["step", "debug", "step", "token", "done"]
    assert events[1]["content"] == f'Query rewriting complete: "{said}"'
    assert (events[-1]["search_type"], events[-1]["references"]) == ("rag", [])
    assert events[-1]["final_response"] == (model[0] if model else message("greeting", lang))
    assert (await site.core.turns.get(LOCAL, events[-1]["trace_id"]))["search_type"] == "rag"
    assert (await site.client.get(f"/turns/{events[-1]['trace_id']}")).json()["searched_for"] == []


async def test_small_talk_stands_in_the_history_of_rag_and_in_no_other(open_site: OpenSite) -> None:
    site = await open_site("Hello Ada!")
    model: Any = site.core.models.model  # type: ignore[attr-defined]
    await ask(site, query="Hello!")
    model.replies += [["I cannot know."], ['{"queries": []}'], ["In 1894. SOURCES_USED: 1"]]
    await ask(site, "/v2/gpt/query", query="What did I say?")
    assert len(site.sent[1].messages) == 2
    await ask(site)
    assert [(said.role, said.content) for said in site.sent[-1].messages[1:3]] == [("user", "Hello!"), ("assistant", "Hello Ada!")]
    model.replies += [["You are welcome."]]
    await ask(site, query="Thanks!")
    *earlier, last = [said.content for said in site.sent[-1].messages[1:]]
    assert (earlier, last.rpartition("\n\n")[2]) == (["Hello!", "Hello Ada!", QUESTION, "In 1894."], "Thanks!")


async def test_a_forbidden_question_is_refused_without_a_search(open_site: OpenSite) -> None:
    site = await open_site("In 1894. SOURCES_USED: 1")

    class NoTerms:
        async def current(self) -> Any:
            raise StoreUnavailable("The terms are down.")

    site.core.terms = NoTerms()  # type: ignore[assignment]
    events = await ask(site)
    assert [event["type"] for event in events] == ["step", "token", "done"]
    assert (text_of(events), events[-1]["references"]) == (message("blocked", "en"), [])
    assert site.sent == []


# --- requests -----------------------------------------------------------------------------


async def test_the_values_of_a_field_filter_the_documents_and_are_the_turn_s_classes(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    for name, kind in (("law", "Law"), ("rule", "Regulation"), ("news", "News")):
        document = make_document(name, groups=("*",), metadata={"class": kind})
        await put_document(site.core.generations, document, [f"The {name} bridge was built in 1894."])
    done = (await ask(site, metadata_filter_key="class", metadata_filter_values=["Law", "Regulation"]))[-1]
    block = await site.core.turns.get(LOCAL, done["trace_id"])
    assert {hit["doc_id"] for hit in block["hits"]} == {"law", "rule"}
    assert (block["block_classes"], block["search_type"], block["dialect"]) == (["Law", "Regulation"], "rag", "chat_core")
    assert (block["user_id"], block["room_id"]) == ("user_456", "room_123")
    everything = (await ask(site, metadata_filter_key="class"))[-1]
    assert len((await site.core.turns.get(LOCAL, everything["trace_id"]))["hits"]) == 3


async def test_paragraphs_are_searched_and_more_than_those_on_request(open_site: OpenSite) -> None:
    site = await open_site()
    await put_document(site.core.generations, make_document("outline", groups=("*",)), ["Bridges, built when"], level=0)
    for only, found in ((True, {"bridge"}), (False, {"bridge", "outline"})):
        done = (await ask(site, use_paragraph=only))[-1]
        assert {hit["doc_id"] for hit in (await site.core.turns.get(LOCAL, done["trace_id"]))["hits"]} == found


async def test_a_test_question_is_neither_stored_nor_counted(open_site: OpenSite) -> None:
    site = await open_site("In 1894. SOURCES_USED: 1", Delta(usage=Usage(11, 7)))
    done = (await ask(site, is_test=True))[-1]
    assert (done["final_response"], done["persisted"], done["usage"]["total_tokens"]) == ("In 1894.", False, 18)
    assert (await site.client.get(f"/turns/{done['trace_id']}")).status_code == 404
    assert (await site.core.turns.rooms(Caller("user_456", sees_all=True), 10, None)).data == ()
    counted = await site.client.get("/v2/rag/tokens", params={"room_id": "room_123", "user_id": "user_456"})
    assert counted.json() == {"tokens": 0}


async def test_the_tokens_of_a_room_are_those_of_its_user(open_site: OpenSite) -> None:
    site = await open_site("In 1894. SOURCES_USED: 1", Delta(usage=Usage(11, 7)))
    await ask(site)
    for user, tokens in (("user_456", 18), ("somebody", 0)):
        reply = await site.client.get("/v2/rag/tokens", params={"room_id": "room_123", "user_id": user})
        assert (reply.status_code, reply.json()) == (200, {"tokens": tokens})


@pytest.mark.sample
@pytest.mark.parametrize("search_type", ["rag", "gpt", "pa"])
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"search_type": "vision"}, "search_type is “vision”, but this route only accepts"),
        ({"search_type": "sql"}, "search_type: Input should be 'rag', 'gpt', 'pa' or 'vision'"),
        ({"metadata_filter_values": ["Law"]}, "metadata_filter_values requires metadata_filter_key"),
        ({"query": ""}, "The question is empty."),
        ({"query": None}, "query: Input should be a valid string"),
        ({"top_k": 0}, "top_k: Input should be greater than or equal to 1"),
        ({"temperature": 3}, "temperature: Input should be less than or equal to 2"),
    ],
)
async def test_a_request_that_cannot_be_used_is_a_422_in_the_form_of_an_error_event(
    search_type: str, changes: dict[str, Any], text: str, open_site: OpenSite
) -> None:
    site = await open_site("An invention.")
    reply = await site.client.post(f"/v2/{search_type}/query", json=RAG | changes)
    body = reply.json()
    assert (reply.status_code, body["type"], body["final_response"], body["usage"]) == (422, "error", "", NO_USAGE)
    assert set(body) == {"type", "content", "detail", "final_response", "usage"}
    assert text in body["detail"]
    assert reply.headers["x-trace-id"] in body["detail"]


async def test_the_search_query_is_shown_without_invisible_characters(open_site: OpenSite) -> None:
    site = await open_site("In 1894.\nSOURCES_USED: 1")
    body = json.dumps(RAG | {"query": "When was\ud800 the\u200b bridge built?"})
    reply = await site.client.post("/v2/rag/query", content=body, headers={"content-type": "application/json"})
    events = read_events(reply.text)
    assert [event["content"] for event in events if event["type"] == "debug"] == [f'Query rewriting complete: "{QUESTION}"']
    assert events[-1]["type"] == "done"


# --- callers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["user", "admin"])
async def test_a_signed_in_user_cannot_ask_in_the_name_of_another(role: Any, open_site: OpenSite) -> None:
    site = await open_site("In 1894.", caller=Caller("ann", frozenset({"staff"}), role=role))
    reply = await site.client.post("/v2/rag/query", json=RAG)
    assert (reply.status_code, reply.json()["type"]) == (403, "error")
    counted = await site.client.get("/v2/rag/tokens", params={"room_id": "room_123", "user_id": "user_456"})
    assert (counted.status_code, counted.headers["content-type"]) == (403, "application/problem+json")
    done = (await ask(site, user_id="ann"))[-1]
    assert (await site.core.turns.get(Caller("ann"), done["trace_id"]))["user_id"] == "ann"


async def test_a_request_without_a_user_is_that_of_the_signed_in_user(open_site: OpenSite) -> None:
    site = await open_site("In 1894.", caller=Caller("ann", frozenset({"staff"})))
    done = (await ask(site, user_id=None))[-1]
    assert (await site.core.turns.get(Caller("ann"), done["trace_id"]))["user_id"] == "ann"


# --- errors ---------------------------------------------------------------------------


async def test_a_turn_that_cannot_be_stored_is_answered_and_says_so(open_site: OpenSite) -> None:
    site = await open_site("In 1894. SOURCES_USED: 1")
    site.core.turns = Failing(site.core.turns, "save", StoreUnavailable("The conversations are down."))  # type: ignore[assignment]
    done = (await ask(site))[-1]
    assert (done["type"], done["final_response"], done["persisted"]) == ("done", "In 1894.", False)


async def test_an_error_before_the_route_has_the_same_format(open_site: OpenSite) -> None:
    site = await open_site()
    for content, status in ((b"{", 422), (b"x" * (2**20 + 1), 413)):
        reply = await site.client.post("/v2/rag/query", content=content, headers={"content-type": "application/json"})
        assert (reply.status_code, json.loads(reply.text)["type"]) == (status, "error")
