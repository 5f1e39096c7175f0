"""`POST /v1/chat`: fields and defaults, modes, sources, confidence, streams, and errors in OpenAI's shape."""

from __future__ import annotations

import re
from typing import Any

import pytest

from footnote.errors import SearchUnavailable, StoreUnavailable
from tests.fakes import make_document, put_document
from tests.functions.conftest import LOCAL, QUESTION, OpenSite, Site, read_events
from tests.recordings.play import Failing
from tests.recordings.scenes import PIXEL

STREAM = {"accept": "text/event-stream"}


async def chat(site: Site, message: str = QUESTION, **fields: Any) -> dict[str, Any]:
    reply = await site.client.post("/v1/chat", json={"message": message, **fields})
    assert reply.status_code == 200, reply.text
    body: dict[str, Any] = reply.json()
    assert body["trace_id"] == reply.headers["x-trace-id"]
    return body


async def turn_of(site: Site, body: dict[str, Any]) -> Any:
    return await site.core.turns.get(LOCAL, body["trace_id"])


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site("It was built in 1894 [1].")


@pytest.mark.parametrize("written", ["In 1894 [source 1].", "In 1894 (Source 1).", "In 1894 [SOURCES 1].", "In 1894 [Source 1, Source 9]."])
async def test_markers_are_normalised_in_a_stream_too(written: str, open_site: OpenSite) -> None:
    site = await open_site(*written)  # one character at a time
    reply = await site.client.post("/v1/chat", json={"message": QUESTION}, headers=STREAM)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    events = read_events(reply.text)
    assert "".join(event["content"] for event in events if event["type"] == "token") == "In 1894 [Source 1]."
    assert events[-1]["content"] == "In 1894 [Source 1]."


# --- what a request can ask for ------------------------------------------------------------------


async def test_the_defaults_are_ten_passages_fused_by_rank(open_site: OpenSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = await open_site()
    made: list[Any] = []
    plain = type(site.core).new_turn
    monkeypatch.setattr(type(site.core), "new_turn", lambda *a, **k: made.append(plain(*a, **k)) or made[-1])
    await chat(site)
    asked, plan = made[0].request, made[0].plan
    assert (asked.mode, asked.limit, asked.retriever, asked.levels) == ("rag", None, None, None)
    assert (plan.limit, plan.retriever, asked.collection) == (10, "rrf", "default")
    assert (asked.temperature, asked.room_id, asked.level, asked.options, asked.filters) == (None, None, None, {}, {})


async def test_a_session_is_a_room_of_this_api_only(site: Site) -> None:
    site.core.models.model.replies += [['{"queries": ["Of which colour is the bridge painted?"]}'], ["Blue [1]."], ["No idea."]]  # type: ignore[attr-defined]
    await chat(site, session_id="s")
    body = await chat(site, "And what colour is it?", session_id="s")
    assert body["content"] == "Blue [Source 1]."
    block = await turn_of(site, body)
    assert (block["room_id"], block["dialect"], block["result"]["search_decision"]["rewritten_query"]) == (
        "s",
        "pipeline",
        ["Of which colour is the bridge painted?"],
    )
    await site.client.post("/v2/gpt/query", json={"query": "And what colour is it?", "room_id": "s"})
    assert not re.search(r"\b1894\b", str(site.sent[-1].messages))


async def test_a_collection_and_a_folder_narrow_the_search(open_site: OpenSite) -> None:
    site = await open_site()
    document = make_document("ferry", title="Ferry", groups=("*",), metadata={"folder_id": "f1", "file_name": "ferry.pdf"})
    await put_document(site.core.generations, document, ["The ferry was built in 1931."])
    asked = "When was the ferry built?"
    found = await chat(site, asked, folder_id="f1")
    assert [source["document_name"] for source in found["sources"]] == ["ferry.pdf"]
    for narrowed in ({"folder_id": "f2"}, {"collection_filter": "nowhere"}):
        body = await chat(site, asked, **narrowed)
        assert (body["sources"], body["tier"], body["confidence_score"], body["confidence_level"]) == ([], "nothing", 0, "low")


@pytest.mark.parametrize(
    ("fields", "steps"), [({}, True), ({"enable_verification": False}, False), ({"intelligence_level": "basic"}, False)]
)
async def test_verification_follows_the_level_and_the_request(fields: dict[str, Any], steps: bool, site: Site) -> None:
    block = await turn_of(site, await chat(site, **fields))
    names = {span["name"] for span in block["spans"]}
    assert ({"verify_passages", "support_check"} <= names) is steps


async def test_the_temperature_is_the_requests(open_site: OpenSite) -> None:
    site = await open_site("In 1894 [1].")
    await chat(site, temperature_override=0.9, enable_cot=True, ensemble_voting=True)
    assert site.sent[0].options["temperature"] == 0.9


async def test_three_answers_are_written_where_the_request_asks_for_it(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1931 [1].")
    site.core.models.model.replies += [["It was built in 1894 [1]."], ["In 1894 [1]."]]  # type: ignore[attr-defined]
    body = await chat(site, ensemble_voting=True)
    assert (body["content"], body["warnings"]) == ("It was built in 1894 [Source 1].", ["disagreement"])


async def test_reasoning_that_the_request_asks_for_is_sent_as_thoughts_and_never_as_text(open_site: OpenSite) -> None:
    site = await open_site("<thi", "nk>Document 1 says it.</thi", "nk>\n\nIn 1894 [1].")
    reply = await site.client.post("/v1/chat", json={"message": QUESTION, "enable_cot": True}, headers=STREAM)
    events = read_events(reply.text)
    assert "between <think> and </think>" in site.sent[0].messages[-1].content
    assert "".join(event["content"] for event in events if event["type"] == "think") == "Document 1 says it."
    assert "".join(event["content"] for event in events if event["type"] == "token") == events[-1]["content"] == "In 1894 [Source 1]."


async def test_vision_reads_images_and_other_modes_refuse_them(open_site: OpenSite) -> None:
    site = await open_site("A dot.")
    assert (await chat(site, "What is this?", mode="vision", images=[PIXEL]))["content"] == "A dot."
    refused = await site.client.post("/v1/chat", json={"message": QUESTION, "images": [PIXEL]})
    assert (refused.status_code, refused.json()["error"]["type"]) == (400, "invalid_request_error")
    assert (await site.client.post("/v1/chat", json={"message": "What?", "mode": "vision"})).status_code == 400


# --- confidence ----------------------------------------------------------------------------------


async def test_an_unsupported_claim_lowers_the_confidence(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [1]. It was built by 77 giants [1].")
    body = await chat(site)
    assert body["warnings"] == ["unsupported"]
    block = await turn_of(site, body)
    assert block["private"]["confidence"]["grounding"] == pytest.approx(0.5, abs=0.1)


async def test_a_right_answer_that_is_doubted_keeps_some_confidence(open_site: OpenSite) -> None:
    body = await chat(await open_site("It was built in 1894 [1]. Queen Sonja opened it with a speech in 1931 [1]."))
    assert (body["warnings"], body["confidence_level"]) == (["unsupported"], "medium")
    assert 0.1 < body["confidence_score"] < 0.5


async def test_words_that_no_cited_passage_has_are_named(open_site: OpenSite) -> None:
    body = await chat(await open_site("It was built in 1894 [1]."), "When was the bridge built by Eiffel?")
    sufficiency = body["context_sufficiency"]
    assert (sufficiency["missing_aspects"], sufficiency["is_sufficient"]) == (["Eiffel"], False)
    assert 0 < sufficiency["coverage_score"] < 1


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("lang", "question", "missing"),
    [
        ("en", "Compare the fees of the bridge and the tunnel.", ["tunnel"]),
        ("en", "Could you summarise the fees of the tunnel?", ["tunnel"]),
        ("de", "Vergleiche die Gebühren der Brücke und der Fähre.", ["Fähre"]),
        ("de", "Fasse die Gebühren der Brücke zusammen", []),
        ("ko", "다리 요금과 터널 요금을 비교해 줘", ["터널"]),
        ("ko", "다리 요금을 요약해 줘", []),
    ],
)
async def test_words_of_the_instruction_are_no_missing_aspects(lang: str, question: str, missing: list[str], open_site: OpenSite) -> None:
    said = {
        "en": "The fees of the bridge are 4 euros.",
        "de": "Die Gebühren der Brücke betragen 4 Euro.",
        "ko": "다리 요금과 요금을 내는 곳: 다리 요금은 4유로입니다.",
    }
    site = await open_site(f"{said[lang]} [1]", filled=False)
    await put_document(site.core.generations, make_document("fees", title="F", groups=("*",)), [said[lang]], lang=lang)
    sufficiency = (await chat(site, question))["context_sufficiency"]
    assert sufficiency["missing_aspects"] == missing
    assert sufficiency["coverage_score"] > 0.25


async def test_passages_that_disagree_in_a_number_are_a_conflict(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [1]. It was built in 1931 [2].")
    other = make_document("guide", title="Guide", groups=("*",))
    await put_document(site.core.generations, other, ["The bridge was built in 1931."])
    body = await chat(site)
    assert len(body["sources"]) == 2
    assert (body["context_sufficiency"]["has_conflicts"], body["context_sufficiency"]["is_sufficient"]) == (True, False)


async def test_a_context_that_conflicts_or_lacks_a_name_gives_no_high_confidence(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.answer.confidence.relevance_of", lambda *_: 0.99)
    plain = await chat(site)
    assert (plain["confidence_score"], plain["confidence_level"]) == (0.99, "high")
    site.core.models.model.replies += [["It was built in 1894 [1]."], ["It was built in 1894 [1] or 1931 [2]."]]  # type: ignore[attr-defined]
    unnamed = await chat(site, "When was the bridge built by Eiffel?")
    await put_document(site.core.generations, make_document("guide", title="Guide", groups=("*",)), ["The bridge was built in 1931."])
    conflicting = await chat(site, "In which year was the bridge built?")
    assert conflicting["context_sufficiency"]["has_conflicts"]
    for body in (unnamed, conflicting):
        assert (body["confidence_score"], body["context_sufficiency"]["is_sufficient"], body["confidence_level"]) == (0.99, False, "medium")


async def test_a_reused_answer_has_the_same_confidence(site: Site) -> None:
    first, second = await chat(site), await chat(site)
    assert (await turn_of(site, second))["outcome"] == "cached"
    told = {"trace_id": "", "usage": None}
    assert {**first, **told} == {**second, **told}


async def test_a_repeated_request_gets_the_stored_reply(site: Site) -> None:
    replies = [
        await site.client.post("/v1/chat", json={"message": QUESTION}, headers={"idempotency-key": "k", **more})
        for more in ({}, {}, STREAM)
    ]
    assert replies[0].json() == replies[1].json()
    assert read_events(replies[2].text)[-1] == {"type": "done", **replies[0].json()}
    assert len(site.sent) == 1


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [{}, {"message": ""}, {"message": "x", "mode": "other"}, {"message": "x", "temperature_override": 3}, {"message": "x" * 3000}],
)
async def test_an_invalid_request_is_a_400_in_openais_shape(body: dict[str, Any], open_site: OpenSite) -> None:
    reply = await (await open_site()).client.post("/v1/chat", json=body)
    assert (reply.status_code, reply.json()["error"]["type"]) == (400, "invalid_request_error")


@pytest.mark.parametrize(
    ("port", "method", "error", "status"),
    [("index", "candidates", SearchUnavailable("Down."), 503), ("turns", "history", StoreUnavailable("Down."), 503)],
)
async def test_a_failing_dependency_is_an_error_never_an_empty_answer(
    port: str, method: str, error: Exception, status: int, open_site: OpenSite
) -> None:
    site = await open_site()
    setattr(site.core, port, Failing(getattr(site.core, port), method, error))
    reply = await site.client.post("/v1/chat", json={"message": QUESTION, "session_id": "s"})
    assert (reply.status_code, set(reply.json())) == (status, {"error"})
